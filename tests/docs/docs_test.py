#!/usr/bin/env python3
"""usage: docs_test.py SOURCE ROOFMARK: what the documentation leaves out of what the program has."""
import json
import os
import pathlib
import re
import subprocess
import sys

source, roofmark = pathlib.Path(sys.argv[1]), sys.argv[2]
docs = source / "docs"
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


# These say what a document must or must not be in some case; what they name is described elsewhere.
CONDITIONS = {"if", "then", "else", "not", "spelt_out"}


def properties(schema, path=()):
    """Path and schema of each property that is defined in a schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from properties(item, path)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key in CONDITIONS:
                continue
            if key == "properties":
                for name, one in value.items():
                    yield path + (name,), one
                    yield from properties(one, path + (name,))
            else:
                yield from properties(value, path if key in ("items", "$defs") else path + (key,))


schemas = sorted(docs.glob("*.schema.json"))
expect(len(schemas) >= 8, f"schemas: {schemas}")
for file in schemas:
    seen = 0
    for path, one in properties(json.loads(file.read_text())):
        seen += 1
        text = one.get("description", "") if isinstance(one, dict) else ""
        expect(len(text.split()) >= 2, f"{file.name}: {'/'.join(path)} has no description")
    expect(seen > 5, f"{file.name}: properties seen: {seen}")

# The test itself: a property without a description, wherever it hides, is found.
hidden = {"$defs": {"a": {"oneOf": [{"items": {"properties": {"b": {"type": "string"}}}}]}}}
expect([path for path, one in properties(hidden) if "description" not in one] == [("a", "oneOf", "b")], "a property that hides is not found")

def unexplained_marks(text):
    """Marks of numbers that do not exist (`-[a]`) in samples that do not say what they stand for."""
    # A sample ends where a line begins that is neither indented nor empty.
    for sample in re.split(r"\n(?=\S)", text):
        lines = "\n".join(line for line in sample.split("\n") if line.startswith("    "))
        for mark in sorted(set(re.findall(r"-\[([a-z]+)\]", lines))):
            if not re.search(rf"^ +\[{mark}\] \S", lines, re.MULTILINE):
                yield mark


for file in (source / "README.md", *sorted(docs.glob("*.md"))):
    expect(not list(unexplained_marks(file.read_text())), f"{file.name}: a sample does not say what these stand for: {list(unexplained_marks(file.read_text()))}")
# The test itself.
expect(list(unexplained_marks("Text -[c]\n\n    x -[a] -[b]\n\n      [b] it was not counted\n\nOther\n\n      [a] elsewhere\n")) == ["a"], "a mark that nothing explains is not found")

model = (docs / "model.md").read_text()
rows = "".join(re.findall(r"^\|([^|]*)\|", model[model.index("## Verdicts"):], re.MULTILINE))
verdicts = json.loads((docs / "profile.schema.json").read_text())["$defs"]["roofline"]["properties"]["verdict"]["enum"]
for verdict in verdicts:
    expect(f"`{verdict}`" in rows, f"model.md: the verdict {verdict} is not in the table")


def run(*arguments):
    return subprocess.run([roofmark, *arguments], capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "80"}).stdout


# A flag is documented where its command's page, or the README, names it.
pages = " ".join(path.read_text() for path in [source / "README.md", *docs.glob("*.md")])
commands = re.findall(r"^  (\w+) ", run("--help").split("Subcommands:")[1], re.MULTILINE)
expect(len(commands) > 5, f"commands: {commands}")
for command in commands:
    expect(f"roofmark {command}" in pages, f"{command} is in no page")
    # Names with all their values may be longer than a terminal, descriptions are not.
    for line in run(command, "--help").splitlines():
        expect(len(line) <= 80 or re.match(r"  -\S+( \S+)?$", line), f"{command} --help has a line of {len(line)} columns: {line}")
    for short, option in re.findall(r"^\s+(?:(-\w),\s*)?(--[a-z][a-z-]*)", run(command, "--help").split("Options:")[1], re.MULTILINE):
        names = [re.escape(name) + r"(?![a-z-])" for name in (option, short) if name]
        expect(option == "--help" or any(re.search(r"(?<![\w-])" + name, pages) for name in names), f"{command}: {option} is in no page")

readme = (source / "README.md").read_text()
line = next(line for line in readme.splitlines() if line.startswith("| `roofmark report"))
formats = re.search(r"--format[^{]*\{([^}]*)\}", run("report", "--help")).group(1).split(",")
expect(len(formats) > 5, f"formats: {formats}")
for name in formats:
    expect(f"`{name}`" in line, f"README.md: the format {name} is not named")

sys.exit(1 if failures else 0)
