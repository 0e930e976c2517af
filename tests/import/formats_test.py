#!/usr/bin/env python3
"""usage: formats_test.py ROOFMARK: of one imported profile every format says the same."""
import csv
import functools
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

roofmark = sys.argv[1]
failures = []
NAMES = '"ID","Process ID","Kernel Name","Block Size","Grid Size","Device","CC"'
METRICS = [("gpu__time_duration.sum", "nsecond"), ("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst"),
           ("smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst"), ("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst"),
           ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst"), ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst"),
           ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst"), ("smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst"),
           ("smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst"), ("smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst"),
           ("sm__inst_executed_pipe_tensor.sum", "inst"), ("dram__bytes_read.sum", "byte"), ("dram__bytes_write.sum", "byte"),
           ("dram__bytes.sum.peak_sustained", "byte/cycle"), ("dram__cycles_elapsed.avg.per_second", "hz"),
           ("sm__cycles_elapsed.avg.per_second", "hz"), ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", "inst/cycle")]
# 1 ms: 0.8 GB of 3 TB/s; far from both ceilings; without FLOPs; with FLOPs that are not known.
KERNELS = {"near": {"dram__bytes_read.sum": 2400000000, "op_ffma": 500000000, "time": 1000000},
           "far": {"dram__bytes_read.sum": 360000000, "op_ffma": 500000, "time": 1000000},
           "copy": {"dram__bytes_read.sum": 1500000000, "time": 1000000},
           "unknown": {"dram__bytes_read.sum": 1500000000, "op_ffma": "", "time": 1000000}}
