# make demo       install into .venv once (with the page), then play the first scenario and draw it
# make test       tests; with CI=true the slow ones as well (ARGS="-k sweep" reaches pytest)
# make test-long  the long tests, which repeat at length what quicker ones protect
# make test-llm   the tests with a real server of models: tiny random weights, or those of MODEL=path.gguf
# make test-trainers rewards inside TRL and verifiers, costs by LoRA, in a venv of their own (2 GB with PyTorch for processors)
# make test-evaluators the study inside Inspect AI and OpenEnv, in a venv of their own
# make docs       the documentation site, in build/site; a warning is an error
# make package    build the wheel, install it into an empty environment and use it there
# make lowest     the same with the oldest packages that pyproject.toml allows, and some tests of them
# make lint       ruff and mypy
# make report     long modules and shared names, for reviewers
# make newest     the tests of equality to the bit, on the newest JAX, if a Python 3.12 or newer is found for it
# PYTHON=/path/to/python3.11 picks the interpreter that .venv is made with.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-long test-llm test-trainers test-evaluators docs package lowest lint report newest clean

VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
PYTHON ?= python3.11 python3.12 python3.13 python3.14 python3
DEMO_OUT ?= runs/demo

help:
	@sed -n '/^$$/q; s/^# //p' Makefile

demo: $(VENV)/.installed-movie,web
	@$(BIN)/hive run coordinate --seeds 10 --movie --out $(DEMO_OUT) --overwrite

# Bytecode is kept whatever the environment says: the tests start many commands, which would each compile HIVE again.
test: $(VENV)/.installed-dev
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder -m "$(if $(filter true 1,$(CI)),not long,not slow and not long)" $(ARGS)

test-long: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder -m long $(ARGS)

test-llm: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest tests/llm/test_server.py $(ARGS)

# verifiers does not go together with newer openai and mcp packages, so it cannot be in .venv.
test-trainers:
	@$(MAKE) --no-print-directory VENV=.venv-trainers .venv-trainers/.installed-trainers
	@.venv-trainers/bin/python -m pytest tests/llm/test_trl.py tests/study/test_verifiers.py tests/cli/test_lora.py $(ARGS)

# Both bring servers and clients of their own versions, so they are not in .venv either.
test-evaluators:
	@$(MAKE) --no-print-directory VENV=.venv-evaluators .venv-evaluators/.installed-evaluators
	@.venv-evaluators/bin/python -m pytest tests/study/test_inspect.py tests/study/test_openenv.py $(ARGS)

docs: $(VENV)/.installed-dev
	@$(BIN)/python -m sphinx -W --keep-going -q -d build/site-trees docs build/site
	@echo "open build/site/index.html"

package:
	@scripts/check_package.sh

lowest:
	@LOWEST=1 scripts/check_package.sh

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

report: $(VENV)/.installed-dev
	@$(BIN)/python -m tests.arch.report

# The newest JAX needs a newer Python than the oldest that we support. Without one, nothing is tested and that is said.
NEWEST ?= python3.14 python3.13 python3.12
newest:
	@for python in $(NEWEST); do \
	  if "$$python" -c 'import sys' >/dev/null 2>&1; then \
	    exec $(MAKE) --no-print-directory test VENV=.venv-newest PYTHON="$$python" CI= \
	      ARGS="tests/engine/test_paths.py tests/engine/test_senses.py tests/engine/test_lookout.py tests/world/test_sizes.py"; \
	  fi; \
	done; \
	echo "The newest JAX was not tested: no Python 3.12 or newer was found (tried: $(NEWEST))."

clean:
	rm -rf .venv-newest .venv-trainers .venv-evaluators $(VENV) .jax_cache .mypy_cache .pytest_cache .ruff_cache build *.egg-info

# One stamp for each set of extras: made anew only when pyproject.toml changes. With CI=true pip compiles no bytecode:
# it would do so on one core, and for modules that no test imports.
$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo "Installing HIVE with its '$*' packages into $(VENV) (once; a minute or two, most of it JAX) ..."
	@$(BIN)/python -m pip install --disable-pip-version-check --no-input $(if $(filter true 1,$(CI)),--no-compile) --editable '.[$*]' \
	  | { grep --line-buffered -E '^(Collecting|Installing|Successfully)' || true; } | cut -c1-100 | sed 's/^/  /'
	@touch $@

$(BIN)/python:
	@for python in $(PYTHON); do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "Making $(VENV) with $$("$$python" --version) ..."; \
	    "$$python" -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    echo "error: $$python cannot make a virtual environment; on Debian and Ubuntu install python3-venv" >&2; exit 2; \
	  fi; \
	done; \
	echo "error: HIVE needs Python 3.11 or newer and none was found (tried: $(PYTHON))." >&2; \
	echo "Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; \
	exit 2
