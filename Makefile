# Two commands set everything up on a machine with Python 3.11 and make:
#   make discover   install Lemmata and the embedded Lean, discover lemmas in a seed theory
#   make test       install what the tests need, check style and types, run the tests

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
THEORY ?= lean_project/Theories/Lists.lean
BUDGET ?= 90s
LIBRARY ?= library
WORKERS ?= 2

.PHONY: discover test lint unit doctor clean

discover: $(VENV)/.installed
	$(BIN)/lemmata discover $(THEORY) --budget $(BUDGET) --library $(LIBRARY)

test: $(VENV)/.installed-test lint unit

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

unit: $(VENV)/.installed-test
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

doctor: $(VENV)/.installed
	$(BIN)/lemmata doctor

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Lemmata needs Python 3.11.4 or newer: set PYTHON") if sys.version_info < (3, 11, 4) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[kernel]'
	touch $@

$(VENV)/.installed-test: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
