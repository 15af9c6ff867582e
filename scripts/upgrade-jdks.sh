#!/bin/sh
# Brings the JDKs that are installed from packages up to date, as root on Debian or Ubuntu;
# elsewhere it does nothing. For machines that run the tests, not for those of users.
set -eu

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    exit 0
fi
installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' \
    'openjdk-*' 'temurin-*' 'default-j*' 2>/dev/null | sed -n 's/^ii *//p' || true)
[ -n "$installed" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # a list of package names
apt-get install -y -qq --no-install-recommends --only-upgrade $installed
