# Every target does its own set-up: a fresh clone, Python 3.10+ and `make demo` are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What the local stack and the demo need; READY has what tests need, too.
LOCAL := $(VENV)/.ready-local
READY := $(VENV)/.ready
# The classes of the newest Spark, ready to map: for whoever starts it often.
CLASSES := $(VENV)/.classes
COMPILED := build/.compiled
# What asks for known vulnerabilities of what is locked; it shares nothing with it.
AUDIT := .venv-audit
# What makes the site of the docs.
DOCS := .venv-docs
# A second emulator of AWS: the tests in tests/stack create the stacks there.
EMULATOR := .venv-ministack
# The oldest Spark that the client is for; the tests in tests/spark run on both.
SPARK35 := .venv-spark35

# Hundreds of processes import the same files: whatever the shell says, their bytecode is kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
BUILD_EXPLORER := $(BIN)/python scripts/explorer.py
.PHONY: help setup demo serve explorer page test test-all test-rest test-fast test-features test-formats newest check check-types check-others format openapi pictures bench synth deploy lock audit docs dist clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 12

setup: $(READY) $(SPARK35)/.ready ## the virtual environments, and Java and Node where the machine has none

$(LOCAL): requirements/local.txt requirements/java.txt requirements/node.txt requirements/uv.txt pyproject.toml scripts/setup.py
	@$(PYTHON) scripts/setup.py $(VENV) local.txt
	@touch $@

$(READY): $(LOCAL) requirements/dev.txt requirements/marquez.txt
	@$(PYTHON) scripts/setup.py $(VENV) dev.txt
	@touch $@

$(CLASSES): requirements/dev.txt scripts/class_archive.py | $(READY)
	@$(BIN)/python scripts/class_archive.py
	@touch $@

# Without a Python or a Java for it there is none, and each run looks for them again.
$(SPARK35)/.ready: requirements/spark35.txt requirements/java17.txt requirements/uv.txt scripts/setup.py scripts/class_archive.py | $(LOCAL)
	@$(PYTHON) scripts/setup.py $(SPARK35) spark35.txt
	@test -e $(SPARK35)/.unavailable || { $(SPARK35)/bin/python scripts/class_archive.py && touch $@; }

