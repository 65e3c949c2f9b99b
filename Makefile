# make demo   sets everything up, then runs the demo suite on a real desktop machine and prints the table
# make test   sets everything up, then runs the tests: those without a desktop, those on sandbox desktops, those on virtual machines
IMAGE ?= debian-12
RUN ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
AMBIDEX = .venv/bin/ambidex

.PHONY: demo test test-tools test-desks bench setup image browser

setup:
	@vm/setup.sh

image: setup
	@$(AMBIDEX) image build $(IMAGE) $(if $(MIRROR),--mirror $(MIRROR))

demo: image
	$(AMBIDEX) run tasks/demo --image $(IMAGE) --agent oracle --condition hybrid --out $(RUN)

browser: setup
	@vm/setup.sh chromium

test: image browser
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/pytest -m "not sandbox and not vm" --numprocesses auto
	$(MAKE) --jobs 2 --keep-going --output-sync=recurse test-tools test-desks
	.venv/bin/pytest tests/conformance tests/vm -m vm

# On sandbox desktops: the tests of tools, which say together what is proved, and beside them the others.
test-tools:
	.venv/bin/pytest tests/desktop -m "sandbox and tools"
test-desks:
	.venv/bin/pytest tests/conformance tests/desktop tests/sandbox -m "sandbox and not tools"

bench: image
	@.venv/bin/python -m bench
