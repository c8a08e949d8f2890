"""How candidates are drafted: the agent, and the operators that it chooses among."""
