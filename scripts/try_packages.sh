#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Usage: try_packages.sh FOLDER [ROOT]
# Unpacks the Debian packages and the tarballs in FOLDER, runs the program, and builds the first
# lesson with the library. With ROOT, the root folder of a Debian system (debootstrap), apt-get also
# installs the packages there, and they are tried inside.
set -euo pipefail
packages=$(realpath "$1")
root=${2:-}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try FOLDER: tests the files of an unpacked /usr.
try() {
  local usr=$1
  "$usr/bin/slackline" --version
  for file in share/man/man1/slackline-multilabel-train.1 share/doc/slackline/copyright \
    share/bash-completion/completions/slackline include/slackline/slackline.h; do
    [ -f "$usr/$file" ] || [ -f "$usr/$file.gz" ] || { echo "$file is missing"; exit 1; }
  done
  local pc
  pc=$(dirname "$(find "$usr" -name slackline.pc)")
  # shellcheck disable=SC2046
  g++ -std=c++20 apps/examples/01_first_model.cc -o "$work/lesson" \
    $(PKG_CONFIG_PATH=$pc pkg-config --define-prefix --cflags --libs slackline)
  LD_LIBRARY_PATH=$(dirname "$pc") bash apps/examples/check_output.sh "$work/lesson" apps/examples/01_first_model.expected
}

echo "Debian packages, unpacked:"
mkdir "$work/deb"
for package in "$packages"/*.deb; do
  dpkg-deb --info "$package" | grep -E '^ (Package|Version|Depends):'
  dpkg-deb -x "$package" "$work/deb"
done
try "$work/deb/usr"

echo "tarballs, unpacked:"
mkdir "$work/tar"
for package in "$packages"/*.tar.gz; do tar -xzf "$package" -C "$work/tar" --strip-components=1; done
if [ -d "$work/tar/usr" ]; then try "$work/tar/usr"; else try "$work/tar"; fi

if [ -n "$root" ]; then
  echo "installed in $root:"
  cp "$packages"/*.deb apps/examples/01_first_model.cc "$root/tmp/"
  # shellcheck disable=SC2016
  chroot "$root" sh -ec '
    apt-get install -y --no-install-recommends /tmp/*.deb g++ pkg-config > /tmp/install.log 2>&1 || { cat /tmp/install.log; exit 1; }
    slackline --version
    g++ -std=c++20 /tmp/01_first_model.cc -o /tmp/lesson $(pkg-config --cflags --libs slackline)
    /tmp/lesson'
fi