# Capture's Java, compiled for the wheel, by each Spark that is there; drivers compile the sources without it.
$(COMPILED): $(wildcard spark_client/capturing/java/*.java) | $(READY) $(SPARK35)/.ready
	@for spark in $(VENV) $(SPARK35); do test -e $$spark/.unavailable || $$spark/bin/python scripts/capture_classes.py || exit; done
	@mkdir -p build && touch $@

demo: $(LOCAL) ## the emissions pipeline's lineage through the whole stack, then in a browser; ARGS=--once ends without
	@$(BIN)/headwater demo $(ARGS)

serve: $(LOCAL) ## the same stack, staying up: the explorer, HTTP API and AWS endpoints
	@$(BUILD_EXPLORER) --optional
	@$(BIN)/headwater serve $(ARGS)

explorer: $(LOCAL) ## the page under /explore/, into explorer/dist/; needs npm
	@$(BUILD_EXPLORER)

test: $(READY) ## every behaviour once, on the newest Spark. ARGS=path runs some, with any option of pytest
	@$(MAKE) --no-print-directory -j2 $(CLASSES) page
	@$(if $(ARGS),$(BIN)/python -m pytest $(ARGS),$(BIN)/python scripts/test.py test)

test-all: test test-rest ## the same, and slow tests, many random examples, Spark 3.5, table formats

$(EMULATOR)/.ready: requirements/ministack.txt requirements/uv.txt scripts/setup.py
	@$(PYTHON) scripts/setup.py $(EMULATOR) ministack.txt && touch $@ || echo "no $(EMULATOR): its tests are skipped" >&2

test-rest: $(READY) $(SPARK35)/.ready $(EMULATOR)/.ready
	@$(MAKE) --no-print-directory -j2 $(CLASSES) page
	@$(BIN)/python scripts/test.py rest

page:
	@$(BUILD_EXPLORER) --optional

test-fast: $(READY) ## unit tests, doctests and the template, with few random examples
	@$(BIN)/python scripts/test.py fast

test-features: $(READY) ## each feature removed in turn from a copy: contracts, types, the template, fast tests
	@$(BIN)/python scripts/without_features.py --each --tests

test-formats: $(READY) $(SPARK35)/.ready ## tables of Delta, Iceberg and Hudi, where Maven Central has their jars; ARGS=kafka, ARGS=--newest
	@$(BIN)/python scripts/table_formats.py $(ARGS)
	@test -e $(SPARK35)/.unavailable || $(SPARK35)/bin/python scripts/table_formats.py $(ARGS)

newest: $(READY) ## the newest boto3, PySpark and OpenLineage client in place of the locked, for `make VENV=.venv-newest newest test`
	@.tools/uv/bin/uv pip install --quiet --python $(BIN)/python -P boto3 -P botocore -P pyspark -P openlineage-python boto3 botocore 'pyspark[connect]>=4.0.0.dev0' openlineage-python
	@rm -f $(CLASSES)
	@.tools/uv/bin/uv pip freeze --python $(BIN)/python | grep -E '^(boto|openlineage|pyspark)'

check: $(READY) ## format, lint, types, arrows, words, links, workflows, template
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(MAKE) --no-print-directory -j2 check-types check-others

# Neither waits for anything but a core.
check-types:
	@$(BIN)/mypy

check-others:
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/without_features.py
	@$(BIN)/python -m pytest -q tests/lint
	@$(BIN)/zizmor -q --offline --strict-collection .github
	@$(BUILD_EXPLORER) --check
	@$(BIN)/python -m infra.check

format: $(READY) ## write the code as `make check` wants it
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BUILD_EXPLORER) --format

openapi: $(LOCAL) ## print the OpenAPI document of the HTTP API
	@$(BIN)/python -c "from headwater.api.app import render_document; print(render_document(), end='')"

pictures: $(READY) ## the README's screenshots, from the demo's data; needs npm and Chromium. URL=... takes a running stack
	@$(BUILD_EXPLORER)
	@$(BIN)/python scripts/pictures.py $(URL)

bench: $(READY) $(COMPILED) ## the benchmarks; writes docs/benchmarks.json, benchmarks.md and cost.md
	@$(BIN)/python -m benchmarks $(ARGS)

synth: $(LOCAL) ## the CloudFormation template into cdk.out/
	@$(BIN)/headwater cdk synth --quiet $(ARGS)

deploy: $(LOCAL) ## cdk deploy into the account of your AWS credentials
	@$(BUILD_EXPLORER)
	@$(BIN)/headwater cdk deploy $(ARGS)

lock: $(READY) ## pin requirements/*.txt anew from pyproject.toml
	@$(BIN)/python scripts/lock.py $(ARGS)

$(AUDIT)/.ready: requirements/audit.txt requirements/uv.txt scripts/setup.py
	@$(PYTHON) scripts/setup.py $(AUDIT) audit.txt
	@touch $@

audit: $(AUDIT)/.ready ## known vulnerabilities of all that is locked, from PyPI and npm; fails where one cannot be asked
	@$(AUDIT)/bin/python scripts/audit.py $(AUDIT)/bin

$(DOCS)/.ready: requirements/docs.txt requirements/uv.txt scripts/setup.py
	@$(PYTHON) scripts/setup.py $(DOCS) docs.txt
	@touch $@

docs: $(LOCAL) $(DOCS)/.ready ## the site of the docs, into build/site/; fails for a broken link
	@$(BIN)/python scripts/docs_site.py $(DOCS)/bin

dist: $(READY) $(COMPILED) ## a release into dist/: both wheels, the template, bills of materials; the same commit gives the same bytes
	@$(BUILD_EXPLORER)
	@$(BIN)/python scripts/dist.py $(ARGS)

clean: ## everything that the targets made
	rm -rf $(VENV) .venv-newest $(SPARK35) $(EMULATOR) $(AUDIT) $(DOCS) .tools cdk.out node_modules explorer/node_modules explorer/dist explorer/openapi.json explorer/src/api/schema.ts build dist spark_client/capturing/classes .headwater .pytest_cache .mypy_cache .ruff_cache .hypothesis
