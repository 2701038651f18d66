# make demo: a short tour on real data.   make test: the whole suite, SQLite and PostgreSQL.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin

.DELETE_ON_ERROR:
.PHONY: demo test venv lint clean

demo: $(VENV)/installed
	@$(BIN)/catalog demo

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS)

venv: $(VENV)/installed-dev

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy catalog commands tests
	$(BIN)/lint-imports --no-logo

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# A stamp is newer than pyproject.toml once the install has ended well, so a second run installs nothing.
$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(VENV)/installed $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "model-catalog needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
