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
expect(complete("roofmark", "record", "--counters", "e") == ["emulated"], "--counters e")
expect(set(complete("roofmark", "record", "--counters", "")) == {"auto", "perf", "papi", "emulated", "none"}, "--counters")
expect(complete("roofmark", "gpu", "") == ["plan"], "gpu plan")
expect(complete("roofmark", "gpu", "--format", "json", "") == ["plan"], "gpu plan behind an option with its value")
expect(complete("roofmark", "gpu", "plan", "") == [], "nothing behind gpu plan")
expect(set(complete("roofmark", "import", "")) == {"ncu", "perf", "likwid"}, "import")


def offers_files(*words):
    """Whether bash falls back to files for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    script = f'compopt() {{ echo "files"; }}; source {bash}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _roofmark'
    return "files" in run("bash", "-c", script).stdout


for words in (["report", ""], ["report", "a.json", ""], ["report", "-o", ""], ["report", "--machine", ""], ["merge", ""], ["compare", "a", ""],
              ["import", "ncu", ""], ["machine", "--file", ""], ["record", "--trace", ""]):
    expect(offers_files("roofmark", *words), f"no files for {words}")
for words in (["report", "--what-if", ""], ["report", "--level", ""], ["compare", "--fail-if", ""], ["gpu", ""], ["gpu", "--chip", ""], ["top", ""],
              ["chart", "--peak", ""], ["record", "--repeat", ""], ["import", ""], ["events", ""]):
    expect(not offers_files("roofmark", *words), f"files for {words}")

# The same kinds in the other shells' own words, so that they are held to it where they are not installed.
zsh, fish = (build / "share/completions/_roofmark").read_text(), (build / "share/completions/roofmark.fish").read_text()
for option, action in (("--what-if", ": "), ("--level", ": "), ("--machine", ":_files"), ("--counters", ":(auto perf papi emulated none)")):
    specs = re.findall(rf"'\*{option}\[.*:value(:.*)' ?\\?$", zsh, re.MULTILINE)
    expect(specs and all(spec == action for spec in specs), f"zsh: {option}: {specs}")
expect("'1:action:(plan)'" in zsh and "'1:tool:(ncu perf likwid)'" in zsh and "'2:file:_files'" in zsh, "zsh: words that are no options")
for option, kind in (("what-if", " -x "), ("machine", " -r -F "), ("counters", " -x -a 'auto perf papi emulated none' ")):
    lines = [line for line in fish.splitlines() if f" -l {option} " in line]
    expect(lines and all(kind in line for line in lines), f"fish: {option}: {lines}")
expect(re.search(r"seen_subcommand_from gpu; and not .* plan' -f -a 'plan'", fish), "fish: gpu plan")
for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
    name = {"zsh": "_roofmark", "fish": "roofmark.fish"}[shell]
    if shutil.which(shell):
        done = run(*check, build / "share/completions" / name)
        expect(done.returncode == 0, f"{shell}: {done.stderr}")
    else:
        print(f"the completions for {shell} were not read by it: it is not installed")

sys.exit(1 if failures else 0)
