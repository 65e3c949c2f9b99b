#!/bin/sh
# Runs inside a tree for building, of the same release as the image: puts the servers of package.json and
# requirements.lock, and VS Code, into /opt/programs. Needs the registries of npm and Python; the image itself never does.
set -eu
cd /opt/programs
sh ./vscode.sh
export HOME=/tmp
sh ./python.sh
chmod -R u=rwX,go=rX .
