#!/usr/bin/env bash
# usage: command_test.sh ROOFMARK DOCS
# `roofmark machine` on this machine: its JSON, its store, and the ways in which a store fails.
set -u
roofmark=$1 docs=$2
folder=$(mktemp -d)
trap 'chmod -R u+rwX "$folder"; rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
export XDG_CACHE_HOME=$folder/cache
unset ROOFMARK_MACHINE_FILE

"$roofmark" machine --quick --json > "$folder/first.json" 2> "$folder/first.err" || fail "exit status $?"
[ -s "$folder/first.err" ] && fail "something on stderr without a terminal: $(cat "$folder/first.err")"

support=$(dirname "${BASH_SOURCE[0]}")/../support
PYTHONPATH=$support python3 - "$folder/first.json" "$docs/machine.schema.json" <<'PY' || fail "the JSON"
import sys
import schema
document = schema.load(sys.argv[1])
if schema.Validator:
    errors = schema.Schema(sys.argv[2]).errors(document)
    assert not errors, errors[:5]
else:
    print(f"note: {schema.missing}: required fields alone are checked")
    for ceiling in document["ceilings"]:
        for field in schema.load(sys.argv[2])["$defs"][ceiling["kind"]]["required"]:
            assert field in ceiling, field
if any("no measuring kernels" in note for note in document["notes"]):
    sys.exit(0)
compute = [c for c in document["ceilings"] if c["kind"] == "compute"]
bandwidth = [c for c in document["ceilings"] if c["kind"] == "bandwidth"]
assert {c["scope"] for c in compute} >= {"core", "machine"}
assert {c["precision"] for c in compute} == {"f64", "f32"}
assert {"fma", "add", "mul", "muladd", "div", "sqrt"} >= {c["op"] for c in compute} >= {"add", "mul", "muladd", "div", "sqrt"}
for scope in ("core", "machine"):
    # However little time there is: fewer windows, not fewer ceilings.
    memory = [c for c in bandwidth if not c["level"].startswith("L") and c["scope"] == scope]
    assert {c["pattern"] for c in memory} >= {"read", "write", "copy", "triad"}, scope
    assert {c["level"] for c in bandwidth if c["scope"] == scope} >= {c["level"] for c in document["topology"]["caches"][:1]}, scope
for cache in document["topology"]["caches"][:1]:
    assert any(c["level"] == cache["level"] for c in bandwidth), cache
for c in compute + bandwidth:
    assert c["source"] == "measured" and c["low"] <= c["high"], c
for c in bandwidth:
    factor = c["interface_bytes_per_s"] / c["program_bytes_per_s"]
    wanted = 1 if c["level"] == "L1" else {"write": 2, "copy": 1.5, "triad": 4 / 3}.get(c["pattern"], 1)
    assert abs(factor - wanted) < 1e-9, c
print(f"{len(compute)} compute and {len(bandwidth)} bandwidth ceilings")
PY

# The second time nothing is measured: the same moment, other than the notes the same document.
"$roofmark" machine --quick --json > "$folder/second.json" || fail "second run"
python3 - "$folder/first.json" "$folder/second.json" <<'PY' || fail "the store was not used"
import json, sys
first, second = (json.load(open(path)) for path in sys.argv[1:])
assert first["measured_at"] == second["measured_at"] and first["ceilings"] == second["ceilings"]
PY

# A given file is used as it is; one that is none is one line and exit status 2.
ROOFMARK_MACHINE_FILE=$folder/first.json HOME='' XDG_CACHE_HOME='' "$roofmark" machine --json > "$folder/given.json" || fail "given file"
cmp -s "$folder/first.json" "$folder/given.json" || fail "the given file came back changed"
echo '{' > "$folder/broken.json"
ROOFMARK_MACHINE_FILE=$folder/broken.json "$roofmark" machine > "$folder/out" 2> "$folder/err"
[ $? -eq 2 ] || fail "a broken machine file must end with 2"
[ "$(wc -l < "$folder/err")" -eq 1 ] || fail "a broken machine file must be one line: $(cat "$folder/err")"

# A damaged store is one note, and measured again.
for file in "$XDG_CACHE_HOME"/roofmark/machine-*.json; do echo '{"schema": 1' > "$file"; done
"$roofmark" machine --quick > "$folder/damaged.txt" || fail "damaged store"
grep -q "can't be read" "$folder/damaged.txt" || fail "a damaged store is not mentioned"
"$roofmark" machine --quick --ascii > "$folder/mended.txt" || fail "mended store"
grep -q "can't be read" "$folder/mended.txt" && fail "the damaged store was not replaced"

# Without a place to keep it, it is measured all the same.
touch "$folder/file"
XDG_CACHE_HOME=$folder/file "$roofmark" machine --quick > "$folder/unkept.txt" || fail "no folder for the store"
grep -q "can't be kept" "$folder/unkept.txt" || fail "an unwritable store is not mentioned"
env -u HOME -u XDG_CACHE_HOME "$roofmark" machine --quick > "$folder/homeless.txt" || fail "no HOME"
tr -s '\n ' ' ' < "$folder/homeless.txt" | grep -q "not kept" || fail "a missing HOME is not mentioned"

# A locale with decimal commas changes no number; a closed output is a failure that is told.
if locale -a 2> /dev/null | grep -qi '^de_DE.utf'; then
  LC_ALL=de_DE.UTF-8 ROOFMARK_MACHINE_FILE=$folder/first.json "$roofmark" machine --json | cmp -s - "$folder/first.json" || fail "locale"
fi
"$roofmark" machine --file "$folder/first.json" > /dev/full 2> "$folder/err" && fail "a full output must not end with 0"
[ -s "$folder/err" ] || fail "a full output is not told"
"$roofmark" machine --file "$folder/first.json" --format svg -o "$folder/chart.svg" || fail "svg"
python3 -c 'import sys, xml.dom.minidom as m; assert m.parse(sys.argv[1]).documentElement.tagName == "svg"' "$folder/chart.svg" || fail "the SVG"
awk 'length($0) > 80 { print "too long: " $0; bad = 1 } END { exit bad }' "$folder/mended.txt" || fail "80 columns"

[ "$failures" -eq 0 ] && echo "roofmark machine: all well"
exit "$((failures != 0))"
