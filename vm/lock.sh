#!/usr/bin/env bash
# Writes the lock files again: the version of every Python package with the SHA-256 of each of its files, whatever index they come from.
#   host/requirements.lock   the host: what pyproject.toml names, and what that needs; Python 3.11 and later, Linux
#   vm/build.lock            what builds those of them that come as source, and installs this project
#   docs/requirements.lock   what builds the site of docs/ (`make docs`), in an environment of its own
#   guest/requirements.lock  the guest: guest/requirements.txt, and what that needs; Python 3.10 and later
# A version that is locked already stays unless something else asks for another one.
#   vm/lock.sh                     after a change of pyproject.toml or guest/requirements.txt
#   vm/lock.sh --upgrade           every package at its newest
#   vm/lock.sh -P NAME             one package at its newest
# Needs uv, which nothing else here does: `pip install uv` into an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v uv >/dev/null || { printf 'ambidex: uv is not here\n  fix: pip install uv into an environment of its own and put it on PATH\n' >&2; exit 1; }

lock() {
    UV_CUSTOM_COMPILE_COMMAND=vm/lock.sh uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url "$@" >/dev/null
}
asks_for() { .venv/bin/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))$1, sep='\n')"; }
asks_for '["build-system"]["requires"]' | lock "$@" --python-version 3.11 -o vm/build.lock -
asks_for '["project"]["optional-dependencies"]["docs"]' | lock "$@" --python-version 3.11 -o docs/requirements.lock -
lock "$@" --python-version 3.11 --extra dev -o host/requirements.lock pyproject.toml
# python3-xlib is an old fork of python-xlib under the same module name: PyAutoGUI asks for it, and must not get it.
lock "$@" --python-version 3.10 --no-emit-package python3-xlib -o guest/requirements.lock guest/requirements.txt
