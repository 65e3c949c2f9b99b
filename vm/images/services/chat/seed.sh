#!/bin/sh
# Makes the account and the server's secrets. Whoever has the token of `colleagues.yaml` can act as anybody in the chat: only
# the chat and the colleagues have it.
set -eu
state=/var/lib/chat
word() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin chat
install -d -m 0700 -o chat -g chat $state
as_token=$(word) hs_token=$(word)
umask 077
printf 'ed25519 a_firm %s\n' "$(head -c 32 /dev/urandom | base64 | tr -d =)" >$state/signing.key
cat >$state/secrets.yaml <<END
registration_shared_secret: $(word)
macaroon_secret_key: $(word)
form_secret: $(word)
END
cat >$state/colleagues.yaml <<END
id: colleagues
url: http://127.0.0.1:8087
as_token: $as_token
hs_token: $hs_token
sender_localpart: firm
rate_limited: false
namespaces:
  users: [{ exclusive: false, regex: "@.*" }]
  aliases: [{ exclusive: false, regex: "#.*" }]
  rooms: []
END
printf '{"as_token": "%s", "hs_token": "%s"}\n' "$as_token" "$hs_token" >/var/lib/colleagues/tokens.json
chown -R chat: $state
chown colleagues: /var/lib/colleagues/tokens.json
