#!/usr/bin/env python3
"""usage: command_test.py ROOFMARK SOURCE: `roofmark import` from outside."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

roofmark, source = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(source / "tests" / "support"))
from schema import Schema, Validator, missing, parse  # noqa: E402

failures = []
IDENTITY = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
TABLE = "\ufeff==PROF== noise\n" + IDENTITY + ',"dram__bytes.sum","gpu__time_duration.sum"\n' \
    '"","","","","","","","","","","","Gbyte","us"\n' \
    '"0","1","a","h","void k<1>(float*)","1","7","(1, 1, 1)","(1, 1, 1)","0","8.0","1.5","1,000"\n'


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


with tempfile.TemporaryDirectory() as folder:
    def run(*arguments, **more):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80"}
        return subprocess.run([roofmark, *map(str, arguments)], capture_output=True, env=environment, cwd=folder, timeout=60, **more)

    table = pathlib.Path(folder) / "table.csv"
    table.write_text(TABLE, encoding="utf-8")
    done = run("import", "ncu", table)
    expect(done.returncode == 0 and not done.stdout, done.stderr)
    profile = pathlib.Path(folder) / "table.roofmark.json"
    document = parse(profile.read_text(encoding="utf-8"))
    region = document["regions"][0]
    expect(region["bytes"]["HBM"]["total"]["value"] == 1500000000, region["bytes"])
    expect(region["wall_s"]["value"] == 0.001, region["wall_s"])
    if Validator is None:
        print("not held to the schema:", missing)
    else:
        errors = Schema(source / "docs" / "profile.schema.json").errors(document)
        expect(not errors, f"schema: {errors}")
    run("import", "ncu", table)
    expect((pathlib.Path(folder) / "table.roofmark-2.json").exists(), "a second import replaces nothing")
    for output in ("text", "json", "csv", "html", "svg", "markdown", "openmetrics", "hatchet"):
        done = run("report", "--format", output, profile)
        expect(done.returncode == 0 and done.stdout, f"{output}: {done.stderr}")
    expect(b"void k<1>" in run("report", profile).stdout, "the kernel is in the report")
    piped = run("import", "ncu", "-", "-o", "-", input=TABLE.encode())
    expect(json.loads(piped.stdout)["regions"][0]["visits"] == 1, "from a pipe to a pipe")

    perf = pathlib.Path(folder) / "perf.csv"
    perf.write_text("1000000000,ns,duration_time,1,100.00,,\n1500.00,msec,task-clock,1,100.00,1.500,CPUs utilized\n"
                    + "".join(f"{count},,{event}:u,1,100.00,,\n" for count, event in ((8, "r01c7"), (0, "r04c7"), (1000000000, "r10c7"), (0, "r40c7"))))
    likwid = pathlib.Path(folder) / "likwid.csv"
    likwid.write_text("CPU type:,Intel Skylake SP processor,,\nTABLE,Region a b,Group 1 Metric,MEM_DP,2,,\nMetric,HWThread 0,,\n"
                      "Runtime (RDTSC) [s],2.0,,\nDP [MFLOP/s],1000,,\nMemory data volume [GBytes],8.0,,\n")
    cpuinfo = pathlib.Path(folder) / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n\n")
    for tool, file, flop in (("perf", perf, 4000000008), ("likwid", likwid, 2000000000)):
        done = run("import", tool, file, "--cpuinfo", cpuinfo, "--no-machine")
        expect(done.returncode == 0 and b"1 region " in done.stderr, f"{tool}: {done.stderr}")
        document = parse(file.with_suffix(".roofmark.json").read_text(encoding="utf-8"))
        expect(document["regions"][0]["flop"]["f64"]["value"] == flop, document["regions"][0]["flop"])
        expect("exit_status" not in document["program"], "nobody saw the program end")
        if Validator is not None:
            errors = Schema(source / "docs" / "profile.schema.json").errors(document)
            expect(not errors, f"{tool}: schema: {errors}")
        shown = run("report", file.with_suffix(".roofmark.json"))
        expect(shown.returncode == 0 and all(len(line) <= 80 for line in shown.stdout.decode().splitlines()), shown.stdout)
        for wrong in (table, "/bin/true", cpuinfo):
            done = run("import", tool, wrong, "--no-machine")
            expect(done.returncode == 2 and done.stderr.count(b"\n") == 1 and not done.stdout, f"{tool} {wrong}: {done.stderr}")
    for arguments in (["import", "perf", perf, "--device", "0"], ["import", "ncu", table, "--no-machine"],
                      ["import", "ncu", table, "--machine", source / "tests" / "examples" / "small_caches.machine.json"],
                      ["import", "perf", perf, "--machine", "nowhere.json"], ["import", "perf", perf, "--cpuinfo", "nowhere"]):
        done = run(*arguments)
        expect(done.returncode == 2 and done.stderr.count(b"\n") == 1, f"{arguments}: {done.returncode} {done.stderr}")

    for name, content in (("empty", b""), ("utf16", TABLE.encode("utf-16")), ("binary", bytes(range(256)) * 10), ("cut", TABLE.encode()[:-20])):
        (pathlib.Path(folder) / name).write_bytes(content)
        done = run("import", "ncu", name)
        expect(done.returncode == 2 and done.stderr.count(b"\n") == 1 and not done.stdout, f"{name}: {done.returncode} {done.stderr}")
    for arguments in (["import"], ["import", "nsys", table], ["import", "ncu"], ["import", "ncu", "nowhere"],
                      ["import", "ncu", table, "-o", table], ["import", "ncu", table, "--device", "3"]):
        done = run(*arguments)
        expect(done.returncode == 2 and done.stderr.count(b"\n") == 1, f"{arguments}: {done.returncode} {done.stderr}")

sys.exit(1 if failures else 0)
