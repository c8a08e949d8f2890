"""A fast evaluator for tests: runs functions by the equations that Lean derives for them.

Thousands of terms on dozens of cases are too many for a kernel that needs about a millisecond a
call. What is computed here decides which laws are worth a look and never what is true: the
falsifier tests every law again with the kernel, and Lean proves it.
"""
