# What a person types. Everything happens in .venv, made from the hashed lock files; uv is used where it is there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.PHONY: help run test test-slow test-hostile test-companions study check site docs bench format lock clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run ## the whole loop with the built-in simulated model: no key, no network, to the plots
	$(BIN)/repair-bench run --max-attempts 5

test: $(VENV)/.dev ## the unit tests, about two minutes
	$(BIN)/python -m pytest -n auto --dist loadfile --ignore=tests/hostile # these take long to collect, and are all slow

# in the order of tests/conftest.py; one worker more than cores, because some tests only wait; `make check` runs the
# ignored ones
test-slow: $(VENV)/.dev ## the tests that take longer
	$(BIN)/python -m pytest -m "slow and not hostile" -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadfile --no-loadscope-reorder --durations=15 \
	  --ignore=tests/test_floors.py --ignore=tests/test_language.py

test-hostile: $(VENV)/.dev ## every hostile and broken program, as root also as an ordinary user
	$(BIN)/python -m pytest -m hostile -n auto --dist worksteal tests/hostile

test-companions: ## the packages in companions/, each in an environment of its own (installs several hundred MB)
	for name in inspect verifiers; do \
	  $(PYTHON) -m venv build/companions/$$name && \
	  build/companions/$$name/bin/pip install --quiet -e ".[cirq,pennylane]" -e companions/$$name "pytest>=8.3,<10" && \
	  build/companions/$$name/bin/python -m pytest companions/$$name/tests || exit 1; \
	done

study: $(VENV)/.dev ## verify the first study, recompute its figures and redraw its plots (needs the file of Qiskit HumanEval)
	$(BIN)/python studies/2026-first/study.py

check: $(VENV)/.dev ## lint, format, types, dead code, layers, language, documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini tests
	$(BIN)/vulture
	$(BIN)/python -m pytest -q -m "" tests/test_floors.py tests/test_language.py
	$(BIN)/python -m pytest -q tests/test_packaging.py
	$(MAKE) site

site: $(VENV)/.dev ## the documentation as a site, in build/site
	$(BIN)/python docs/reference.py
	$(BIN)/zensical build --strict --clean

docs: $(VENV)/.dev ## the documentation, at http://localhost:8000
	$(BIN)/python docs/reference.py
	$(BIN)/zensical serve

bench: $(VENV)/.dev ## benchmarks: ratios and coverages, printed and saved in build/ (an hour; BENCH=--quick for less)
	rm -f build/benchmarks.json
	for name in coverage horizon power observer counted consulting "loop --inspect" latency grading layers fairness instance_limit growth report_growth watching stopping border; do \
	  set -- $$name; script=$$1; shift; \
	  $(BIN)/python benchmarks/$$script.py $$@ --json build/benchmarks.json $(BENCH) || exit 1; \
	done

format: $(VENV)/.dev ## put the layout of the code right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## make the lock files anew (needs uv)
	$(call compile,pyproject.toml,requirements.lock,--extra cirq --extra litellm --extra pennylane)
	$(call compile,pyproject.toml,requirements-dev.lock,--extra all --extra dev -c requirements.lock)
	$(call compile,.github/release.in,.github/release.lock)

define compile
	uv pip compile $(1) $(3) --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header -o $(2)
endef

clean: ## remove the environment and what tools left
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
ifdef UV
	uv venv --python $(PYTHON) $(VENV)
else
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "repair-bench needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
endif

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(call install,requirements.lock)
	touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(call install,requirements-dev.lock)
	touch $(VENV)/.run $@ # this lock file contains the other

ifdef UV
define install
	uv pip install --python $(BIN)/python --quiet --compile-bytecode --require-hashes -r $(1)
	uv pip install --python $(BIN)/python --quiet --no-deps -e .
endef
else
# pip would compile on one core
define install
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes -r $(1)
	$(BIN)/python -m pip install --quiet --no-deps -e .
	$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true # some packages contain files for other versions of Python
endef
endif
