"""What is known: that of one run in memory, and that of whole libraries in files."""
