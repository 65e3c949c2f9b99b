# make demo   sets everything up, then runs the demo suite on a real desktop machine and prints the table
# make test   sets everything up, then runs the tests: those without a desktop, those on sandbox desktops, those on virtual machines
IMAGE ?= debian-12
RUN ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
AMBIDEX = .venv/bin/ambidex

.PHONY: demo test bench setup image browser

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
	.venv/bin/pytest tests/conformance tests/desktop tests/sandbox -m sandbox --numprocesses 2 --dist loadgroup
	.venv/bin/pytest tests/conformance tests/vm -m vm

bench: image
	@.venv/bin/python -m bench
