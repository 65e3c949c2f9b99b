#!/bin/sh
# Gives Redmine's database a place of its own, and people.
set -eu
state=/var/lib/redmine/default
# A copy by SQLite, since part of the database may still be in its journal.
python3 -c 'import sqlite3, sys; old, new = map(sqlite3.connect, sys.argv[1:]); old.backup(new)' \
    /var/lib/dbconfig-common/sqlite3/redmine/instances/default/redmine_default $state/redmine.sqlite
chown www-data: /var/lib/redmine $state $state/redmine.sqlite*
chmod 0700 /var/lib/redmine
cat >/etc/redmine/default/database.yml <<END
production:
  adapter: sqlite3
  database: $state/redmine.sqlite
  timeout: 30000
END
cd /usr/share/redmine
setpriv --reuid=www-data --regid=www-data --init-groups -- env HOME=/tmp RAILS_ENV=production REDMINE_INSTANCE=default SEED_USER="$1" \
    bundle exec rails runner /usr/share/ambidex/tracker/seed.rb
