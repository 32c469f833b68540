#!/bin/sh
# tree.sh TREE SUITE…: unpacks Mesa's Vulkan drivers of another suite of Debian, with every library that they need, into TREE. Nothing is
# installed, and nothing of the machine changes: apt works with lists of its own, and dpkg only unpacks.
# The mirror is the one that this machine's apt uses. If several suites are named, the last one's drivers are taken.
set -eu
tree=${1:?folder to unpack into}; shift
: "${1:?name of a suite, such as trixie}"
mkdir -p "$tree"; tree=$(cd "$tree" && pwd)
apt=$tree/.apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/parts" "$apt/preferences"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' 'Origin: Debian' | grep -v security | sort -u | head -1)
: "${mirror:?apt knows no mirror of Debian: run apt-get update}"
for suite; do echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"; done > "$apt/sources.list"
: > "$apt/status"
own() {
  apt-get -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/parts" -o Dir::Etc::preferencesparts="$apt/preferences" \
    -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" \
    -o Dir::Cache::archives="$apt/archives" -o APT::Install-Recommends=false -o Debug::NoLocking=true -o APT::Sandbox::User=root "$@"
}
own update
for suite; do last=$suite; done
own -y --download-only -t "$last" install mesa-vulkan-drivers linux-libc-dev
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$tree"; done
rm -rf "$apt"
ls "$tree"/usr/lib/*/libvulkan_*.so
