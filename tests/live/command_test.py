#!/usr/bin/env python3
"""usage: command_test.py ROOFMARK TARGET: `roofmark top` beside a recording, on a terminal and off it."""
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from counters_test import match_rule  # noqa: E402

roofmark, target = sys.argv[1:]
failures = []
environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "xterm"}


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def top(*arguments):
    return subprocess.run([roofmark, "top", *map(str, arguments)], capture_output=True, env=environment, timeout=60)


def refused(done, *words):
    lines = done.stderr.decode().splitlines()
    expect(done.returncode == 2 and len(lines) == 1, f"{done.args}: {done.returncode} {lines}")
    for word in words:
        expect(lines and word in lines[0], f"`{word}` in {lines}")


def with_terminal(pid, keys):
    """What is drawn until the keys are read, and how it ends."""
    child, master = pty.fork()
    if child == 0:
        os.execve(roofmark, [roofmark, "top", str(pid), "--interval", "0.1"], environment)
    seen = b""
    sent = False
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        if not sent and b"waiting" in seen:
            os.write(master, keys)
            sent = True
    os.close(master)
    return seen, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


refused(top(2 ** 30 - 1), "no such process")
refused(top(os.getpid()), "not being recorded", "roofmark record")

with tempfile.TemporaryDirectory() as folder:
    recorder = subprocess.Popen(
        [roofmark, "record", "--counters", "none", "--no-machine", "-o", str(pathlib.Path(folder) / "out.json"), "--", target, "signal"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    recorder.stdout.readline()  # it is inside its region now
    found = b""
    for _ in range(100):  # a slow machine may not have got there
        found = top(recorder.pid).stdout
        if b"waiting" in found:
            break
        time.sleep(0.1)
    expect(b"waiting" in found, f"the open region is shown: {found}")
    expect(found.count(b"Region") == 1, "one look where the output is no terminal")
    expect(all(len(line) <= 80 for line in found.decode().splitlines()), "80 columns")
    expect(top(recorder.pid, "--count", 2, "--interval", 0.1).stdout.count(b"Region") == 2, "two looks")

    for keys in (b"q", b"\x03"):
        seen, status = with_terminal(recorder.pid, keys)
        expect(status == 0, f"{keys} ends it: {status}")
        expect(seen.startswith(b"\x1b[?1049h") and seen.rstrip().endswith(b"\x1b[?1049l"), "the terminal is left as it was")
    # What looks at a recording changes nothing in it.
    recorder.terminate()
    recorder.wait(60)
    expect((pathlib.Path(folder) / "out.json").exists(), "the recording went on")


def rates(folder, tables):
    """The words of the row `touching` while it is counted; and all that was shown."""
    recorder = subprocess.Popen(
        [roofmark, "record", "--counters", "perf", "--no-machine", "-o", str(folder / "counted.json"), "--", target, "touch"],
        env={**environment, "ROOFMARK_EVENTS": str(folder / "events"), "HOME": str(folder)}, stderr=subprocess.PIPE)
    shown, rows = "", []
    for _ in range(100):
        done = subprocess.run([roofmark, "top", str(recorder.pid), "--count", "2", "--interval", "1", "--no-chart"], capture_output=True,
                              env={**environment, "ROOFMARK_EVENTS": str(tables), "HOME": str(folder)}, timeout=60)
        shown = done.stdout.decode()
        rows = [line.split() for line in shown.splitlines() if line.startswith("touching")]
        if rows and float(rows[-1][2]) > 0:
            break
        time.sleep(0.1)
    recorder.terminate()
    said = recorder.communicate(timeout=60)[1].decode()
    if "Nothing is counted" in said:
        print("skipped: rates of counted events:", said)
        return None, shown
    expect(all(len(line) <= 80 for line in shown.splitlines()), f"80 columns: {shown}")
    return rows[-1] if rows else [], shown


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    quantities = [{"quantity": quantity, "scope": "process", "bound": "exact", "counts": "retired",
                   "sum": [{"weight": weight, "event": "faults"}]}
                  for quantity, weight in (("flop.f64", 1000000), ("bytes.DRAM.read", 500000))]
    table = {"schema": "roofmark-events/1", "name": "made_up", "about": "page faults", "match": [{**match_rule(), "core_pmu": "software"}],
             "counters": {"general": 4}, "events": {"faults": {"type": "software", "config": "0x2"}}, "quantities": quantities, "sources": ["a test"]}
    for place in ("events", "other"):
        (folder / place).mkdir()
        (folder / place / "made_up.json").write_text(json.dumps(table))
        table["events"]["faults"]["config"] = "0x5"
    row, shown = rates(folder, folder / "events")
    if row is not None:
        # 100 faults a visit, of a million FLOPs and half a million bytes each. Visits are rounded to whole ones.
        expect(len(row) > 4, f"a row: {shown}")
        if len(row) > 4:
            visits, gflop, gbyte = float(row[2]), float(row[-2]), float(row[-1])
            expect(gflop > 0 and abs(gflop / 0.1 - visits) <= 0.5 + 0.02 * visits, f"FLOP/s of what is counted: {shown}")
            expect(abs(gflop / gbyte - 2) < 0.02, f"bytes/s of what is counted: {shown}")
        expect("GB/s: at DRAM, read alone is counted" in " ".join(shown.split()), f"which bytes these are: {shown}")
        row, shown = rates(folder, folder / "other")
        expect("GB/s" not in shown and "No counts: it counts events of which" in " ".join(shown.split()), f"other tables: {shown}")

sys.exit(1 if failures else 0)
