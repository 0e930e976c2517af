#!/usr/bin/env python3
"""usage: ceilings_spread.py ROOFMARK [RUNS]

Measures the machine several times and prints how far the ceilings move from run to run: (p90 - p10) / median, the
median over all ceilings of a group. Promised below 3 % for FLOP, L1, L2 and L3 on a quiet host; memory is printed.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

BOUND = 0.03


def quantile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def main():
    command, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    seen = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as store:
            out = subprocess.run([command, "machine", "--json", "--refresh"], check=True, stdout=subprocess.PIPE,
                                 env=dict(os.environ, XDG_CACHE_HOME=store)).stdout
        for c in json.loads(out)["ceilings"]:
            if c["kind"] == "compute":
                key = ("FLOP", c["precision"], c["isa"], c["op"], c["scope"], c["threads"], c["sustained"])
                seen.setdefault(key, []).append(c["value"])
            else:
                key = (c["level"], c["pattern"], c["isa"] if c["level"] == "L1" else "", c["scope"], c["threads"])
                seen.setdefault(key, []).append(c["program_bytes_per_s"])
    groups = {}
    for key, values in seen.items():
        if len(values) == runs:
            threads = "one core" if "core" in key else "more cores"
            spread = (quantile(values, 0.9) - quantile(values, 0.1)) / statistics.median(values)
            groups.setdefault((key[0], threads), []).append((spread, key))
    broken = []
    for (group, threads), spreads in groups.items():
        middle = statistics.median(s for s, _ in spreads)
        promised = group in ("FLOP", "L1", "L2", "L3") and threads == "one core"
        print(f"RATIO run-to-run spread of {group}, {threads} (median of {len(spreads)}) | {middle:.4f} | "
              + (f"< {BOUND}" if promised else "as it is"))
        worst = max(spreads)
        print(f"  worst: {worst[0]:.3f} {' '.join(map(str, worst[1]))}")
        if promised and middle >= BOUND:
            broken.append(group)
    return 1 if broken else 0


sys.exit(main())