FIXED = {"dram__bytes.sum.peak_sustained": 1500, "dram__cycles_elapsed.avg.per_second": 2000000000,
         "sm__cycles_elapsed.avg.per_second": 1500000000, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": 16896}
MACHINE = {"schema": "roofmark-machine/1", "identity": {"cpu_model": "a host"},
           "topology": {"sockets": 1, "numa_nodes": 1, "cores": 2, "threads": 2, "smt": 1, "caches": []}, "ceilings": [],
           "gpus": [{"uuid": "GPU-1", "name": "A card", "compute_capability": "9.0", "sm_clock_hz": 1.5e9,
                     "ceilings": [{"quantity": "flop.f32", "value": 5e13, "source": "measured"}, {"quantity": "bytes.HBM", "value": 4e12, "source": "measured"}]}]}
# Of a processor, and of nothing that was imported here.
FORBIDDEN = re.compile(r"\bcores?\b|\bthreads?\b|\bcaches?\b(?! before each kernel|-control)|holds no ceilings|machine was measured|DRAM", re.IGNORECASE)


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run_in(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
    done = subprocess.run([roofmark, *map(str, arguments)], capture_output=True, env=environment, cwd=folder, timeout=60)
    expect(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stdout.decode()


def table():
    lines = [NAMES + "".join(f',"{name}"' for name, _ in METRICS), '""' + ',""' * 6 + "".join(f',"{unit}"' for _, unit in METRICS)]
    for number, (kernel, given) in enumerate(KERNELS.items()):
        values = []
        for name, _ in METRICS:
            value = FIXED.get(name, 0)
            for part, other in given.items():
                if part in name and name not in FIXED:
                    value = other
            values.append(f',"{value}"')
        lines.append(f'"{number}","7","{kernel}","(256, 1, 1)","(64, 1, 1)","0","9.0"' + "".join(values))
    return "\n".join(lines) + "\n"


def whole_percent(fraction):
    # Formats round on their own.
    return None if fraction is None else round(100 * fraction)


def alike(said, expected):
    return set(said) == set(expected) and all(
        said[name][1:] == expected[name][1:] and (said[name][0] is None) == (expected[name][0] is None)
        and abs((said[name][0] or 0) - (expected[name][0] or 0)) <= 1 for name in expected)


def of_json(text):
    for region in json.loads(text)["regions"]:
        line = region["rooflines"][0]
        yield region["path"][-1], line.get("fraction"), line["verdict"], region["visits"]


def of_csv(text):
    for row in csv.DictReader(io.StringIO(text)):
        expect(row["threads"] == "", f"csv: a GPU has no threads of a processor: {row['threads']!r}")
        yield row["path"], float(row["fraction"]) if row["fraction"] else None, row["verdict"], int(row["visits"])


def of_openmetrics(text):
    found = {}
    for line in text.splitlines():
        match = re.match(r'roofmark_region_(visits|roof_ratio|verdict)\{.*region="([^"]*)".*\} (\S+)', line)
        if match:
            verdict = re.search(r'verdict="([^"]*)"', line)
            found.setdefault(match[2], {})[match[1]] = verdict[1] if verdict else float(match[3])
    for name, values in found.items():
        yield name, values.get("roof_ratio"), values["verdict"], int(values["visits"])


def of_hatchet(text):
    for node in json.loads(text):
        yield node["frame"]["name"], node["metrics"].get("roof_fraction (inc)"), None, node["metrics"]["visits"]


def page_data(text):
    return json.loads(re.search(r'<script type="application/json" id="roofmark-data">(.*?)</script>', text, re.DOTALL)[1])


def of_html(text):
    for region in page_data(text)["regions"]:
        yield region["path"], region["roofline"].get("fraction"), region["roofline"]["verdict"], region["visits"]


def of_lines(pattern):
    def rows(text):
        for line in text.splitlines():
            match = re.match(pattern, line)
            if match:
                share = re.search(r"(\d+(?:\.\d+)?)%", match["roof"])
                yield match["name"], float(share[1]) / 100 if share else None, match["verdict"].split()[0], int(match["visits"])
    return rows


VERDICT = r"(?P<verdict>memory|latency|no flop|undetermined)"
READERS = {"json": of_json, "csv": of_csv, "openmetrics": of_openmetrics, "hatchet": of_hatchet, "html": of_html,
           "text": of_lines(r"> (?P<name>\w+) +(?P<visits>\d+) +\S+ \S+ +\S+% .* (?P<roof>\S+) +" + VERDICT),
           "markdown": of_lines(r"\| (?P<name>\w+) \(GPU\) \| (?P<visits>\d+) \|.*\| (?P<roof>[^|]*) \| " + VERDICT)}

with tempfile.TemporaryDirectory() as folder:
    run = functools.partial(run_in, folder)

    (pathlib.Path(folder) / "table.csv").write_text(table())
    (pathlib.Path(folder) / "machine.json").write_text(json.dumps(MACHINE))
    for ending, given in (("", []), (" --machine", ["--machine", "machine.json"])):
        run("import", "ncu", "table.csv", "-o", "profile.json", *given)
        judged = json.loads(run("report", "--format", "json", "profile.json"))
        expected = {name: (whole_percent(fraction), verdict.replace("_", " ").split()[0], visits)
                    for name, fraction, verdict, visits in of_json(json.dumps(judged))}
        expect(set(expected) == set(KERNELS), expected)
        expect(expected["near"][:2] == (80 if not given else 60, "memory"), f"{ending}: {expected}")
        expect(expected["copy"][:2] == (50 if not given else 38, "no"), f"{ending}: {expected}")
        expect(expected["unknown"][:2] == (None, "undetermined"), f"{ending}: {expected}")
        for form, reader in READERS.items():
            said = {}
            for name, fraction, verdict, visits in reader(run("report", "--format", form, "profile.json")):
                verdict = expected[name][1] if verdict is None else verdict.replace("_", " ").split()[0]
                said[name] = (whole_percent(fraction), verdict, visits)
            expect(alike(said, expected), f"{form}{ending}: {said} and not {expected}")
        details = run("report", "--details", "*", "profile.json")
        for name, (percent, _, _) in expected.items():
            part = details[details.index(f"Details of {name}\n"):].split("\nDetails of ")[0]
            told = re.search(r"of the machine's roof: (\d+(?:\.\d+)?) %", part)
            expect((round(float(told[1])) if told else None) == percent, f"details{ending}: {name}: {part}")
        picture = run("report", "--format", "svg", "profile.json")
        expect("HBM" in picture and f"{expected['near'][0]} %" in picture, f"svg{ending}: a point under its roof")
        shown = {"details": details, "svg": picture}
        for form in ("text", "markdown", "csv", "openmetrics", "hatchet", "icicle"):
            shown[form] = run("report", "--format", form, "--all", "profile.json") if form == "text" else run("report", "--format", form, "profile.json")
        page = run("report", "--format", "html", "profile.json")
        shown["html"] = re.sub(r"<(script|style|fieldset hidden)\b.*?</\1>|<fieldset hidden>.*?</fieldset>", "", page, flags=re.DOTALL) + json.dumps(page_data(page))
        for form, text in shown.items():
            text = text.replace("thread_inst_executed", "").replace("thread_s", "").replace("threads,flags", "")
            found = FORBIDDEN.search(text)
            expect(not found, f"{form}{ending} speaks of a processor: {found and text[max(0, found.start() - 80):found.end() + 80]!r}")

# Processors: memory controllers count for all programs, and a region of which nobody counted the calls has no number of visits.
PERF = "1000000000,ns,duration_time,1,100.00,,\n" + "".join(
    f"{count},,{event}:u,1,100.00,,\n" for count, event in ((4, "r01c7"), (0, "r04c7"), (1000000000, "r10c7"), (0, "r40c7"), (7, "uncore_cha_0/event=0x35/"))
) + "1024.00,MiB,uncore_imc_0/cas_count_read/,1,100.00,,\n512.00,MiB,uncore_imc_0/cas_count_write/,1,100.00,,\n"
LIKWID = """CPU type:,Intel Skylake SP processor,,
TABLE,Region stream,Group 1 Raw,MEM_DP,2,,
Event,Counter,HWThread 0,HWThread 1,
CAS_COUNT_RD,MBOX0C0,100,0,
UNHEARD_OF,PMC0,1,2,
TABLE,Region stream,Group 1 Metric,MEM_DP,3,,
Metric,HWThread 0,HWThread 1,
Runtime (RDTSC) [s],2.0,2.0,
DP [MFLOP/s],1000,1000,
Memory data volume [GBytes],8.0,0,
"""
CPUINFO = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n\n"
HOST = {"schema": "roofmark-machine/1", "identity": {"cpu_model": "a host"},
        "topology": {"sockets": 1, "numa_nodes": 1, "cores": 2, "threads": 2, "smt": 1, "caches": []},
        "ceilings": [{"kind": "compute", "precision": "f64", "isa": "avx512", "width_bits": 512, "op": "fma", "scope": "core", "threads": 1, "value": 1e11,
                      "low": 1e11, "high": 1e11, "source": "measured"},
                     {"kind": "bandwidth", "level": "DRAM", "pattern": "read", "isa": "avx512", "scope": "core", "threads": 1, "interface_bytes_per_s": 1e10,
                      "program_bytes_per_s": 1e10, "low": 1e10, "high": 1e10, "source": "measured"}]}


def intensities(run):
    """By format what it says of FLOPs per byte of DRAM: whether it says a number."""
    listed = json.loads(run("report", "--format", "json", "profile.json"))["regions"][0]
    row = next(csv.DictReader(io.StringIO(run("report", "--format", "csv", "--level", "DRAM", "profile.json"))))
    page = page_data(run("report", "--format", "html", "profile.json"))["regions"][0]
    markdown = [line for line in run("report", "--format", "markdown", "--level", "DRAM", "profile.json").splitlines() if line.startswith("| ")]
    column = [cell.strip() for cell in markdown[0].split("|")].index("FLOP/B (DRAM)")
    table = run("report", "profile.json").splitlines()
    at = next(number for number, line in enumerate(table) if line.startswith("Region"))
    text = re.split(r"  +", table[at + 1])[re.split(r"  +", table[at]).index("FLOP/B")]
    return {"json": "DRAM" in listed["rooflines"][0]["levels"], "csv": row["intensity"] != "", "html": "DRAM" in page["work"]["bytes"],
            "markdown": markdown[1].split("|")[column].strip()[0].isdigit(), "text": text[0].isdigit() or text[0] == "~",
            "details": "FLOP/B," in run("report", "--details", "*", "profile.json").replace("FLOP/B, ", "FLOP/B,"),
            "svg": "FLOPs measured, bytes measured" in run("report", "--format", "svg", "profile.json")}


with tempfile.TemporaryDirectory() as folder:
    run = functools.partial(run_in, folder)

    for name, text in (("perf.csv", PERF), ("likwid.csv", LIKWID), ("cpuinfo", CPUINFO), ("host.json", json.dumps(HOST))):
        (pathlib.Path(folder) / name).write_text(text)
    for tool in ("perf", "likwid"):
        for alone in ([], ["--alone"]):
            run("import", tool, f"{tool}.csv", "--cpuinfo", "cpuinfo", "--machine", "host.json", "-o", "profile.json", *alone)
            for form, said in intensities(run).items():
                expect(said == bool(alone), f"import {tool} {alone}: {form} {'has' if said else 'has no'} FLOP/B of the socket's bytes")
        text = run("report", "profile.json")
        wanted = "uncore_cha_0/event=0x35/" if tool == "perf" else "CAS_COUNT_RD"
        line = next(line for line in text.splitlines() if f": {wanted}" in line)
        expect("of the socket" in line, f"{tool}: {line}")
    expect(re.search(r"UNHEARD_OF - likwid, measured, of the thread", text), text)

    # The last one is LIKWID's, without calls.
    region = json.loads(run("report", "--format", "json", "profile.json"))["regions"][0]
    expect("visits" not in region and any(one["quantity"] == "visits" for one in region["missing"]), f"json: {region}")
    expect(next(csv.DictReader(io.StringIO(run("report", "--format", "csv", "profile.json"))))["visits"] == "", "csv: visits")
    expect("region_visits{" not in run("report", "--format", "openmetrics", "profile.json"), "openmetrics: visits")
    expect("visits" not in json.loads(run("report", "--format", "hatchet", "profile.json"))[0]["metrics"], "hatchet: visits")
    page = run("report", "--format", "html", "profile.json")
    expect(page_data(page)["regions"][0]["visits"] is None, "html: visits")
    for form in ("text", "markdown", "html"):
        shown = run("report", "--format", form, "profile.json")
        expect("count of calls" in shown, f"{form} does not say why there are no visits")
        if form != "html":
            row = next(line for line in shown.splitlines() if re.match(r"(\| )?stream", line))
            expect(re.match(r"(\| )?stream[^|\d]*\|? *\|? *2 s", row), f"{form}: {row}")
    run("import", "likwid", "likwid.csv", "--cpuinfo", "cpuinfo", "--no-machine", "-o", "other.json")
    compared = json.loads(run("compare", "--format", "json", "profile.json", "other.json"))
    expect("visits" not in compared["regions"][0]["before"], f"compare: {compared['regions'][0]['before']}")

sys.exit(1 if failures else 0)
