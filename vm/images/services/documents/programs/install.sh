#!/bin/sh
# Runs in a tree for building, in /opt/services/documents: installs the file server.
set -eu
export HOME=/tmp
python3 -m venv --without-pip python
python3 -m pip --disable-pip-version-check --python python/bin/python install --quiet --no-deps --only-binary=:all: \
    --require-hashes --requirement requirements.lock
