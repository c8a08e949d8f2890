"""Problems in the TIP format (SMT-LIB with datatypes and recursive functions), as Lean text."""
