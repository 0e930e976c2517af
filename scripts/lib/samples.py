"""usage: samples.py ROOFMARK PROFILES: puts what ROOFMARK says of the profiles into the documents' samples (scripts/samples)."""
import re
import subprocess
import sys
from pathlib import Path

roofmark, profiles = sys.argv[1], Path(sys.argv[2])
left_out = ("Ladder:", "Bytes:", "Mix:", "Threads:")  # README says so


def told(*arguments):
    return subprocess.run([roofmark, *map(str, arguments)], check=True, capture_output=True, encoding="utf-8").stdout.splitlines()


def profile(name):
    return profiles / f"{name}.json"


def section(lines, title):
    """From the line after the title to the next empty one."""
    begin = lines.index(title) + 1
    return lines[begin:lines.index("", begin) if "" in lines[begin:] else len(lines)]


def about(lines, region=None):
    """The lines of one region, the first where none is named, without the brief ones."""
    starts = [i for i, line in enumerate(lines) if re.match(r"  \S", line)]
    for begin, end in zip(starts, [*starts[1:], len(lines)]):
        if region is None or lines[begin].strip().split(":")[0] == region:
            break
    else:
        raise SystemExit(f"nothing is said of {region}")
    kept, keeps = [], True
    for line in lines[begin:end]:
        if re.match(r"    \S", line):
            keeps = not line.strip().startswith(left_out)
        if keeps:
            kept.append(line)
    return kept


def outdented(lines):
    return [line[2:] for line in lines]


def table(lines):
    begin = next(i for i, line in enumerate(lines) if line.startswith("Region "))
    return lines[begin:lines.index("", begin)]


def legend(lines, shown):
    """What a mark such as -[a] of the lines that are shown stands for."""
    marks = set(re.findall(r"-\[([a-z]+)\]", "\n".join(shown)))
    title = "Not in this report, and why"
    kept, keeps = [], False
    for line in section(lines, title) if marks else []:
        begun = re.match(r"  \[([a-z]+)\] ", line)
        keeps = begun[1] in marks if begun else keeps and line.startswith("      ")
        if keeps:
            kept.append(line)
    return ["", title, *kept] if marks else []


def compared(before, after, *more):
    return outdented(about(section(told("compare", *more, profile(before), profile(after)), "What moved"), "multiply"))


away = "Most time away from the roof"
solve, first, last = (told("report", profile(name)) for name in ("poisson_cg", "step1", "step4"))
samples = {
    "solve": [*table(solve), "", away, *about(section(solve, away)), *legend(solve, table(solve))],
    "step 1": outdented(about(section(first, away), "multiply")),
    "step 1 to 2": compared("step1", "step2"),
    "step 2 to 3": compared("step2", "step3"),
    "step 3 to 4": compared("step3", "step4", "--level", "L3"),
    "step 4": outdented(about(section(last, away), "multiply")),
}
used = set()
for document in ("README.md", "docs/tutorial.md"):
    path = Path(document)

    def block(match):
        used.add(match[2])
        return match[1] + "".join(f"    {line}".rstrip() + "\n" for line in samples[match[2]])

    path.write_text(re.sub(r"(<!-- sample: ([^>]+) -->\n\n)(?:    .*\n|\n(?=    ))+", block, path.read_text("utf-8")), "utf-8")
if used != set(samples):
    raise SystemExit(f"no place for {sorted(set(samples) - used)}")
