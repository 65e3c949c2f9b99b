#!/bin/sh
# Makes the forge's database, and stores what the desktop user needs to use it: the API token in ~/.config/forge/token, and
# git's name, address and password. The token of `maintainer` may be read by verification programs only.
set -eu
user=$1 home=/home/$1
state=/var/lib/pagure own=/usr/share/ambidex/forge
systemctl mask apache2.service redis-server.service pagure-worker.service pagure-gitolite-worker.service \
    pagure-authorized-keys-worker.service pagure-api-key-expire-mail.timer pagure-mirror-project-in.timer
as() { setpriv --reuid=_pagure --regid=_pagure --init-groups -- "$@"; }
install -d -m 0700 -o _pagure -g _pagure $state
rm -rf $state/.gitolite $state/.gitolite.rc $state/.ssh
as mkdir -p $state/attachments $state/pseudo $state/releases
as sh -c "umask 077; od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >$state/secret"
as env PAGURE_CONFIG=$own/pagure.cfg python3 -W ignore $own/seed.py "$user" $state/token $state/maintainer
install -d -o "$user" -g "$user" "$home/.config" "$home/.config/forge" "$home/.config/git"
install -m 0600 -o "$user" -g "$user" $state/token "$home/.config/forge/token"
install -m 0640 -o root -g ambidex-verifier $state/maintainer $own/maintainer.token
rm $state/token $state/maintainer
cd "$home/.config/git"
cat >config <<END
[user]
	name = User
	email = $user@localhost
[credential]
	helper = store
[init]
	defaultBranch = main
END
echo "http://$user:password@localhost:8081" >credentials
chmod 0600 credentials
chown "$user:" config credentials
install -m 0755 $own/hook.py /usr/lib/python3/dist-packages/pagure/hooks/files/hookrunner
python3 -m compileall -q $own
