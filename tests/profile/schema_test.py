#!/usr/bin/env python3
"""Holds profiles to docs/profile.schema.json (and the machine inside to docs/machine.schema.json).

usage: schema_test.py DOCS WRITER [PROFILE...]
WRITER is called with an empty directory that it fills with profiles. Exit 77: skipped.
"""
import copy
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from schema import Schema, load, require_validator  # noqa: E402

require_validator()


def require_refusals(document, schema):
    """A schema that accepts anything would pass every output: it must refuse what is wrong."""
    def broken(change):
        wrong = copy.deepcopy(document)
        change(wrong)
        return wrong

    region = lambda d: d["regions"][1]
    changes = [
        lambda d: d.update(schema="roofmark-profile/2"),
        lambda d: d.pop("regions"),
        lambda d: region(d).pop("flop"),
        lambda d: region(d)["flop"]["f64"].update(value=-1),
        lambda d: region(d)["flop"]["f64"].update(value=1.5),
        lambda d: region(d)["flop"]["f64"].pop("source"),
        lambda d: region(d)["flop"].update(f65=region(d)["flop"]["f64"]),
        lambda d: region(d)["wall_s"].update(source="guessed"),
        lambda d: region(d)["self"]["wall_s"].update(value="fast"),
        lambda d: region(d)["rooflines"][0].update(verdict="fine"),
        lambda d: region(d)["rooflines"][0].update(fraction=None),
        lambda d: region(d).update(name_bytes=["xyz"]),
        lambda d: d["machine"].update(schema="roofmark-machine/2"),
        lambda d: d["machine"]["ceilings"][0].update(placement="smt"),
    ]
    for number, change in enumerate(changes):
        assert schema.errors(broken(change)), f"the schema accepts broken document {number}"
    return len(changes)


def main():
    docs, writer, *profiles = map(pathlib.Path, sys.argv[1:])
    schema = Schema(docs / "profile.schema.json")
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([writer, directory], check=True)
        written = sorted(pathlib.Path(directory).iterdir())
        assert written, "the writer wrote nothing"
        for path in written + profiles:
            failures += [f"{path.name}: {error}" for error in schema.errors(load(path))]
        refused = require_refusals(load(pathlib.Path(directory) / "sample.json"), schema)
        compact = load(pathlib.Path(directory) / "large.json")
        assert compact["compact"] and "source" not in compact["regions"][1]["flop"]["f64"]
        del compact["compact"]
        assert schema.errors(compact), "only a compact file may leave fields out"
    for failure in failures:
        print(failure)
    print(f"{len(written) + len(profiles)} profiles held to the schema, {refused} broken ones refused")
    return 1 if failures else 0


sys.exit(main())
