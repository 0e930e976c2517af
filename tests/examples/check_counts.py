#!/usr/bin/env python3
"""Holds what Roofmark counts in an example to the closed forms that the example prints with --expect.

usage: check_counts.py ROOFMARK MACHINE_FILE WORK_FOLDER EXAMPLE [ARGUMENT...]

FLOPs and visits must be equal; bytes that loads and stores ask for may differ by what the loops' own
bookkeeping adds; bytes at DRAM by the edges of the caches.
"""
import json
import os
import pathlib
import subprocess
import sys

TOLERANCE = {"visits": 0, "flop": 0, "l1_read": 0.01, "l1_write": 0.01, "dram_read": 0.02, "dram_write": 0.02}
# Below this many bytes, a relative tolerance says nothing: a few lines of the marker's own.
SLACK_BYTES = 4096


def expectations(program):
    scripts = [at for at, word in enumerate(program) if word.endswith(".py")]  # run by their interpreter
    started = scripts[0] + 1 if scripts else 1
    lines = subprocess.run([*program[:started], "--expect", *program[started:]], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def record(roofmark, machine, folder, program):
    profile = folder / "profile.json"
    profile.unlink(missing_ok=True)
    environment = dict(os.environ, ROOFMARK_MACHINE_FILE=os.path.abspath(machine))
    subprocess.run([roofmark, "record", "--full-cache", "-o", str(profile), "--", *program], check=True, env=environment,
                   cwd=folder)
    return json.loads(profile.read_text())


def counted(region, precision):
    """What the profile says of a region, under the names that --expect uses; absent where it was not counted."""
    found = {"visits": region["visits"]}
    if precision in region["flop"]:
        found["flop"] = region["flop"][precision]["value"]
    for level in ("L1", "DRAM"):
        for direction in ("read", "write"):
            count = region["bytes"].get(level, {}).get(direction)
            if count is not None:
                found[f"{level.lower()}_{direction}"] = count["value"]
    return found


def faults(expected, region):
    found = counted(region, expected["precision"])
    for name, tolerance in TOLERANCE.items():
        if name not in expected:
            continue
        want = expected[name]
        # A region without floating point has no FLOP entry of that precision, or one of 0.
        got = found.get(name, 0 if name == "flop" and want == 0 else None)
        slack = tolerance * want + (SLACK_BYTES if tolerance else 0)
        verdict = "not counted" if got is None else "" if abs(got - want) <= slack else "differs"
        print(f"  {name:<11} expected {want:>14}  counted {got if got is not None else '-':>14}  {verdict}")
        if verdict:
            yield f"{expected['path']}: {name} {verdict}"


def main():
    roofmark, machine, folder, *program = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    expected = expectations(program)
    assert expected, "the example expects nothing"
    profile = record(roofmark, machine, folder, program)
    regions = {"/".join(region["path"]): region for region in profile["regions"]}
    failed = []
    for one in expected:
        print(one["path"])
        if one["path"] not in regions:
            failed.append(f"{one['path']}: no such region, there are {sorted(regions)}")
            continue
        failed += faults(one, regions[one["path"]])
    for fault in failed:
        print("FAILED", fault)
    return 1 if failed else 0


sys.exit(main())
