# shellcheck shell=bash
# Packages of another architecture, fetched from the host's own archive and unpacked, not installed.

has() {  # PROGRAM...
  local program
  for program in "$@"; do command -v "$program" > /dev/null || return 1; done
}

# The host's own mirror, without its updates: those are not always in step with each other.
foreign_sources() {  # ARCHITECTURE
  local keys=
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] && keys=" signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u |
    while read -r site release component; do
      case $release in *-*) continue ;; esac
      echo "deb [arch=$1$keys] $site $release $component"
    done
}

# foreign_packages ARCHITECTURE FOLDER PACKAGE...: unpacked below FOLDER/root, once for each list. "=PACKAGE" is what PACKAGE
# depends on first: the real one behind a name like linux-image-arm64. Prints why not.
foreign_packages() {
  local architecture=$1 folder=$2 package wanted=()
  shift 2
  [ "$(cat "$folder/complete" 2> /dev/null)" = "$*" ] && return
  has apt-get apt-cache dpkg || { echo "no apt-get here"; return 1; }
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/parts" "$folder/packages" "$folder/root"
  : > "$folder/status"
  foreign_sources "$architecture" > "$folder/sources.list"
  local options=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
    -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder" -o "Dir::State::status=$folder/status"
    -o "Dir::Etc::sourcelist=$folder/sources.list" -o "Dir::Etc::sourceparts=$folder/parts"
    -o Debug::NoLocking=1 -o "APT::Sandbox::User=root")
  timeout 150 apt-get -qq "${options[@]}" update > "$folder/log" 2>&1 || { echo "no lists of packages for it: $(tail -1 "$folder/log")"; return 1; }
  for package in "$@"; do
    case $package in
      =*) package=$(apt-cache "${options[@]}" depends "${package#=}" 2> "$folder/log" | awk '/Depends:/ {print $2; exit}')
        [ -n "$package" ] || { echo "the archive lacks a package"; return 1; } ;;
    esac
    wanted+=("$package")
  done
  (cd "$folder/packages" && timeout 300 apt-get -qq "${options[@]}" download "${wanted[@]}") > "$folder/log" 2>&1 ||
    { echo "no packages for it: $(tail -1 "$folder/log")"; return 1; }
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/root" || { echo "can't unpack $package"; return 1; }; done
  echo "$*" > "$folder/complete"
}
