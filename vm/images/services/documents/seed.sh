#!/bin/sh
# Makes the account and an empty share.
set -eu
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin documents
install -d -m 0700 -o documents -g documents /var/lib/documents /var/lib/documents/share
