# Every target does its own set-up: a fresh clone, Python 3.10+ and `make demo` are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The oldest Spark that the client is for; the tests in tests/spark run on both.
SPARK35 := .venv-spark35

.DEFAULT_GOAL := help
.PHONY: help setup demo serve test check format bench synth deploy lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 12

setup: $(READY) $(SPARK35)/.ready ## the virtual environments, and Java and Node where the machine has none

$(READY): requirements/dev.txt requirements/java.txt requirements/node.txt requirements/marquez.txt pyproject.toml scripts/setup.py
	@$(PYTHON) scripts/setup.py $(VENV)
	@touch $@

$(SPARK35)/.ready: requirements/spark35.txt requirements/java.txt scripts/setup.py
	@$(PYTHON) scripts/setup.py $(SPARK35) spark35.txt
	@touch $@

demo: $(READY) ## the emissions pipeline's lineage through the whole stack, on this machine
	@$(BIN)/headwater demo $(ARGS)

serve: $(READY) ## the same stack, staying up: HTTP API and AWS endpoints
	@$(BIN)/headwater serve $(ARGS)

test: $(READY) $(SPARK35)/.ready ## every test, offline; those of Spark on the oldest Spark too
	@$(BIN)/python -m pytest $(ARGS)
	@$(if $(ARGS),,$(SPARK35)/bin/python -m pytest tests/spark)

check: $(READY) ## format, lint, types, arrows, template
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m infra.check

format: $(READY) ## write the code as `make check` wants it
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY) ## the benchmarks; writes docs/benchmarks.md and docs/cost.md
	@$(BIN)/python -m benchmarks $(ARGS)

synth: $(READY) ## the CloudFormation template into cdk.out/
	@$(BIN)/headwater cdk synth --quiet $(ARGS)

deploy: $(READY) ## cdk deploy into the account of your AWS credentials
	@$(BIN)/headwater cdk deploy $(ARGS)

lock: $(READY) ## pin requirements/*.txt anew from pyproject.toml
	@$(BIN)/python scripts/lock.py $(ARGS)

clean: ## everything that the targets made
	rm -rf $(VENV) $(SPARK35) .tools cdk.out node_modules build dist .headwater .pytest_cache .mypy_cache .ruff_cache .hypothesis
