# shellcheck shell=bash
# What the scripts share: the root of the tree, the compiler cache, and steps with a summary at the end.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export root
jobs=$(nproc)
export jobs

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

step_lines=()
steps_failed=0

# step NAME COMMAND...: runs it, keeps how it ended and how long it took; a failure does not stop what follows.
step() {
  local name=$1 status=0 began=$SECONDS
  shift
  printf '\n==== %s\n' "$name"
  "$@" || status=$?
  if [ "$status" -eq 0 ]; then
    step_lines+=("$(printf 'ok      %5d s  %s' $((SECONDS - began)) "$name")")
  else
    step_lines+=("$(printf 'FAILED  %5d s  %s (exit status %d)' $((SECONDS - began)) "$name" "$status")")
    steps_failed=$((steps_failed + 1))
  fi
  return "$status"
}

# skip NAME WHY: a step that can't be done here is named, not passed over.
skip() { step_lines+=("$(printf 'skipped %7s  %s: %s' '' "$1" "$2")"); }

# Prints every step; the exit status of the script.
summary() {
  printf '\n==== Summary (%d s)\n' "$SECONDS"
  printf '%s\n' "${step_lines[@]}"
  [ "$steps_failed" -eq 0 ] && printf 'All steps passed.\n'
  [ "$steps_failed" -eq 0 ]
}

# tracked_files GLOB...: the project's own files, with or without git.
tracked_files() {
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files -- "$@"
  else
    local pattern
    for pattern in "$@"; do
      (cd "$root" && find . -path ./build -prune -o -name "$pattern" -type f -print | sed 's|^\./||')
    done
  fi
}
