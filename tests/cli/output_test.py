#!/usr/bin/env python3
"""usage: output_test.py ROOFMARK SOURCE: a command whose output can't be written ends with another status than 0, and a line."""
import pathlib
import re
import subprocess
import sys
import tempfile

roofmark, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
fixture = source / "tests/fixtures/nested.roofmark.json"
machine = source / "tests/examples/small_caches.machine.json"
failures = []


def run(arguments, redirection, folder):
    words = " ".join(f"'{word}'" for word in [roofmark, *arguments])
    return subprocess.run(["sh", "-c", f"{words} {redirection}"], capture_output=True, text=True, cwd=folder, timeout=120)


help_text = subprocess.run([roofmark, "--help"], capture_output=True, text=True, check=True).stdout
commands = re.findall(r"^  (\w+) ", help_text.split("Subcommands:")[1], re.MULTILINE)
if len(commands) < 10:
    failures.append(f"commands: {commands}")
# `run` reports to standard error, beside the program's own output.
written = [["--help"], ["--version"], ["manual"], ["completion", "bash"], *([command, "--help"] for command in commands),
           ["report", fixture], *(["report", "--format", kind, fixture] for kind in ("json", "csv", "html", "svg", "icicle", "markdown", "openmetrics", "hatchet")),
           ["compare", fixture, fixture], ["compare", "--format", "json", fixture, fixture], ["machine", "--file", machine],
           ["machine", "--json", "--file", machine], ["chart", "--peak", "1", "--bandwidth", "1"], ["gpu"], ["gpu", "plan", "--chip", "GH100"],
           ["gpu", "--format", "json"], ["events"], ["events", "--format", "json"], ["check", "--no-self-test"]]
with tempfile.TemporaryDirectory() as folder:
    for arguments in written:
        for redirection in (">/dev/full", ">&-"):
            done = run(map(str, arguments), redirection, folder)
            lines = [line for line in done.stderr.splitlines() if "standard output" in line]
            if done.returncode <= 0 or len(lines) != 1:
                failures.append(f"{arguments} {redirection}: {done.returncode} {done.stderr!r}")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
