#!/bin/sh
# Runs inside a tree for building, in /opt/programs: installs requirements.lock into an environment there.
set -eu
python3 -m venv --without-pip python
python3 -m pip --disable-pip-version-check --python python/bin/python install --quiet --no-deps --only-binary=:all: \
    --require-hashes --requirement requirements.lock
