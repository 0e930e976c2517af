#!/usr/bin/env python3
"""usage: command_test.py ROOFMARK TARGET: `roofmark top` beside a recording, on a terminal and off it."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time

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

sys.exit(1 if failures else 0)
