#!/bin/sh
# Makes the account. The program itself is in /opt/programs, and its state in memory only.
set -eu
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin moto
