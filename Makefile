# The verbs of the project. Each sets up what it needs, once; `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV := .venv
PY := $(CURDIR)/$(VENV)/bin/python
export UV_COMPILE_BYTECODE := 1
export UV_PYTHON_DOWNLOADS := never
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
# what the machine trusts, as pip and git do: its network may have an authority of its own
export UV_SYSTEM_CERTS := 1
endif
unexport PYTHONDONTWRITEBYTECODE
PACKAGES := domain ports pipelines adapters composition
LINTED := $(PACKAGES) tests bench scripts
JOBS ?= $(shell nproc)

.PHONY: help setup develop demo run test lint format bench soak

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.runtime ## install what the product needs into .venv

develop: $(VENV)/.development ## install what tests, lint and benchmarks need as well

$(VENV)/.bootstrap: requirements/bootstrap.txt scripts/make_venv.sh
	scripts/make_venv.sh $(VENV)
	$(VENV)/bin/pip install --quiet --require-hashes -r requirements/bootstrap.txt
	@touch $@

$(VENV)/.runtime: $(VENV)/.bootstrap requirements/runtime.txt pyproject.toml
	$(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes -r requirements/runtime.txt
	$(VENV)/bin/uv pip install --quiet --python $(PY) --no-deps --no-build-isolation --offline -e .
	$(PY) -m compileall -q $(PACKAGES)
	@touch $@

$(VENV)/.development: $(VENV)/.runtime requirements/development.txt
	$(VENV)/bin/uv pip install --quiet --python $(PY) --require-hashes -r requirements/development.txt
	@touch $@

$(VENV)/.system: requirements/system.txt scripts/install_test_packages.sh $(VENV)/.bootstrap
	scripts/install_test_packages.sh requirements/system.txt
	@touch $@

$(VENV)/.peers: requirements/peers/package-lock.json scripts/install_test_peers.sh $(VENV)/.development
	scripts/install_test_peers.sh $(CURDIR)/$(VENV) $(CURDIR)/$(VENV)/peers
	@touch $@

demo: setup ## the main job: an agent edits, commits and pushes with a brokered credential
	$(PY) -I -m composition.cli demo $(ARGS)

run: setup ## start the server
	$(PY) -I -m composition.cli serve $(ARGS)

test: develop $(VENV)/.system $(VENV)/.peers ## run every test, in parallel
	$(PY) -m pytest -q -n $(JOBS) $(ARGS)

lint: develop ## formatting, rules, types and the contracts of the floors
	$(VENV)/bin/ruff format --check $(LINTED)
	$(VENV)/bin/ruff check $(LINTED)
	$(PY) scripts/check_functions.py $(LINTED)
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: develop ## rewrite the formatting and the fixable rules
	$(VENV)/bin/ruff format $(LINTED)
	$(VENV)/bin/ruff check --fix $(LINTED)

bench: develop ## measure each path against a reference, in the same run
	$(PY) -m bench $(ARGS)

soak: develop $(VENV)/.system $(VENV)/.peers ## the repetitions that prove what one run only suggests
	KANDEV_SOAK=1 $(PY) -m pytest -q -n $(JOBS) -m soak $(ARGS)
