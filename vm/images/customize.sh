#!/bin/sh
# Runs inside the new tree, once, after the packages and files are in place. Arguments: user, password, session (desktop or
# none), then units to mask.
set -eu
user=$1 password=$2 session=$3
shift 3
# Tasks written for Google Chrome find Chromium under its names, and its profile in the same place.
if [ -x /usr/bin/chromium ]; then
    ln -s /usr/bin/chromium /usr/bin/google-chrome
    ln -s /usr/bin/chromium /usr/bin/google-chrome-stable
    install -d /etc/skel/.config/chromium
    ln -s chromium /etc/skel/.config/google-chrome
fi
# LibreOffice reads one folder of settings: a link to /etc in Debian 12, a folder of its own in Debian 13.
registry=/usr/lib/libreoffice/share/registry
if [ -d $registry ] && [ ! -e $registry/ambidex.xcd ]; then
    ln -s /etc/libreoffice/registry/ambidex.xcd $registry/
fi
useradd --create-home --shell /bin/bash --uid 1000 --groups audio,video "$user"
printf '%s:%s\n' "$user" "$password" | chpasswd
# The guest's own accounts: the door; what its workers are besides the desktop user; who reads the evidence; who runs a
# task's verification program.
for account in ambidex ambidex-worker ambidex-collector ambidex-verifier; do
    useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin "$account"
done
install -d -m 0700 -o ambidex -g ambidex /etc/ambidex
install -d /opt/ambidex
echo ambidex-desk >/etc/hostname
printf '127.0.0.1 localhost ambidex-desk\n' >/etc/hosts
printf 'nameserver 10.0.2.3\noptions timeout:1 attempts:1\n' >/etc/resolv.conf
printf 'LABEL=ambidex-root / ext4 defaults,noatime 0 1\n' >/etc/fstab
printf 'LANG=en_US.UTF-8\n' >/etc/default/locale
if [ -d /usr/share/code ]; then
    # Microsoft's package stands in for the server from npm; the extension that answers the tools is the same.
    served=/opt/programs/node_modules/code-server
    cp -r $served/lib/vscode/extensions/ambidex /usr/share/code/resources/app/extensions/
    rm -rf $served /usr/local/bin/code
    sed -i 's,/usr/local/bin/code,/usr/bin/code,' /usr/share/applications/code.desktop
fi
systemctl enable systemd-networkd.service ambidex-layer.service
if [ "$session" = desktop ]; then
    sed -i "s/^autologin-user=.*/autologin-user=$user/" /etc/lightdm/lightdm.conf.d/50-ambidex.conf
    dconf update
    systemctl enable lightdm.service
    systemctl set-default graphical.target
else
    touch /etc/ambidex/headless
    systemctl set-default multi-user.target
fi
systemctl disable ssh.service 2>/dev/null || true
for unit in "$@"; do
    case $unit in
        user/*)
            unit=${unit#user/}
            systemctl --global mask "$unit"
            # A sandbox runs the session without systemd: neither autostart nor the bus may bring it up there.
            entry=/etc/xdg/autostart/${unit%.service}.desktop
            [ ! -f "$entry" ] || echo Hidden=true >>"$entry"
            { grep -lx "SystemdService=$unit" /usr/share/dbus-1/services/*.service || true; } |
                xargs -r sed -i 's,^Exec=.*,Exec=/bin/false,'
            ;;
        *) systemctl mask "$unit" ;;
    esac
done
rm -f /etc/ssh/ssh_host_*
: >/etc/machine-id
for seed in /usr/share/ambidex/seeds/*; do
    [ ! -f "$seed" ] || "$seed" "$user"
done
rm -rf /usr/share/ambidex/seeds
for unit in /etc/systemd/system/ambidex-service-*.service; do
    [ ! -f "$unit" ] || systemctl enable "${unit##*/}"
done
