#!/bin/sh
# Makes the account, closes what colleagues know to everybody else, and gives each service a name.
set -eu
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin colleagues
install -d -m 0700 -o colleagues -g colleagues /var/lib/colleagues
echo '{"people": {}, "facts": {}, "places": {}}' >/var/lib/colleagues/people.json
chown colleagues: /var/lib/colleagues/people.json
chmod 0600 /var/lib/colleagues/people.json
chown -R root:colleagues /usr/share/ambidex/colleagues
chmod 0750 /usr/share/ambidex/colleagues
for name in forge tracker cloud chat documents calendar; do
    echo "127.0.0.1 $name.firm.test"
done >>/etc/hosts
