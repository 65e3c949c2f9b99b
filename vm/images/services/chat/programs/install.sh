#!/bin/sh
# Runs in a tree for building, in /opt/services/chat: installs the server, and makes `page`, the files of the web client.
set -eu
export HOME=/tmp npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
python3 -m venv --without-pip python
python3 -m pip --disable-pip-version-check --python python/bin/python install --quiet --no-deps --only-binary=:all: \
    --require-hashes --requirement requirements.lock
npm ci --ignore-scripts
client=node_modules/hydrogen-view-sdk
mkdir page
# The library of encryption is left out: no room is encrypted.
echo >none.js
node_modules/@esbuild/linux-x64/bin/esbuild chat.js --bundle --format=esm --minify --log-level=error \
    --alias:@matrix-org/olm/olm.js=./none.js --outfile=page/chat.js
cp -r $client/asset-build/assets page/
cp $client/lib-build/sw.js index.html page/
rm -rf node_modules none.js
