#!/usr/bin/env python3
"""usage: command_test.py ROOFMARK FIXTURES: `roofmark report` and `roofmark chart` from outside."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from locales import with_commas  # noqa: E402

roofmark, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
profiles = sorted(fixtures.glob("*.roofmark.json"))
counted = fixtures / "verdicts.roofmark.json"
nested = fixtures / "nested.roofmark.json"
failures = []
plain = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80"}


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments, environment=None, **more):
    return subprocess.run([roofmark, *map(str, arguments)], capture_output=True, env=environment or plain, timeout=60, **more)


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def on_terminal(arguments, environment, columns=100):
    """What the command prints on a terminal of so many columns."""
    import fcntl
    import struct
    import termios
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen([roofmark, *map(str, arguments)], stdout=child, stderr=subprocess.DEVNULL, env=environment)
    os.close(child)
    text = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    process.wait()
    os.close(parent)
    return text.decode("utf-8")


expect(profiles, "there are fixtures")
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for profile in profiles:
        text = run("report", profile)
        expect(text.returncode == 0 and not text.stderr, f"{profile.name}: text {text.stderr}")
        for line in text.stdout.decode("utf-8").splitlines():
            expect(width(line) <= 80, f"{profile.name}: wider than 80: {line}")
            expect("nan" not in line.lower().split() and "inf" not in line.lower().split(), f"{profile.name}: {line}")
        expect(b"\x1b" not in text.stdout, f"{profile.name}: colour outside a terminal")
        again = run("report", "--format", "json", profile)
        written = folder / "again.json"
        written.write_bytes(again.stdout)
        json.loads(again.stdout)
        expect(run("report", "--format", "json", written).stdout == again.stdout, f"{profile.name}: JSON is not stable")
        svg = run("report", "--format", "svg", profile).stdout
        xml.etree.ElementTree.fromstring(svg)
        expect(b"<script" not in svg, f"{profile.name}: a script in the SVG")
        page = run("report", "--format", "html", "-o", folder / "page.html", profile)
        expect(page.returncode == 0 and not page.stdout, f"{profile.name}: html {page.stderr}")
        expect((folder / "page.html").read_text("utf-8").startswith("<!DOCTYPE html>"), f"{profile.name}: no page")
        expect(len(run("report", "--format", "csv", profile).stdout.splitlines()) ==
               len(json.loads(again.stdout)["regions"]) + 1, f"{profile.name}: CSV lines")

    # Forms for other tools.
    for profile in profiles:
        regions = json.loads(run("report", "--format", "json", profile).stdout)["regions"]
        metrics = run("report", "--format", "openmetrics", profile).stdout.decode("utf-8")
        expect(metrics.endswith("# EOF\n"), f"{profile.name}: no end of the metrics")
        seen, family, series = set(), None, set()
        for line in metrics.splitlines()[:-1]:
            if line.startswith("# TYPE "):
                family = line.split()[2]
                expect(family not in seen, f"{profile.name}: {family} is not in one piece")
                seen.add(family)
            elif not line.startswith("# "):
                sample = re.fullmatch(r'(\w+)\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*\} [-+.e0-9]+', line)
                expect(sample and sample[1] == family, f"{profile.name}: {line}")
                expect(line.rpartition(" ")[0] not in series, f"{profile.name}: two series {line}")
                series.add(line.rpartition(" ")[0])
        expect(metrics.count("\nroofmark_region_visits{") == sum("visits" in region for region in regions), f"{profile.name}: a sample for each region")

        def nodes(tree):
            for node in tree:
                expect(set(node) == {"frame", "metrics", "children"} and isinstance(node["frame"]["name"], str), f"{profile.name}: {node}")
                yield node
                yield from nodes(node["children"])
        tree = json.loads(run("report", "--format", "hatchet", profile).stdout)
        expect(len(list(nodes(tree))) == len(regions), f"{profile.name}: a node for each region")

        text = run("report", "--format", "markdown", "--all", profile).stdout.decode("utf-8")
        table = text[text.index("| Region |"):].split("\n\n")[0].splitlines()
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
        expect(len(table) == len(regions) + 2 and len(columns) == 1, f"{profile.name}: the table in Markdown: {columns}")

    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        got = run("report", "--format", kind, profiles[0])
        if shutil.which("rsvg-convert"):
            expect(got.returncode == 0 and got.stdout.startswith(start), f"{kind}: {got.returncode} {got.stderr}")
        else:
            print(f"not drawn as {kind}: rsvg-convert is not installed")
        without = run("report", "--format", kind, profiles[0], environment={**plain, "PATH": str(folder)})
        expect(without.returncode == 1 and b"librsvg2-bin" in without.stderr and without.stderr.count(b"\n") == 1, f"{kind} without a converter: {without.stderr}")

    # With or without children: whatever draws or tells one of them follows the options.
    points = lambda text: sorted(re.findall(r"<title>([^<]*)</title>", text))
    for kind in ("svg", "html", "text"):
        extra = ["--chart"] if kind == "text" else []
        shown = [" ".join(run("report", "--format", kind, *extra, *options, nested).stdout.decode("utf-8").split()) for options in ([], ["--inclusive"])]
        own, inclusive = (re.search("(with(?:out)?) their children", text, re.IGNORECASE) for text in shown)
        expect(own and own[1].lower() == "without", f"{kind}: not what it is")
        expect(inclusive and inclusive[1].lower() == "with", f"{kind} --inclusive: not what it is")
        charts = [text[text.index("their children"):] if kind == "text" else points(text) for text in shown]
        expect(charts[0] != charts[1], f"{kind}: --inclusive changes nothing")
    for kind in ("csv", "json", "hatchet"):  # both at once
        expect(run("report", "--format", kind, "--inclusive", nested).stdout == run("report", "--format", kind, "--self", nested).stdout, f"{kind}: not both")
    for kind in ("text", "markdown"):
        expect(run("report", "--format", kind, "--inclusive", nested).stdout == run("report", "--format", kind, nested).stdout, f"{kind}: --inclusive")
        expect(run("report", "--format", kind, "--self", nested).stdout != run("report", "--format", kind, nested).stdout, f"{kind}: --self")
    got = run("report", "--self", "--format", "openmetrics", nested)
    expect(got.returncode == 2 and got.stderr.count(b"\n") == 1 and not got.stdout, f"openmetrics --self: {got.returncode} {got.stderr}")

    # Other roofs: a table below the report, lines in the chart; nothing where they can't be shown.
    machine = folder / "other.json"
    machine.write_text(json.dumps(json.loads(profiles[0].read_text("utf-8"))["machine"]))
    for options in (["--what-if", "DRAM=4x"], ["--machine", machine], ["--what-if", "peak=2", "--what-if", "L1=3", "--machine", machine]):
        text = run("report", *options, counted)
        expect(text.returncode == 0 and b"Under other roofs" in text.stdout, f"{options}: {text.stderr}")
        expect(all(width(line) <= 80 for line in text.stdout.decode("utf-8").splitlines()), f"{options}: 80 columns")
        svg = run("report", *options, "--format", "svg", counted).stdout
        xml.etree.ElementTree.fromstring(svg)
        expect(b"other roofs" in svg, f"{options}: the chart")
        expect("--machine" not in options or b"of other.json" in text.stdout, f"{options}: two machines of one model have one name")
    twice = run("report", "--machine", machine, "--machine", machine, counted).stdout
    expect(b"of other.json (2)" in twice, "one file twice")
    for options in (["--what-if", "L9=2"], ["--what-if", "DRAM"], ["--machine", folder / "nowhere"], ["--what-if", "DRAM=2", "--format", "csv"]):
        got = run("report", *options, counted)
        expect(got.returncode == 2 and got.stderr.count(b"\n") == 1 and not got.stdout, f"{options}: {got.returncode} {got.stderr}")

    # Several files one after the other; a bad one among them does not hide the good one.
    both = run("report", profiles[0], profiles[-1])
    expect(both.returncode == 0 and both.stdout.count(b"==> ") == 2, "two files")
    mixed = run("report", folder / "nothing", profiles[0])
    expect(mixed.returncode == 2 and b"Region" in mixed.stdout and mixed.stderr.count(b"\n") == 1, "a bad file beside a good one")
    expect(run("report", "--format", "html", profiles[0], profiles[1]).returncode == 2, "html of two files")

    # Bad input: one line, exit status 2.
    hostile = {"empty": b"", "text": b"hello", "array": b"[]", "number": b"1e999", "deep": b"[" * 100000,
               "cut": profiles[0].read_bytes()[:-20], "binary": bytes(range(256)), "schema": b'{"schema": "roofmark-profile/9"}'}
    for name, content in hostile.items():
        (folder / name).write_bytes(content)
        got = run("report", folder / name)
        expect(got.returncode == 2 and got.stderr.count(b"\n") == 1 and not got.stdout, f"hostile {name}: {got.returncode} {got.stderr}")
    for arguments in (["report"], ["report", "--format", "doc", profiles[0]], ["report", folder], ["report", "--level", "L9", profiles[0]],
                      ["report", "--level", "", profiles[0]], ["report", "--format", "", profiles[0]], ["report", "-o", "", profiles[0]],
                      ["machine", "--format", "", "--file", "x"], ["machine", "--file", ""], ["machine", "-o", "", "--file", "x"],
                      ["chart", "--peak", "1", "--bandwidth", "1", "-o", ""],
                      ["chart"], ["chart", "--peak", "x", "--bandwidth", "1"], ["chart", "--peak", "1", "--bandwidth", "1", "=3"],
                      ["chart", "--peak", "-1", "--bandwidth", "1"], ["chart", "--peak", "1", "--bandwidth", "1", "-o", folder / "x.gif"],
                      ["chart", "--peak", "1", "--bandwidth", "1", "--axes", "linear"], ["report", "--axes", "linear", profiles[0]],
                      ["report", "--axes", "cubic", profiles[0]]):
        got = run(*arguments)
        expect(got.returncode == 2 and got.stderr and not got.stdout, f"{arguments}: {got.returncode}")

    # A machine file of any content: one line, and an end.
    for content in (b"", b"[]", b'{"schema": "roofmark-machine/1", "ceilings": [{"kind": "compute", "value": NaN}]}', b"[" * 1000000):
        (folder / "machine").write_bytes(content)
        got = run("machine", "--file", folder / "machine")
        expect(got.returncode == 2 and got.stderr.count(b"\n") == 1 and not got.stdout, f"machine {content[:20]}: {got.stderr[:200]}")
    expect(run("machine", "--file", "/dev/zero").stderr.count(b"64 MiB") == 1, "a machine file without end")

    # Words of options in any case; a level that is not there is answered with those that are.
    expect(run("report", "--level", "l2", counted).stdout == run("report", "--level", "L2", counted).stdout != b"", "--level l2")
    expect(run("report", "--format", "CSV", "--level", "dram", counted).stdout == run("report", "--format", "csv", "--level", "DRAM", counted).stdout != b"", "--format CSV")
    for level in ("", "L7"):
        expect(b"choose one of L1, L2, L3, DRAM" in run("report", "--level", level, counted).stderr, f"the levels for `{level}`")
    expect(run("chart", "--peak", "1", "--bandwidth", "1", "-o", folder / "X.SVG").returncode == 0, "X.SVG")

    # Output that can't be delivered: an exit status, at most one line, no signal.
    nowhere = folder / "missing" / "x.html"
    for arguments in (["report", "-o", nowhere, profiles[0]], ["report", "-o", "/dev/full", profiles[0]],
                      ["chart", "--peak", "1", "--bandwidth", "1", "-o", folder / "missing" / "x.svg"]):
        got = run(*arguments)
        expect(got.returncode == 1 and got.stderr.count(b"\n") == 1, f"{arguments}: {got.returncode} {got.stderr}")
    for command in (["report", profiles[0]], ["chart", "--peak", "1", "--bandwidth", "1", "a=1"]):
        words = " ".join(f"'{word}'" for word in [roofmark, *command])
        for redirection in (">/dev/full", ">&-"):
            got = subprocess.run(["sh", "-c", f"{words} {redirection}"], capture_output=True, env=plain)
            expect(got.returncode == 1 and got.stderr.count(b"\n") == 1, f"{command} {redirection}: {got.returncode} {got.stderr}")
        reader, writer = os.pipe()
        os.close(reader)
        got = subprocess.run([roofmark, *map(str, command)], stdout=writer, stderr=subprocess.PIPE, env=plain)
        os.close(writer)
        expect(got.returncode == 1 and not got.stderr, f"{command} into a closed pipe: {got.returncode} {got.stderr}")

    # Standard input, and a file is replaced whole.
    expect(run("report", "-", input=profiles[0].read_bytes()).returncode == 0, "standard input")
    kept = folder / "kept.csv"
    kept.write_text("old " * 100000)
    run("report", "--format", "csv", "-o", kept, profiles[0])
    expect(kept.read_text().startswith("path,") and "old " not in kept.read_text(), "the file was not replaced")

    # A terminal: its width, colour; markup goes into a file of its own that never replaces another.
    terminal = {**plain, "TERM": "xterm-256color"}
    terminal.pop("COLUMNS")
    shown = on_terminal(["report", profiles[0]], terminal, columns=120)
    expect("\x1b[" in shown, "no colour on a terminal")
    expect(max(width(re.sub("\x1b\\[[0-9;]*m", "", line)) for line in shown.splitlines()) > 80, "the width is not used")
    expect("\x1b" not in on_terminal(["report", profiles[0]], {**terminal, "NO_COLOR": "1"}), "NO_COLOR")
    expect("\x1b" not in on_terminal(["report", profiles[0]], {**terminal, "TERM": "dumb"}), "TERM=dumb")
    copied = folder / "run.roofmark.json"
    copied.write_bytes(profiles[0].read_bytes())
    for name in ("run.roofmark.html", "run.roofmark-2.html"):
        on_terminal(["report", "--format", "html", copied], terminal)
        expect((folder / name).exists(), f"no {name}")

    # Locales: no UTF-8 means ASCII, decimal commas mean nothing.
    for profile in profiles:
        expect(run("report", "--chart", profile, environment={**plain, "LC_ALL": "C"}).stdout.isascii(), f"{profile.name}: C locale")
    commas = with_commas(plain, folder)
    for kind in ("text", "json", "csv", "markdown", "openmetrics", "hatchet", "html", "svg", "icicle") if commas else ():
        for profile in profiles:
            options = ("report", "--format", kind, profile)
            expect(run(*options, environment=commas).stdout == run(*options).stdout, f"{kind} of {profile.name} with decimal commas")

    # The chart of given numbers.
    got = run("chart", "--peak", "20e12", "--bandwidth", "200e9", "saxpy=0.25", "stencil=0.8", "gemm=4", "fft=12")
    lines = got.stdout.decode().splitlines()
    for name, roof in (("saxpy", "50 GFLOP/s"), ("stencil", "160 GFLOP/s"), ("gemm", "800 GFLOP/s"), ("fft", "2.4 TFLOP/s")):
        expect(any(line.startswith(name) and f"memory side, roof {roof}, ridge 100 FLOP/byte" in line for line in lines), f"chart: {name}")
    expect(all(width(line) <= 80 for line in lines), "chart: wider than 80")
    for name in ("x.svg", "x.html"):
        run("chart", "--peak", "f64=20T", "--peak", "f32=40T", "--bandwidth", "DRAM=200G", "--bandwidth", "L2=1T", "a=1@1e11", "-o", folder / name)
        expect("DRAM 200 GB/s" in (folder / name).read_text(), f"chart: {name}")
    xml.etree.ElementTree.parse(folder / "x.svg")

print("failed:" if failures else "passed", len(failures) if failures else "")
sys.exit(1 if failures else 0)
