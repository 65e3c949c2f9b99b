#!/usr/bin/env bash
# Installs system packages and a virtual environment in .venv. `make` runs it; running it again is safe.
#   AMBIDEX_BACKPORTS=no   use Debian 12's own QEMU: reverts then take seconds instead of half a second
#   vm/setup.sh PACKAGE…   also install these Debian packages
#   PYTHON=python3.12      the Python to use (3.11 or later)
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
fail() { printf 'ambidex: %s\n' "$1" >&2; [ -z "${2:-}" ] || printf '  fix: %s\n' "$2" >&2; exit 1; }

[ -r /etc/os-release ] || fail "not a supported system: /etc/os-release is missing" "use Debian 12 or later, or Ubuntu 24.04"
. /etc/os-release
case "${ID:-} ${ID_LIKE:-}" in
    *debian* | *ubuntu*) ;;
    *) fail "not a system with apt: ${PRETTY_NAME:-unknown}" "use Debian 12 or later, or Ubuntu 24.04" ;;
esac
if [ "$(id -u)" = 0 ]; then
    as_root=()
elif command -v sudo >/dev/null; then
    as_root=(sudo)
else
    fail "system packages must be installed, but you are not root and sudo is missing" "run this once as root"
fi

machine=(qemu-system-x86 qemu-utils libvirt-daemon-driver-qemu libvirt-dev)
tools=(bubblewrap mmdebstrap debian-archive-keyring squashfs-tools e2fsprogs fakeroot uidmap gcc pkg-config python3-dev python3-venv git tesseract-ocr openssh-client)
[ "$ID" != ubuntu ] || tools+=(ubuntu-keyring)
tools+=("$@")

installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
missing() { local name; for name in "$@"; do installed "$name" || echo "$name"; done; }

# Reverting by fork needs QEMU 8.1. Debian 12 has 10.0 in its backports, which are added if they are not configured yet.
release=()
backports="${VERSION_CODENAME:-}-backports"
wants_backports=no
if [ "${ID}-${VERSION_ID:-}" = debian-12 ] && [ "${AMBIDEX_BACKPORTS:-yes}" != no ]; then
    wants_backports=yes
fi
old_qemu() { ! dpkg --compare-versions "$(dpkg-query -W -f '${Version}' qemu-system-x86 2>/dev/null || echo 0)" ge '1:8.1'; }

mapfile -t need_machine < <(missing "${machine[@]}")
mapfile -t need_tools < <(missing "${tools[@]}")
if [ $wants_backports = yes ] && old_qemu; then
    need_machine=("${machine[@]}")
fi
if [ ${#need_machine[@]} -gt 0 ] || [ ${#need_tools[@]} -gt 0 ]; then
    say "about to install with apt: ${need_machine[*]} ${need_tools[*]}"
    if [ $wants_backports = yes ] && [ ${#need_machine[@]} -gt 0 ]; then
        say "QEMU and libvirt come from $backports, so that a desktop reverts in half a second (AMBIDEX_BACKPORTS=no prevents that)"
        if ! grep -rqs "$backports" /etc/apt/sources.list /etc/apt/sources.list.d; then
            # Use the mirror that this machine uses already.
            uri=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(CREATED_BY)' | awk -v s="$VERSION_CODENAME" '$2 == s && $3 == "Packages" {print $1; exit}')
            [ -n "$uri" ] || fail "no mirror of $VERSION_CODENAME is configured" "add one to /etc/apt/sources.list, or set AMBIDEX_BACKPORTS=no"
            echo "deb $uri $backports main" | "${as_root[@]}" tee /etc/apt/sources.list.d/ambidex-backports.list >/dev/null
        fi
        release=(-t "$backports")
    fi
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get -q update || fail "apt-get update failed" "see the output above: is a mirror unreachable?"
    if [ ${#need_machine[@]} -gt 0 ]; then
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "${release[@]}" install "${need_machine[@]}" ||
            fail "QEMU and libvirt could not be installed" "see the output above; AMBIDEX_BACKPORTS=no uses the release's own versions"
    fi
    if [ ${#need_tools[@]} -gt 0 ]; then
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${need_tools[@]}" ||
            fail "a system package could not be installed" "see the output above"
    fi
fi
if [ -e /dev/kvm ] && [ ! -w /dev/kvm ]; then
    say "note: you may not use /dev/kvm; after '${as_root[*]:-} usermod -aG kvm $(id -un)' and a new login, machines are ten times faster"
fi

python=${PYTHON:-}
if [ -z "$python" ]; then
    for candidate in python3 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            python=$candidate
            break
        fi
    done
fi
[ -n "$python" ] || fail "no Python 3.11 or later with venv was found" "install one (Ubuntu 22.04 has 3.10: python3.11 and python3.11-venv) and set PYTHON"

stamp=.venv/.ambidex
expected=$("$python" --version; sha256sum pyproject.toml host/requirements.lock vm/build.lock vm/setup.sh; pwd)
if [ "$(cat $stamp 2>/dev/null)" != "$expected" ]; then
    say "about to install the Python packages of host/requirements.lock into .venv, checking the hash of each"
    rm -rf .venv
    "$python" -m venv .venv
    # Source packages are built with the locked setuptools: an isolated build would download its own, without a hash.
    # Python compiles what is used; compiling everything at once would take half a minute.
    .venv/bin/python -m pip --disable-pip-version-check install -q --require-hashes -r vm/build.lock &&
        vm/install.sh .venv/bin/python --no-build-isolation -r host/requirements.lock &&
        .venv/bin/python -m pip --disable-pip-version-check install -q --no-build-isolation --no-deps -e . ||
        fail "the Python packages could not be installed" "see the output above: is the package index unreachable, or did a hash not match (vm/lock.sh writes the locks)?"
    # The folders of the repository are the sub-packages of `ambidex`, so a folder of links to them is put on Python's path.
    # An editable install would use an import hook instead, which mypy and `python -S` do not support.
    mkdir -p .venv/src/ambidex
    for name in vm guest host mcp_tools toolgen tasks evaluators; do ln -sfn "../../../$name" ".venv/src/ambidex/$name"; done
    for site in .venv/lib/python3.*/site-packages; do
        rm -f "$site"/__editable__*ambidex*
        echo "$PWD/.venv/src" >"$site/ambidex.pth"
    done
    say "about to unpack the control room's VNC viewer (Debian's package novnc) into .venv, without the dependencies of its own server"
    (
        mkdir -p .venv/share/novnc.deb && cd .venv/share/novnc.deb
        apt-get -q download novnc 2>/dev/null || { "${as_root[@]}" apt-get -q update && apt-get -q download novnc; }
        dpkg-deb -x novnc_*.deb . && rm -rf ../novnc && mv usr/share/novnc ../novnc
    ) || fail "noVNC could not be downloaded" "see the output above: is a mirror unreachable?"
    rm -rf .venv/share/novnc.deb
    printf '%s' "$expected" >$stamp
fi
say "this machine is set up"
