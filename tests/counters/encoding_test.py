#!/usr/bin/env python3
"""Every libpfm4 string of the tables encodes to the numbers beside it.

usage: encoding_test.py TABLES EXCEPTIONS ARCHITECTURE ENCODER...
ENCODER is pfm_encode, with what runs it before it. ARCHITECTURE (x86, arm, power) says which tables its library knows.
"""
import json
import pathlib
import subprocess
import sys

tables_path, exceptions_path, architecture = sys.argv[1:4]
encoder = sys.argv[4:]
failures = 0
# enum perf_type_id of the kernel
types = {"raw": 4, "hardware": 0, "software": 1}


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


def architecture_of(table):
    rule = table["match"][0]
    for field, name in (("vendor", "x86"), ("implementer", "arm"), ("pvrs", "power")):
        if field in rule:
            return name
    return "other"


def encode(strings):
    answer = subprocess.run(encoder, input="".join(s + "\n" for s in strings), capture_output=True, text=True, check=True)
    lines = answer.stdout.splitlines()
    assert len(lines) == len(strings), answer
    return dict(zip(strings, lines))


def number(value):
    return int(value, 16) if isinstance(value, str) else value


everything = {path.stem: json.loads(path.read_text()) for path in sorted(pathlib.Path(tables_path).glob("*.json"))}
tables = [t for t in everything.values() if t["schema"] == "roofmark-events/1" and architecture_of(t) in (architecture, "other")]
exceptions = json.loads(pathlib.Path(exceptions_path).read_text())
pmus = set(subprocess.run(encoder + ["pmus"], capture_output=True, text=True, check=True).stdout.split())
without_pmu = exceptions["tables_without_pmu"]
# A later library than the one that the exceptions were written for may need fewer of them.
later = any(name in pmus for entry in without_pmu.values() for name in entry["pmus"])


def not_needed(text):
    print("NOTE:" if later else "FAILED:", "an exception that is none any longer:", text)
    return 0 if later else 1


def compare_relative(table, entry):
    """Where libpfm4 can't vouch for a table, a relative whose events it knows does, by the names they share."""
    if "same_as" not in entry:
        return 0
    relative = everything[entry["same_as"]]["events"]
    differ = set()
    shared = [event for event in table["events"] if event in relative]
    for event in shared:
        mine, its = ({k: v for k, v in e.items() if k in ("config", "config1", "sysfs", "pmu")} for e in (table["events"][event], relative[event]))
        if mine != its:
            differ.add(event)
    if differ != set(entry.get("but", {})):
        fail(f"{table['name']} differs from {entry['same_as']} in {sorted(differ)}")
    return len(shared)


encoded = 0
for table in tables:
    name = table["name"]
    strings = {event: e["pfm"] for event, e in table["events"].items() if "pfm" in e}
    if "libpfm" not in table:
        if name not in without_pmu:
            fail(f"{name} names no PMU of libpfm4 and is not among the exceptions")
            continue
        entry = without_pmu[name]
        shared = compare_relative(table, entry)
        print(f"{name}: {entry['reason']}: {len(table['events'])} events, of which {shared} share a name with {entry.get('same_as', 'no table')}")
        for pmu in set(entry["pmus"]) & pmus:
            failures += not_needed(f"{name}: this libpfm4 has {pmu}: give the table its strings")
        if strings:
            fail(f"{name} has strings that nothing compares")
        continue
    if table["libpfm"] not in pmus:
        fail(f"{name}: libpfm4 has no PMU {table['libpfm']}")
        continue
    answers = encode(list(strings.values()))
    for event, e in table["events"].items():
        if "pmu" in e:
            continue
        if "pfm" not in e:
            fail(f"{name}: {event} has no string, though libpfm4 knows the processor")
            continue
        numbers = (types[e.get("type", "raw")], number(e["config"]), number(e.get("config1", 0)))
        if architecture == "arm":
            # 64-bit counting is asked for by us, not by the event.
            numbers = numbers[:2] + (numbers[2] & ~1,)
        wanted = "%u %s %s" % (numbers[0], hex(numbers[1]) if numbers[1] else "0", hex(numbers[2]) if numbers[2] else "0")
        if answers[e["pfm"]] != wanted:
            fail(f"{name}: {event}: {e['pfm']} gives {answers[e['pfm']]}, the table says {wanted}")
        encoded += 1

if architecture == "x86":
    names = [entry["pfm"] for entry in exceptions["wrong_strings"] + exceptions["missing_events"]]
    answers = encode(names)
    for entry in exceptions["wrong_strings"]:
        given = answers[entry["pfm"]].split()[-1]
        if given != entry["gives"]:
            failures += not_needed(f"{entry['pfm']} gives {given}")
        else:
            print(f"known to be wrong: {entry['pfm']} gives {given} and not {entry['should']}: {entry['reason']}")
    for entry in exceptions["missing_events"]:
        if not answers[entry["pfm"]].startswith("error"):
            failures += not_needed(f"{entry['pfm']} gives {answers[entry['pfm']]}")
        else:
            print(f"known to be missing: {entry['pfm']}: {entry['reason']}")
    for name in set(without_pmu) - {t["name"] for t in tables}:
        fail(f"the exceptions name a table that is not there: {name}")

print(f"{encoded} encodings compared")
if encoded == 0:
    fail("nothing was compared")
sys.exit(failures != 0)
