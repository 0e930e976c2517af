#!/usr/bin/env python3
"""usage: read_log.py LOG: what the command said in a guest whose processor counts cycles and instructions exactly."""
import json
import re
import sys

ITERATIONS, VISITS, INSTRUCTIONS = 4000000, 4, 4


def steps(text):
    found = re.finditer(r"^==== (\S+)\n(.*?)^==== \1 ended with (\d+)$", text, re.DOTALL | re.MULTILINE)
    return {step.group(1): (int(step.group(3)), step.group(2)) for step in found}


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        log = steps(file.read())
    failures = []

    def expect(holds, what):
        print("ok:" if holds else "FAILED:", what)
        if not holds:
            failures.append(what)

    expect(set(log) >= {"check", "record", "profile", "forbidden"}, f"the guest came through its steps: {sorted(log)}")
    status, text = log.get("check", (None, ""))
    expect(status == 0 and "Neoverse N1" in text, "check knows the processor")
    status, text = log.get("record", (None, ""))
    expect(status == 0 and "looped" in text, "record runs the program")
    profile = json.loads(log.get("profile", (1, "{}"))[1] or "{}")
    region = next((each for each in profile.get("regions", []) if each["path"] == ["loop"]), {})
    count = region.get("operations", {}).get("instructions", {})
    wanted = ITERATIONS * VISITS * INSTRUCTIONS
    expect(region.get("visits") == VISITS, "every visit is there")
    expect(count.get("source") == "measured", f"instructions are measured: {count}")
    expect(abs(count.get("value", 0) - wanted) <= 1e-4 * wanted, f"instructions within 0.01 %: {count.get('value')} of {wanted}")
    expect(not region.get("flop"), "no FLOPs where the processor counts none")
    expect(any(missing["quantity"].startswith("flop") and "Neoverse N1" in missing["reason"] for missing in region.get("missing", [])),
           "and the reason")
    # QEMU has no caches: what the processor says it lacks must not come out as 0.
    expect(not region.get("bytes", {}).get("DRAM"), "no bytes by an event that the processor does not have")
    expect(any(missing["quantity"].startswith("bytes.DRAM.read") and "does not implement" in missing["reason"] for missing in region.get("missing", [])),
           "and the reason")
    status, text = log.get("forbidden", (None, ""))
    expect(status == 0 and "looped" in text and "perf_event_paranoid" in text, "a user who may not count is told the command that allows it")
    return 1 if failures else 0


sys.exit(main())
