#!/usr/bin/env python3
"""usage: described_test.py ROOFMARK BUILD: manual pages and completions are whole and say what the command takes."""
import pathlib
import re
import shutil
import subprocess
import sys

roofmark, build = sys.argv[1], pathlib.Path(sys.argv[2])
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    return subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=60)


commands = re.findall(r"^  (\w+) ", run(roofmark, "--help").stdout.split("Subcommands:")[1], re.MULTILINE)
expect(len(commands) > 5, f"commands: {commands}")
pages = {path.stem for path in (build / "share/man/man1").glob("*.1")}
expect(pages == {"roofmark"} | {f"roofmark-{command}" for command in commands}, f"pages: {pages}")

for command in commands:
    text = run(roofmark, "manual", command).stdout
    plain = text.replace("\\-", "-")
    for option in re.findall(r"--[a-z][a-z-]*", run(roofmark, command, "--help").stdout.split("Options:")[1]):
        expect(f"\\fB{option}\\fR" in plain, f"{command}: {option} is in no manual page")
    if shutil.which("groff"):
        warnings = subprocess.run(["groff", "-man", "-ww", "-z", "-Tascii"], input=text, capture_output=True, text=True).stderr
        expect(not warnings, f"{command}: {warnings}")
if not shutil.which("groff"):
    print("the pages were not set: groff is not installed")
expect(run(roofmark, "manual", "nothing").returncode == 2, "no such page")
expect(run(roofmark, "completion", "csh").returncode == 2, "no such shell")

bash = build / "share/completions/roofmark.bash"


def complete(*words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    script = f'source {bash}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _roofmark; printf "%s\\n" "${{COMPREPLY[@]}}"'
    return run("bash", "-c", script).stdout.split()


expect(set(commands) <= set(complete("roofmark", "")), "commands are completed")
expect(complete("roofmark", "com") == ["compare"], "by their beginning")
expect("json" in complete("roofmark", "report", "--format", ""), "values")
expect(complete("roofmark", "report", "--form") == ["--format"], "options")
expect("--output" in complete("roofmark", "record", "--"), "options of record")
expect("bash" in complete("roofmark", "run", "--", "bas"), "a program behind --")
for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
    name = {"zsh": "_roofmark", "fish": "roofmark.fish"}[shell]
    if shutil.which(shell):
        done = run(*check, build / "share/completions" / name)
        expect(done.returncode == 0, f"{shell}: {done.stderr}")
    else:
        print(f"the completions for {shell} were not read by it: it is not installed")

sys.exit(1 if failures else 0)
