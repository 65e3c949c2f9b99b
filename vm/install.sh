#!/usr/bin/env bash
# vm/install.sh PYTHON OPTIONS…   installs the packages of a lock file (-r FILE) into the environment of that Python, checking the
# hash of each. uv needs a fifth of pip's processor time. It does not read pip's settings, so where it cannot reach the
# package index, pip installs the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
shift
options=(--require-hashes --no-deps "$@")
if .venv/bin/uv pip install --quiet --python "$python" "${options[@]}"; then exit; fi
echo "uv could not install them, see above; pip tries" >&2
"$python" -m pip --quiet --disable-pip-version-check install --no-compile "${options[@]}"
