#!/usr/bin/env python3
"""usage: command_test.py ROOFMARK SOURCE: `roofmark compare` from outside."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

roofmark, source = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(source / "tests" / "support"))
from locales import with_commas  # noqa: E402
from schema import Schema, Validator, missing, parse  # noqa: E402

fixture = source / "tests" / "fixtures" / "nested.roofmark.json"
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


plain = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80"}


def run(*arguments, environment=None, **more):
    return subprocess.run([roofmark, "compare", *map(str, arguments)], capture_output=True, env={**plain, **(environment or {})}, timeout=60, **more)


def slower(factor, path):
    """The fixture with every time multiplied; its rates follow."""
    profile = json.loads(fixture.read_text(encoding="utf-8"))
    for region in profile["regions"]:
        region.pop("rooflines", None)
        for work in (region, region["self"]):
            work.pop("rooflines", None)
            for key in ("wall_s", "thread_s"):
                for part in ("value", "low", "high"):
                    if part in work.get(key, {}):
                        work[key][part] *= factor
    path.write_text(json.dumps(profile), encoding="utf-8")
    return path


def refused(done, *words):
    """One line that has these words, no trace, status 2."""
    lines = done.stderr.decode().splitlines()
    expect(done.returncode == 2, f"{done.args}: status {done.returncode}")
    expect(len(lines) == 1 and lines[0].startswith("roofmark: "), f"{done.args}: {lines}")
    for word in words:
        expect(word in lines[0], f"`{word}` in {lines}")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    same, worse = slower(1, folder / "same.json"), slower(1.5, folder / "worse.json")

    done = run(same, same)
    expect(done.returncode == 0, "equal profiles: 0")
    expect(b"Nothing moved" in done.stdout or b"within the noise" in done.stdout, done.stdout)
    done = run(same, worse)
    expect(done.returncode == 0, "without a limit nothing fails")
    expect(b"Slower by 1.5x" in done.stdout, done.stdout)
    expect(all(len(line) <= 80 for line in done.stdout.decode().splitlines()), "80 columns")

    expect(run(same, worse, "--fail-if", "time > +5%").returncode == 1, "a limit that holds: 1")
    expect(run(worse, same, "--fail-if", "time > +5%").returncode == 0, "the other way round: 0")
    expect(run(same, worse, "--fail-if", "roof_fraction < -3%").returncode == 1, "the roof's share fell")

    several = ["--before", same, same, same, "--after", worse, worse]
    expect(run(*several, "--fail-if", "time > +5%").returncode == 1, "several a side")

    for commas in (None, {"LC_ALL": "C"}, with_commas(plain, folder) or {}):
        locale = (commas or {}).get("LC_ALL", "C.UTF-8")
        document = parse(run(same, worse, "--format", "json", "--fail-if", "time > 5%", environment=commas).stdout)
        times = [region["changes"]["time"]["ratio"] for region in document["regions"] if "time" in region["changes"]]
        expect(times and all(abs(ratio - 1.5) < 1e-9 for ratio in times), f"{locale}: {times}")
        if Validator is None:
            print("not held to the schema:", missing)
        else:
            schema = Schema(source / "docs" / "comparison.schema.json")
            errors = schema.errors(document)
            expect(not errors, f"schema: {errors}")
            document["regions"][0]["changes"]["speed"] = {}
            expect(schema.errors(document), "the schema refuses what it does not know")

    done = run(same, worse, "--format", "junit", "--fail-if", "time > 5%", "--fail-if", "flop > 1%")
    suite = xml.etree.ElementTree.fromstring(done.stdout).find("testsuite")
    cases = suite.findall("testcase")
    expect(len(cases) == int(suite.get("tests")), "JUnit counts its cases")
    expect(len(suite.findall("testcase/failure")) == int(suite.get("failures")) > 0, "and its failures")
    expect(done.returncode == 1, "JUnit: 1 as well")
    done = run(same, worse, "--format", "github", "--fail-if", "time > 5%")
    expect(all(line.startswith(b"::") for line in done.stdout.splitlines()), done.stdout)
    expect(b"### Roofmark" in run(same, worse, "--format", "markdown").stdout, "Markdown")

    out = folder / "out.xml"
    done = run(same, worse, "--format", "junit", "--fail-if", "time > 5%", "-o", out)
    expect(done.returncode == 1 and out.exists() and not done.stdout, "-o")

    refused(run(same), "two profiles")
    refused(run(same, same, same), "--before")
    refused(run("--before", same), "--after")
    refused(run(same, folder / "nowhere.json"), "nowhere.json")
    refused(run(same, worse, "--fail-if", "speed > 5%"), "speed", "choose one of")
    refused(run(same, worse, "--fail-if", "nobody: time > 5%"), "no region")
    refused(run(same, worse, "--map", "nothing"), "--map")
    paths = ["/".join(region["path"]) for region in json.loads(same.read_text())["regions"] if region["path"]]
    refused(run(same, worse, "--map", f"{paths[0]}={paths[1]}"), "--map", paths[1], "already")
    refused(run(same, worse, "--map", f"{paths[0]}=new", "--map", f"{paths[1]}=new"), "--map", "another")
    expect(run(same, worse, "--map", f"{paths[0]}={paths[1]}", "--map", f"{paths[1]}={paths[0]}").returncode == 0, "exchanged names")
    refused(run(same, worse, "--level", "L7"), "L7", "choose one of")
    expect(run(same, worse, "--level", "dram").returncode == 0, "--level in other letters")
    refused(run(same, worse, "--format", "junit"), "--fail-if")
    refused(run(same, worse, "-o", same), "same.json")
    refused(run(same, worse, "-o", folder / "no" / "such" / "file"), "such")
    broken = folder / "broken.json"
    for text in ("", "{", "[]", '{"schema": "roofmark-profile/9"}', '{"schema": "roofmark-profile/1", "regions": 3}'):
        broken.write_text(text)
        refused(run(same, broken), "broken.json")
    broken.write_bytes(fixture.read_bytes()[: fixture.stat().st_size // 2])
    refused(run(broken, same), "broken.json")

sys.exit(1 if failures else 0)
