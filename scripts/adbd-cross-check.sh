#!/bin/sh
# The driver and the device scripts against a real adbd (Debian's), as a cross-check of the
# virtual board. Usage, as root: scripts/adbd-cross-check.sh ROOT
# ROOT is a folder with Debian's packages adbd, mksh and toybox and what they depend on, as
# debootstrap makes it, or `apt-get download` and `dpkg -x` (they are in trixie; bookworm has no
# adbd). Tools of toybox, fakes of Android's commands and a battery are put into it.
set -eu
cd "$(dirname "$0")/.."
root=${1:?'usage: scripts/adbd-cross-check.sh ROOT'}
port=${WATTLINE_ADBD_PORT:-41555}

for folder in bin sbin lib lib64; do
    [ -e "$root/$folder" ] || ln -s "usr/$folder" "$root/$folder"
done
mkdir -p "$root/dev/pts" "$root/proc" "$root/tmp" "$root/data/local/tmp" "$root/system"
[ -e "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
[ -e "$root/dev/urandom" ] || mknod -m 666 "$root/dev/urandom" c 1 9
[ -e "$root/system/bin" ] || ln -s ../usr/bin "$root/system/bin"
ln -sf mksh "$root/usr/bin/sh"
for tool in $(chroot "$root" /usr/bin/toybox); do
    case $tool in
    reboot | mount | umount | halt | poweroff | insmod | rmmod) ;;
    *) [ -e "$root/usr/bin/$tool" ] || ln -s toybox "$root/usr/bin/$tool" ;;
    esac
done
for fake in tests/it/device/fakes/*; do
    rm -f "$root/usr/bin/${fake##*/}" # not through a link to toybox
    cp "$fake" "$root/usr/bin/${fake##*/}"
done
: >"$root/log"
battery=$root/sys/class/power_supply/battery
mkdir -p "$battery"
echo Battery >"$battery/type"
echo Discharging >"$battery/status"
echo -250000 >"$battery/current_now"
echo 4000000 >"$battery/voltage_now"

libraries=/usr/lib/$(uname -m)-linux-gnu/android
inside="mount --bind /proc '$root/proc' && exec chroot '$root' /usr/bin/toybox env -i \
PATH=/usr/bin ADBD_PORT=$port LD_LIBRARY_PATH=$libraries /usr/lib/android-sdk/platform-tools/adbd"
unshare -m sh -c "$inside" >"$root/adbd.log" 2>&1 </dev/null &
adbd=$!
# A session waits for a new value at its end.
(
    microvolts=4000000
    while sleep 0.2; do
        microvolts=$((microvolts + 1))
        echo $microvolts >"$battery/next" && mv "$battery/next" "$battery/voltage_now"
    done
) &
trap 'kill $adbd $!' EXIT
sleep 2
kill -0 $adbd || { cat "$root/adbd.log" && exit 1; }
WATTLINE_TEST_ADBD=127.0.0.1:$port cargo test --workspace --locked --test it real_adbd -- --nocapture
