#!/bin/sh
# Runs as root on the machine to provision. Arguments: a folder with ambidex.tar.gz and token, the desktop user, packages.
set -eu
folder=$1 user=$2
shift 2
id "$user" >/dev/null || { echo "no such user on this machine: $user" >&2; exit 1; }
[ ! -d /usr/lib/libreoffice ] || set -- "$@" python3-uno
missing=
for name in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing="$missing $name"
done
if [ -n "$missing" ]; then
    apt-get -q update >&2
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing >&2
fi
for account in ambidex ambidex-worker ambidex-collector ambidex-verifier; do
    id "$account" >/dev/null 2>&1 ||
        useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin "$account"
done
install -d -m 0700 -o ambidex -g ambidex /etc/ambidex
install -m 0600 -o ambidex -g ambidex "$folder/token" /etc/ambidex/token
rm -rf /opt/ambidex.new
install -d /opt/ambidex.new
tar -C /opt/ambidex.new -xzf "$folder/ambidex.tar.gz"
rm -rf /opt/ambidex.old
[ ! -e /opt/ambidex ] || mv /opt/ambidex /opt/ambidex.old
mv /opt/ambidex.new /opt/ambidex
rm -rf /opt/ambidex.old "$folder"
printf 'AMBIDEX_USER=%s\n' "$user" >/etc/ambidex/guest.env
install -m 0644 /opt/ambidex/guest/ambidex-guest.service /etc/systemd/system/ambidex-guest.service
systemctl daemon-reload
systemctl enable ambidex-guest.service
systemctl restart ambidex-guest.service
