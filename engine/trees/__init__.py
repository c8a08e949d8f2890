"""The two trees: provenance T_M and abstraction T_C."""
