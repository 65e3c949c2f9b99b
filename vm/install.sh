#!/usr/bin/env bash
# vm/install.sh PYTHON OPTIONS…   installs the packages of a lock file (-r FILE) into the environment of that Python, and checks
# the hash of each. uv takes a fraction of pip's processor time, but does not read pip's settings: where it cannot reach the
# package index, pip installs the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
shift
options=(--require-hashes --no-deps "$@")
if .venv/bin/uv pip install --quiet --python "$python" "${options[@]}"; then exit; fi
echo "uv could not install the packages (see above); installing them with pip" >&2
"$python" -m pip --quiet --disable-pip-version-check install --no-compile "${options[@]}"
