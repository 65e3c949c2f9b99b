#!/bin/sh
# Makes the folder of calendars, and who may read and write which.
set -eu
systemctl mask radicale.service
install -d -m 0700 -o radicale -g radicale /var/lib/radicale /var/lib/radicale/collections
