#!/bin/sh
# Makes the cluster. Its roles: the desktop user, who owns the database `work` and may make roles and databases; `postgres`,
# the superuser, for the accounts of the server and of verification programs; `ambidex_export`, who may only read. Other
# roles, which a task or its verifier makes, log in with their passwords.
set -eu
user=$1
data=/var/lib/postgresql/main programs=/usr/lib/postgresql/17/bin
systemctl disable postgresql.service
# So that an owner of a database may create the extension there.
echo 'trusted = true' >>/usr/share/postgresql/17/extension/vector.control
pg_dropcluster --stop 17 main || true
as() { setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; }
as $programs/initdb --pgdata=$data --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions >/dev/null
cat >>$data/postgresql.conf <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = '/run/postgresql'
shared_buffers = 32MB
max_connections = 50
jit = off
# A machine is kept or dropped as a whole: what the kernel holds of its files is never lost alone.
fsync = off
full_page_writes = off
END
cat >$data/pg_hba.conf <<END
local all "$user",postgres,ambidex_export peer map=accounts
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
END
cat >$data/pg_ident.conf <<END
accounts $user $user
accounts postgres postgres
accounts postgres ambidex_export
accounts ambidex-verifier postgres
END
as $programs/postgres --single -D $data postgres >/dev/null <<END
CREATE ROLE "$user" LOGIN CREATEDB CREATEROLE PASSWORD 'password'
CREATE ROLE ambidex_export LOGIN BYPASSRLS IN ROLE pg_read_all_data
REVOKE CONNECT, TEMPORARY ON DATABASE postgres FROM PUBLIC
REVOKE CONNECT, TEMPORARY ON DATABASE template1 FROM PUBLIC
GRANT CONNECT ON DATABASE postgres TO ambidex_export
CREATE DATABASE work OWNER "$user"
END
