# make demo   sets everything up, then runs the demo suite on a real desktop machine and prints the table
# make test   sets everything up, then runs the tests: those without a desktop, those on sandbox desktops, those on virtual machines
IMAGE ?= debian-12
RUN ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
AMBIDEX = .venv/bin/ambidex
TOGETHER = $(MAKE) --no-print-directory --jobs 2 --keep-going --output-sync=recurse

# Tests start hundreds of Pythons: what they import is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-plain test-conformance test-tools test-desks test-foundry test-vm test-boots
.PHONY: bench setup image browser

setup:
	@vm/setup.sh

image: setup
	@$(AMBIDEX) image build $(IMAGE) $(if $(MIRROR),--mirror $(MIRROR))

demo: image
	$(AMBIDEX) run tasks/demo --image $(IMAGE) --agent oracle --condition hybrid --out $(RUN)

browser: setup
	@vm/setup.sh chromium

test: browser
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	$(TOGETHER) image test-plain
	$(TOGETHER) test-conformance test-tools test-desks test-foundry
	$(TOGETHER) test-vm test-boots

test-plain:
	.venv/bin/mypy
	.venv/bin/pytest -m "not sandbox and not vm" --numprocesses auto

# On sandbox desktops, the long ones first; the tests of tools say together what is proved, so they
# are in one process.
LONG = tests/desktop/test_experiment.py tests/desktop/test_foundry.py
test-conformance:
	.venv/bin/pytest tests/conformance -m sandbox
test-tools:
	.venv/bin/pytest tests/desktop -m "sandbox and tools"
test-desks:
	.venv/bin/pytest tests/desktop tests/sandbox -m "sandbox and not tools" $(LONG:%=--ignore=%)
test-foundry:
	.venv/bin/pytest $(LONG)

# On virtual machines; those that boot from cold need no template, and run beside its boot.
test-vm:
	.venv/bin/pytest tests/conformance tests/vm -m vm --ignore=tests/vm/test_boots.py
test-boots:
	.venv/bin/pytest tests/vm/test_boots.py

bench: image
	@.venv/bin/python -m bench
