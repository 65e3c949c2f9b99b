# make demo   sets everything up, then runs the demo suite on a real desktop machine and prints the table
# make test   sets everything up, then runs the tests: those without a desktop, those on sandbox desktops, those on virtual machines
# make attack of these, those that attack a verdict, a run or the host
# make docs   builds the site of docs/ into site/; without the network once its packages are there
# make test-wheel  builds the wheel into dist/ and runs it from an environment of its own
IMAGE ?= debian-12
RUN ?= runs/demo-$(shell date +%Y%m%d-%H%M%S)
AMBIDEX = .venv/bin/ambidex
TOGETHER = $(MAKE) --no-print-directory --keep-going --output-sync=recurse --jobs

# Tests start hundreds of Pythons: what they import is compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test attack test-plain test-types test-pages test-host test-rest test-cluster test-services test-company test-desks test-osworld test-vm test-conformance test-tools test-foundry test-experiment test-outside
.PHONY: bench setup image image-services browser outside docs test-wheel

setup:
	@vm/setup.sh

# `make test` has run `setup` before it builds images, and says so with an empty SET_UP. If an image had to wait for `setup`
# again, make would start tests first.
SET_UP = setup
image: $(SET_UP)
	@$(AMBIDEX) image build $(IMAGE) $(if $(MIRROR),--mirror $(MIRROR))

image-services: $(SET_UP)
	@$(AMBIDEX) image build debian-13-services $(if $(MIRROR),--mirror $(MIRROR))

demo: image
	$(AMBIDEX) run tasks/demo --image $(IMAGE) --agent oracle --condition hybrid --out $(RUN)

browser: setup
	@vm/setup.sh chromium-headless-shell

# Environments of the programs that play on our desktops from outside.
outside: $(SET_UP)
	@.ci/outside

# Three of these run at a time, in this order, and each waits for what it needs; two at a time leave
# two processors partly idle. Long stages come early, so that none runs alone at the end. Emulated machines have two
# processors each and slow down beside other work, so their tests run alone, after these.
SIDE_BY_SIDE = image test-pages test-host image-services test-cluster test-rest test-types outside test-desks \
	test-tools test-conformance test-foundry test-osworld test-services test-outside test-experiment
test-desks test-osworld test-tools test-conformance test-foundry test-experiment: image
test-services: image-services
test-outside: image outside

# A stage that fails does not keep the others from running: tests/summary.py says at the end what each
# came to, and fails where one failed, or left no results.
RESULTS = test-results
results = --junit-xml=$(RESULTS)/$(1).xml; status=$$?; mkdir -p $(RESULTS); echo $$status >$(RESULTS)/$(1).status; exit $$status

test: browser
	@rm -rf $(RESULTS)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	! git grep -nE '^(<{7}|>{7}) '
	-$(TOGETHER) 3 $(SIDE_BY_SIDE) SET_UP=
	-$(MAKE) --no-print-directory test-vm
	@.venv/bin/python tests/summary.py $(RESULTS)

# Attacks on verdicts, runs and the host: without a desktop, then on sandbox desktops. Part of `make test`.
attack: image
	.venv/bin/pytest tests/attack -m "not vm"

# Without a desktop. Each process imports only the modules of its own folders.
PAGES = tests/host/room tests/host/report tests/toolgen tests/attack
DESKTOP = $(addprefix tests/,company conformance desktop outside sandbox services)
PLAIN = -m "not sandbox and not vm" -o faulthandler_timeout=240
test-plain:
	$(TOGETHER) 3 test-types test-pages test-host test-rest
test-types:
	.venv/bin/mypy $(call results,types)
test-pages:
	.venv/bin/pytest $(PAGES) $(PLAIN) $(call results,pages)
test-host:
	.venv/bin/pytest tests/host $(PLAIN) $(PAGES:%=--ignore=%) --ignore=$(CLUSTER) $(call results,host)
test-rest:
	.venv/bin/pytest tests $(PLAIN) $(patsubst %,--ignore=%,tests/host $(PAGES) $(DESKTOP)) $(call results,rest)

# Hosts of a cluster are killed, cut off and drained: processes of Ray, which are mostly waited for.
CLUSTER = tests/host/cluster/test_cluster.py
test-cluster:
	.venv/bin/pytest $(CLUSTER) $(call results,cluster)

# On sandbox desktops. The tests of tools say together what is proved, so they are in one process.
# Each file in OWN takes as long as a folder, so it has a process of its own.
OWN = foundry experiment
test-vm:
	.venv/bin/pytest tests/conformance tests/vm tests/attack -m vm $(call results,vm)
test-osworld:
	.venv/bin/pytest $(wildcard tests/desktop/test_osworld_*.py) -m sandbox $(call results,osworld)
test-desks:
	.venv/bin/pytest tests/desktop tests/sandbox tests/attack -m "sandbox and not tools" $(OWN:%=--ignore=tests/desktop/test_%.py) --ignore-glob='tests/desktop/test_osworld_*' $(call results,desks)
test-conformance:
	.venv/bin/pytest tests/conformance -m sandbox $(call results,conformance)
test-outside:
	.venv/bin/pytest tests/outside $(call results,outside)
test-services:
	.venv/bin/pytest tests/services $(call results,services)
# Not part of `make test`: its image takes minutes to build.
test-company:
	.venv/bin/pytest tests/company $(call results,company)
test-tools:
	.venv/bin/pytest tests/desktop -m "sandbox and tools" $(call results,tools)
$(OWN:%=test-%): test-%:
	.venv/bin/pytest tests/desktop/test_$*.py $(call results,$*)

bench: image
	@.venv/bin/python -m bench

test-wheel: setup
	@.ci/wheel

SITE = .venv-docs
$(SITE)/ready: docs/requirements.lock | setup
	.venv/bin/python -m venv --clear $(SITE)
	vm/install.sh $(SITE)/bin/python -r $<
	@touch $@

docs: $(SITE)/ready
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet
