#!/usr/bin/env python3
"""Holds profiles to docs/profile.schema.json (and the machine inside to docs/machine.schema.json).

usage: schema_test.py DOCS WRITER [PROFILE...]
WRITER is called with an empty directory that it fills with profiles. Exit 77: skipped.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    Validator = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("skipped: python3-jsonschema with draft 2020-12 is not installed")
    sys.exit(77)


def load(path):
    def no_duplicates(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"{path}: duplicate key among {keys}"
        return dict(pairs)

    def no_constant(name):
        raise ValueError(f"{path}: {name} is not JSON")

    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=no_duplicates,
                      parse_constant=no_constant)


def errors_of(document, profile_schema, machine_schema):
    found = [("profile", e) for e in Validator(profile_schema).iter_errors(document)]
    found += [("machine", e) for e in Validator(machine_schema).iter_errors(document.get("machine"))]
    return [f"{kind} {e.json_path}: {e.message[:200]}" for kind, e in found]


def require_refusals(document, schemas):
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
    ]
    for number, change in enumerate(changes):
        assert errors_of(broken(change), *schemas), f"the schema accepts broken document {number}"
    return len(changes)


def main():
    docs, writer, *profiles = map(pathlib.Path, sys.argv[1:])
    profile_schema = load(docs / "profile.schema.json")
    machine_schema = load(docs / "machine.schema.json")
    for schema in (profile_schema, machine_schema):
        Validator.check_schema(schema)
    # The machine is checked on its own: resolving the reference differs between library versions.
    profile_schema["properties"]["machine"] = {"type": "object"}
    schemas = (profile_schema, machine_schema)

    failures = []
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([writer, directory], check=True)
        written = sorted(pathlib.Path(directory).iterdir())
        assert written, "the writer wrote nothing"
        for path in written + profiles:
            failures += [f"{path.name}: {error}" for error in errors_of(load(path), *schemas)]
        refused = require_refusals(load(pathlib.Path(directory) / "sample.json"), schemas)
        compact = load(pathlib.Path(directory) / "large.json")
        assert compact["compact"] and "source" not in compact["regions"][1]["flop"]["f64"]
        del compact["compact"]
        assert errors_of(compact, *schemas), "only a compact file may leave fields out"
    for failure in failures:
        print(failure)
    print(f"{len(written) + len(profiles)} profiles held to the schema, {refused} broken ones refused")
    return 1 if failures else 0


sys.exit(main())
