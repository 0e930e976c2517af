#!/usr/bin/env python3
"""usage: unreadable_test.py ROOFMARK: each command that reads a file says what is wrong with it, and what would fit in its place."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

roofmark = sys.argv[1]
failures = []
MACHINE = {"schema": "roofmark-machine/1", "identity": {"cpu_model": "a host"}, "ceilings": [],
           "topology": {"sockets": 1, "numa_nodes": 1, "cores": 1, "threads": 1, "smt": 1, "caches": []}}
PROFILE = {"schema": "roofmark-profile/1", "program": {"command": ["./app"]}, "machine": MACHINE, "passes": [], "regions": [
    {"path": ["solve"], "visits": 1, "threads": 1, "flags": [], "wall_s": {"value": 1, "source": "measured"}, "flop": {}, "bytes": {}, "marker_s": 0,
     "self": {"wall_s": {"value": 1, "source": "measured"}, "flop": {}, "bytes": {}}, "rooflines": [], "missing": []}]}
PERF = "1000000000,ns,duration_time,1,100.00,,\n"
# What a file should have been: words of the remedy.
FITS = {"import ncu": "ncu -i REPORT.ncu-rep", "import perf": "perf stat -x,", "import likwid": "likwid-perfctr", "report": "roofmark", "compare": "roofmark",
        "merge": "-o of record", "machine": "roofmark machine --json", "import --machine": "roofmark machine --json", "import --cpuinfo": "/proc/cpuinfo",
        "report --machine": "roofmark machine --json"}


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "profile.json").write_text(json.dumps(PROFILE))
    (root / "perf.csv").write_text(PERF)
    (root / "folder").mkdir()
    (root / "empty").write_text("")
    (root / "blank").write_text(" \n\n")
    (root / "secret").write_text("x")
    (root / "secret").chmod(0)
    commands = {"import ncu": ["import", "ncu", "FILE", "-o", "out.json"], "import perf": ["import", "perf", "FILE", "--no-machine", "-o", "out.json"],
                "import likwid": ["import", "likwid", "FILE", "--no-machine", "-o", "out.json"], "report": ["report", "FILE"],
                "compare": ["compare", "profile.json", "FILE"], "merge": ["merge", "FILE", "-o", "out.json"], "machine": ["machine", "--file", "FILE"],
                "import --machine": ["import", "perf", "perf.csv", "--machine", "FILE", "-o", "out.json"],
                "import --cpuinfo": ["import", "perf", "perf.csv", "--cpuinfo", "FILE", "--no-machine", "-o", "out.json"],
                "report --machine": ["report", "profile.json", "--machine", "FILE"]}
    faults = {"nowhere": "No such file or directory", "nowhere/file": "No such file or directory", "perf.csv/file": "Not a directory", "folder": "directory",
              "empty": "empty", "blank": "empty"}
    if os.getuid() != 0:
        faults["secret"] = "Permission denied"
    else:
        print("not tested as root: a file that may not be read")
    # Folders of profiles are what these two read; a file without a processor is not one of /proc/cpuinfo.
    other = {("report", "folder"): "no recording in this directory", ("compare", "folder"): "no recording in this directory",
             ("merge", "folder"): "holds no profiles", ("import --cpuinfo", "empty"): "names no processor", ("import --cpuinfo", "blank"): "names no processor"}
    for name, command in commands.items():
        for file, reason in faults.items():
            done = subprocess.run([roofmark, *(file if word == "FILE" else word for word in command)], capture_output=True, cwd=folder, timeout=60,
                                  env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": folder})
            said = done.stderr.decode()
            label = f"{name} {file}: {done.returncode} {said!r}"
            expect(done.returncode == 2 and said.count("\n") == 1 and not done.stdout, label)
            expect(other.get((name, file), reason).lower() in said.lower() and file in said, label)
            fits = "roofmark" if (name == "merge" and file in ("empty", "blank")) else FITS[name]
            expect(fits in said, f"{label}: what fits is {fits}")
            expect(not (root / "out.json").exists(), f"{label}: an output was written")
            if name.startswith("import") and "machine" not in name:
                expect("roofmark record" not in said, f"{label}: a recording is not what it reads")
    (root / "secret").chmod(0o600)

sys.exit(1 if failures else 0)
