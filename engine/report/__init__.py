"""What a run and a node look like to a reader: tables, chains, paths."""
