#!/bin/sh
# collect.sh OUT [DEVICE…]: records what Mesa's Vulkan drivers write for each situation, on a machine without a GPU.
#
#   OUT/DEVICE.txt    what probe and the driver said: `syncscope judge --packets OUT/DEVICE.txt`
#   OUT/situations/   the situations, as `syncscope judge --emit-situations` writes them
#
# SYNCSCOPE=…  the program (default: syncscope)
# TREE=…       drivers and headers that tree.sh unpacked (default: those of this machine)
# MESA=…       a folder with libvulkan_….so of a build of your own; with TREE its libraries are those of TREE
#
# Without DEVICE, every device is recorded for which there is a driver. Needs gcc, glslang-tools, libvulkan-dev and libdrm-dev.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?folder for the recordings}; shift
tree=${TREE:-}
mkdir -p "$out/bin"; out=$(cd "$out" && pwd)

# Debian 12's headers of the kernel know i915 and amdgpu well enough, and nothing else.
old=; [ -n "$tree" ] || [ -e /usr/include/drm/xe_drm.h ] || old=yes

build() {
  for kind in comp vert frag; do
    glslangValidator -V --target-env vulkan1.1 --vn spv_$kind -o "$out/bin/$kind.h" "$here/work.$kind" > /dev/null
  done
  cat "$out/bin/comp.h" "$out/bin/vert.h" "$out/bin/frag.h" > "$out/bin/shaders.h"
  if [ -n "$tree" ]; then headers="-I$tree/usr/include/drm -I$tree/usr/include -I/usr/include/libdrm"
  elif [ -z "$old" ]; then headers="-I/usr/include/drm -I/usr/include/libdrm"
  else headers="-DSHIM_OLD_HEADERS -I/usr/include/drm -I/usr/include/libdrm"; fi
  # shellcheck disable=SC2086
  gcc -O1 -Wall -shared -fPIC $headers -o "$out/bin/shim.so" "$here"/shim*.c -ldl
  gcc -O1 -Wall -I"$out/bin" -o "$out/bin/probe" "$here/probe.c" -ldl
}

# Where drivers are, in the order in which they are looked for.
folders() { for folder in ${MESA:-} "$tree"/usr/lib/*-linux-gnu; do echo "$folder"; done; }
library() { folders | while read -r folder; do if [ -e "$folder/libvulkan_$1.so" ]; then echo "$folder/libvulkan_$1.so"; break; fi; done; }

run() { # run DEVICE DRIVER [OPTION]
  device=$1 driver=$(library "$2"); shift 2
  paths=$(folders | tr '\n' ':')
  if [ -n "$tree" ]; then
    SHIM=$device timeout 600 "$tree"/usr/lib/*-linux-gnu/ld-linux-*.so.? --preload "$out/bin/shim.so" --library-path "${paths%:}" "$out/bin/probe" "$driver" "$@"
  else
    SHIM=$device LD_PRELOAD=$out/bin/shim.so LD_LIBRARY_PATH=${MESA:-} timeout 600 "$out/bin/probe" "$driver" "$@"
  fi < "$out/situations/situations.txt" > "$out/$device.txt" 2>&1 || true
  count() { grep -c "^@@ .* $1\$" "$out/$device.txt" || true; }
  echo "$device: $(count done) recorded, $(count crashed) crashed, $(count noqueue) without such a queue ($(sed -n 's/^@device .* | //p' "$out/$device.txt" | head -1))"
}

go() { # go DEVICE: what its driver needs to say what it writes
  case $1 in
    skl|tgl|adl|dg2) want "$1" intel && ANV_QUEUE_OVERRIDE=gc=1,c=1 INTEL_DEBUG=pc run "$1" intel ;; # compute queues are off there
    lnl|bmg) want "$1" intel && INTEL_DEBUG=pc run "$1" intel ;;
    vega10|navi10|navi21|navi31|gfx1201) want "$1" radeon && run "$1" radeon -r ;;
    tu102|ga102|ad102) want "$1" nouveau && run "$1" nouveau -n ;;
    a630|a660|a740|a750) want "$1" freedreno && run "$1" freedreno -t ;;
    *) echo "collect.sh: there is no device $1" >&2; exit 1 ;;
  esac
}
want() { # want DEVICE DRIVER
  case $old$1 in yesskl|yestgl|yesadl|yesdg2|yesvega*|yesnavi*|yesgfx*) ;; yes*) echo "$1: the kernel's headers are too old, and TREE is not set"; return 1 ;; esac
  [ -n "$(library "$2")" ] || { echo "$1: there is no libvulkan_$2.so"; return 1; }
}

build
"${SYNCSCOPE:-syncscope}" judge --emit-situations "$out/situations"
[ $# -gt 0 ] || set -- skl tgl dg2 lnl bmg vega10 navi10 navi21 navi31 gfx1201 tu102 ga102 ad102 a630 a660 a740 a750
for device; do go "$device" || true; done
