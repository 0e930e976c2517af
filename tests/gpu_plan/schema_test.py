#!/usr/bin/env python3
"""Holds the table of GPU metrics to docs/gpu-chips.schema.json, and the schema to refusing what is none.

usage: schema_test.py SCHEMA CHIPS
Exit 77: skipped.
"""
import copy
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from schema import Schema, load, require_validator  # noqa: E402

require_validator()


def refused(schema, table):
    """Ways to spoil the table, each of which the schema has to see."""
    def spoilt(change):
        other = copy.deepcopy(table)
        change(other)
        return other
    formula = lambda t: t["groups"]["f64"][0]  # noqa: E731
    changes = {
        "no sources": lambda t: t["sources"].clear(),
        "an unknown quantity": lambda t: formula(t).__setitem__("quantity", "flop.f63"),
        "a misspelt field": lambda t: formula(t).__setitem__("caveat", []),
        "a metric without its roll-up": lambda t: formula(t)["sum"][0].__setitem__("metric", "dram__bytes"),
        "a weight of zero": lambda t: formula(t)["sum"][0].__setitem__("weight", 0),
        "no terms": lambda t: formula(t)["sum"].clear(),
        "an unknown set": lambda t: formula(t).__setitem__("set", "software"),
        "a peak without its clock": lambda t: t["peaks"]["vector"][0].pop("clock"),
        "a family without chips": lambda t: t["families"][0]["chips"].clear(),
        "a capability that is none": lambda t: t["families"][0]["chips"].__setitem__("GV100", "70"),
        "no reason": lambda t: t["families"][0]["not_collected"].pop("reason"),
        "a negative peak": lambda t: t["families"][0]["theory"].__setitem__("flop.f64", -1),
        "a peak of nothing": lambda t: t["families"][0]["theory"].__setitem__("flops", 1),
    }
    return [name for name, change in changes.items() if schema.accepts(spoilt(change))]


def main():
    schema, table, failures = Schema(sys.argv[1]), load(sys.argv[2]), 0
    for error in schema.errors(table):
        print("FAILED:", error)
        failures += 1
    used = {group for family in table["families"] for group in family["groups"]}
    peaks = {group for family in table["families"] for group in family["peaks"]}
    caveats = {c for group in table["groups"].values() for formula in group for c in formula.get("caveats", [])}
    for what, names, known in (("group", table["groups"], used), ("peak", table["peaks"], peaks),
                               ("caveat", table["caveats"], caveats)):
        for name in sorted(set(names) - known):
            print(f"FAILED: nothing uses the {what} {name}")
            failures += 1
    for name in refused(schema, table):
        print(f"FAILED: the schema takes {name}")
        failures += 1
    print(f"{len(table['families'])} families, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
