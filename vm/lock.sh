#!/usr/bin/env bash
# Regenerates the lock files: the version of every Python package, with the SHA-256 of each of its files on any index.
#   host/requirements.lock   the host: pyproject.toml and its dependencies; Python 3.11 and later, Linux
#   vm/build.lock            build dependencies of source packages and of this project, and uv, which installs the others
#   docs/requirements.lock   tools that build the site of docs/ (`make docs`), in an environment of its own
#   guest/requirements.lock  the guest: guest/requirements.txt and its dependencies; Python 3.10 and later
#   tests/outside/locks/*.lock  programs in environments of their own that play on our desktops; Harbor's Python is 3.12
#   vm/images/programs/*/requirements*.lock  MCP servers of images; Debian 13's Python
#   vm/images/services/*/programs/requirements.lock  services that Debian does not package
# Locked versions stay as they are unless a requirement rules them out.
#   vm/lock.sh                     after a change of pyproject.toml or guest/requirements.txt
#   vm/lock.sh --upgrade           upgrade every package
#   vm/lock.sh -P NAME             upgrade one package
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/uv ] || { printf 'ambidex: uv is not installed\n  fix: run vm/setup.sh, which installs it into .venv\n' >&2; exit 1; }

lock() {
    UV_CUSTOM_COMPILE_COMMAND=vm/lock.sh .venv/bin/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-emit-index-url "$@" >/dev/null
}
requirements() { .venv/bin/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))$1, sep='\n')"; }
{ requirements '["build-system"]["requires"]'; echo uv; } | lock "$@" --python-version 3.11 -o vm/build.lock -
requirements '["project"]["optional-dependencies"]["docs"]' | lock "$@" --python-version 3.11 -o docs/requirements.lock -
lock "$@" --python-version 3.11 --extra dev --extra minilm -o host/requirements.lock pyproject.toml
# PyAutoGUI requires python3-xlib, an old fork of python-xlib under the same module name: leave it out.
lock "$@" --python-version 3.10 --no-emit-package python3-xlib -o guest/requirements.lock guest/requirements.txt
echo 'harbor>=0.25,<0.26' | lock "$@" --python-version 3.12 -o tests/outside/locks/harbor.lock -
echo 'openenv>=0.10,<0.11' | lock "$@" --python-version 3.11 -o tests/outside/locks/openenv.lock -
echo 'verifiers>=0.3,<0.4' | lock "$@" --python-version 3.11 -o tests/outside/locks/verifiers.lock -
for asked in vm/images/programs/*/requirements*.txt vm/images/services/*/programs/requirements.txt; do
    overrides=$(dirname "$asked")/overrides.txt
    lock "$@" --python-version 3.13 $([ ! -f "$overrides" ] || echo --override "$overrides") -o "${asked%.txt}.lock" "$asked"
done
