#!/usr/bin/env python3
"""Holds every event table to docs/events.schema.json, and the schema to refusing what is none.

usage: schema_test.py SCHEMA TABLES
Exit 77: skipped.
"""
import copy
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from schema import Schema, load, require_validator  # noqa: E402

require_validator()


def refused(schema, table):
    """Ways to spoil a table, each of which the schema has to see."""
    def spoilt(change):
        other = copy.deepcopy(table)
        change(other)
        return other
    event = next(iter(table["events"]))
    changes = {
        "no name": lambda t: t.pop("name"),
        "no rule": lambda t: t["match"].clear(),
        "a rule for everything": lambda t: t["match"].__setitem__(0, {"family": 6}),
        "a misspelt field": lambda t: t["events"][event].__setitem__("confg1", "0x1"),
        "no code": lambda t: t["events"][event].pop("config"),
        "a code that is none": lambda t: t["events"][event].__setitem__("config", "c7"),
        "an unknown quantity": lambda t: t["quantities"][0].__setitem__("quantity", "flop"),
        "no terms": lambda t: t["quantities"][0].__setitem__("sum", []),
        "a weight of zero": lambda t: t["quantities"][0]["sum"][0].__setitem__("weight", 0),
        "no reason": lambda t: t["not_countable"][0].__setitem__("reason", ""),
        "no source": lambda t: t["sources"].clear(),
    }
    return [name for name, change in changes.items() if schema.accepts(spoilt(change))]


def main():
    schema = Schema(sys.argv[1])
    common_validator = schema.part("common")
    failures, used, common = 0, set(), {}
    paths = sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    assert paths, "no tables"
    for path in paths:
        document = load(path)
        is_common = path.name == "common.json"
        for error in (common_validator if is_common else schema.validator).iter_errors(document):
            print(f"FAILED: {path.name} {error.json_path}: {error.message[:200]}")
            failures += 1
        if is_common:
            common = document
        else:
            used.update(c for q in document["quantities"] for c in q.get("caveats", []))
    for name in sorted(set(common["caveats"]) - used):
        print(f"FAILED: no table uses the caveat {name} of common.json")
        failures += 1
    for name in refused(schema, load(paths[0].parent / "skylake_x.json")):
        print(f"FAILED: the schema takes {name}")
        failures += 1
    print(f"{len(paths)} files")
    return failures != 0


sys.exit(main())
