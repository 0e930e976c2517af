#!/usr/bin/env bash
# usage: foreign_encoding_test.sh SOURCE_FOLDER TABLES CACHE
# The tables of Arm and POWER against libpfm4 of those architectures: its package is fetched, linked statically and run
# under QEMU. Nothing is installed; CACHE keeps what was fetched. Exit 77: nothing could be done.
set -u
here=$1 tables=$2 cache=$3
ran=0 failed=0

has() {  # PROGRAM...
  local program
  for program in "$@"; do command -v "$program" > /dev/null || return 1; done
}

# The host's own mirror, without its updates: those are not always in step with each other.
sources() {  # ARCHITECTURE
  local keys=
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] && keys=" signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    while read -r site release component; do
      case $release in *-*) continue ;; esac
      echo "deb [arch=$1$keys] $site $release $component"
    done
}

# Fetches what a static program of ARCHITECTURE that uses libpfm4 is linked from. Prints why not.
fetch() {  # ARCHITECTURE FOLDER
  local architecture=$1 folder=$2 gcc
  [ -e "$folder/complete" ] && return
  has apt-get dpkg || { echo "no apt-get here"; return 1; }
  gcc=$(gcc -dumpversion 2> /dev/null) || { echo "no gcc here to tell the version of its library"; return 1; }
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/parts" "$folder/packages" "$folder/root"
  : > "$folder/status"
  sources "$architecture" > "$folder/sources.list"
  local apt=(timeout 150 apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
    -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder" -o "Dir::State::status=$folder/status"
    -o "Dir::Etc::sourcelist=$folder/sources.list" -o "Dir::Etc::sourceparts=$folder/parts"
    -o Debug::NoLocking=1 -o "APT::Sandbox::User=root")
  "${apt[@]}" update > "$folder/log" 2>&1 || { echo "no lists of packages for it: $(tail -1 "$folder/log")"; return 1; }
  (cd "$folder/packages" && "${apt[@]}" download libpfm4-dev libc6-dev libc6 "libgcc-${gcc%%.*}-dev" linux-libc-dev) \
    > "$folder/log" 2>&1 || { echo "no packages for it: $(tail -1 "$folder/log")"; return 1; }
  local package
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/root" || { echo "can't unpack $package"; return 1; }; done
  touch "$folder/complete"
}

check() {  # NAME DEBIAN_ARCHITECTURE TARGET QEMU...
  local name=$1 architecture=$2 target=$3 folder=$cache/$2 why
  shift 3
  has "$1" || { echo "skipped $name: no $1 (install qemu-user)"; return; }
  has clang ld.lld || { echo "skipped $name: no clang with lld"; return; }
  why=$(fetch "$architecture" "$folder") || { echo "skipped $name: $why"; return; }
  clang --target="$target" --sysroot="$folder/root" -fuse-ld=lld -static -O1 "$here/pfm_encode.c" -lpfm -o "$folder/pfm_encode" \
    || { echo "FAILED: $name: pfm_encode does not link"; failed=1; return; }
  ran=1
  python3 "$here/encoding_test.py" "$tables" "$here/encoding_exceptions.json" "$name" "$@" "$folder/pfm_encode" || failed=1
}

check arm arm64 aarch64-linux-gnu qemu-aarch64
check power ppc64el powerpc64le-linux-gnu qemu-ppc64le -cpu power9

[ "$failed" -ne 0 ] && exit 1
[ "$ran" -eq 0 ] && exit 77
exit 0
