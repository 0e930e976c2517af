#!/usr/bin/env python3
"""Weights of the tables against those of LIKWID's installed groups, as far as both count the same events.

usage: likwid_test.py TABLES [PERFGROUPS]
Exit 77: LIKWID is not installed.
"""
import json
import pathlib
import re
import sys

groups = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "/usr/share/likwid/perfgroups")
if not groups.is_dir():
    print(f"skipped: no {groups} (install likwid)")
    sys.exit(77)
tables = {p.stem: json.loads(p.read_text()) for p in pathlib.Path(sys.argv[1]).glob("*.json")}
failures = compared = 0


def fail(text):
    global failures
    failures += 1
    print("FAILED:", text)


class Group:
    """A group file: which event is on which counter, and linear formulas over counters."""

    def __init__(self, path):
        self.counters, self.metrics = {}, {}
        section = ""
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.split(" ")[0] in ("SHORT", "EVENTSET", "METRICS", "LONG"):
                section = line.split(" ")[0]
            elif section == "EVENTSET" and len(line.split()) == 2:
                counter, event = line.split()
                self.counters[counter] = event
            elif section == "METRICS" and " " in line.strip():
                name, formula = line.strip().rsplit(None, 1)
                self.metrics[name] = formula

    def weights(self, metric):
        """By event: what one count adds, time and prefix of the unit left out."""
        formula = self.metrics[metric].replace("/time", "")
        scale = 1e6 if "MFLOP" in metric else 1e9
        names = sorted(set(re.findall(r"[A-Z]+[0-9]+(?:C[0-9]+)?", re.sub(r"[0-9.]+E-?[0-9]+", "", formula))))
        if not re.fullmatch(r"[-+*/().0-9EA-Z]+", formula):
            raise ValueError(formula)
        found = {}
        for name in names:
            values = {other: float(other == name) for other in names}
            found[self.counters[name]] = round(eval(formula, {"__builtins__": {}}, values) * scale, 6)  # pylint: disable=eval-used
        return found


def likwid_name(event):
    """The name of one of our events as LIKWID spells it, but for irregularities."""
    name = event["pfm"].split("::")[1].replace(":", "_") if "pfm" in event else event.get("alias", "").upper()
    name = re.sub(r"^FP_ARITH_(?!INST)", "FP_ARITH_INST_RETIRED_", name)
    return regular({"CAS_COUNT_READ": "CAS_COUNT_RD", "CAS_COUNT_WRITE": "CAS_COUNT_WR"}.get(name, name))


def regular(name):
    name = name.replace("SSE_FP_", "SSE_").replace("L2_LINES_IN_ANY", "L2_LINES_IN_ALL")
    return {"RETIRED_SSE_AVX_OPERATIONS_DP_MULT_ADD_FLOPS_DP_DIV_FLOPS_DP_MULT_FLOPS_DP_ADD_SUB_FLOPS": "RETIRED_SSE_AVX_FLOPS_DOUBLE_ALL",
            "RETIRED_SSE_AVX_OPERATIONS_SP_MULT_ADD_FLOPS_SP_DIV_FLOPS_SP_MULT_FLOPS_SP_ADD_SUB_FLOPS": "RETIRED_SSE_AVX_FLOPS_SINGLE_ALL",
            "RETIRED_SSE_AVX_FLOPS_ADD_SUB_FLOPS_MULT_FLOPS_DIV_FLOPS_MAC_FLOPS": "RETIRED_SSE_AVX_FLOPS_ALL"}.get(name, name)


def ours(table, quantity, scope="process", variables=None):
    for formula in tables[table]["quantities"]:
        if formula["quantity"] == quantity and formula["scope"] == scope:
            return {likwid_name(tables[table]["events"][t["event"]]):
                    t["weight"] * (variables or {}).get(t.get("variable"), 1) for t in formula["sum"]}
    return None


def theirs(group, metric):
    path = groups / (group + ".txt")
    if not path.exists():
        return None
    found = Group(path).weights(metric)
    return {regular(name): weight for name, weight in found.items()}


def agree(table, quantity, group, metric, **more):
    global compared
    wanted = theirs(group, metric)
    if wanted is None:
        print(f"not installed: {group}")
        return
    found = ours(table, quantity, **more)
    compared += 1
    if found != wanted:
        fail(f"{table} {quantity}: {found}, LIKWID's {group} has {wanted}")


def disagree(table, quantity, group, metric, reason, **more):
    """A difference that is meant: told, and a failure once it is gone."""
    wanted = theirs(group, metric)
    if wanted is None:
        print(f"not installed: {group}")
        return
    if ours(table, quantity, **more) == wanted:
        fail(f"{table} {quantity} agrees with LIKWID's {group} now: compare them")
    else:
        print(f"known to differ: {table} {quantity}, LIKWID's {group}: {reason}")


DP, SP = "DP [MFLOP/s]", "SP [MFLOP/s]"
for table, group in (("sandy_bridge", "sandybridge"), ("sandy_bridge_ep", "sandybridgeEP"), ("ivy_bridge", "ivybridge"), ("ivy_bridge_ep", "ivybridgeEP"),
                     ("broadwell", "broadwell"), ("broadwell_ep", "broadwellEP"), ("skylake", "skylake"), ("skylake_x", "skylakeX"), ("cascade_lake", "CLX"),
                     ("ice_lake", "ICL"), ("ice_lake_x", "ICX"), ("zen1", "zen")):
    agree(table, "flop.f64", group + "/FLOPS_DP", DP)
    agree(table, "flop.f32", group + "/FLOPS_SP", SP)
for table, group in (("zen2", "zen2"), ("zen3", "zen3")):
    agree(table, "flop.any", group + "/FLOPS_DP", DP)
    disagree(table, "flop.f64", group + "/FLOPS_DP", DP, "LIKWID calls the count of all precisions double")
    disagree(table, "flop.f32", group + "/FLOPS_SP", SP, "LIKWID calls the count of all precisions single")
for vectors, bits in ((1, 128), (2, 256), (4, 512)):
    for quantity, kind in (("flop.f64", "DP"), ("flop.f32", "SP"), ("flop.f16", "HP")):
        agree("a64fx", quantity, f"arm64fx/FLOPS_{kind}", f"{kind} (FP+SVE{bits}) [MFLOP/s]", variables={"sve_vectors": vectors})

READ2, WRITE2 = "L2D load data volume [GBytes]", "L2D evict data volume [GBytes]"
READ3, WRITE3 = "L3 load data volume [GBytes]", "L3 evict data volume [GBytes]"
for table, group in (("sandy_bridge", "sandybridge"), ("haswell", "haswell"), ("broadwell", "broadwell"), ("skylake", "skylake"), ("skylake_x", "skylakeX"),
                     ("cascade_lake", "CLX"), ("ice_lake_x", "ICX")):
    agree(table, "bytes.L2.read", group + "/L2", READ2)
    agree(table, "bytes.L3.read", group + "/L3", READ3)
for table, group in (("haswell", "haswell"), ("broadwell", "broadwell")):
    agree(table, "bytes.L2.write", group + "/L2", WRITE2)
for table, group in (("sandy_bridge", "sandybridge"), ("haswell", "haswell"), ("broadwell", "broadwell"), ("skylake", "skylake")):
    agree(table, "bytes.L3.write", group + "/L3", WRITE3)
agree("ice_lake_x", "bytes.L3.write", "ICX/L3", WRITE3)
agree("neoverse_n1", "bytes.L2.read", "arm8_n1/L2", READ2)
agree("neoverse_n1", "bytes.L2.write", "arm8_n1/L2", WRITE2)
agree("a64fx", "bytes.DRAM.read", "arm64fx/MEM", "Memory read data volume [GBytes]")
agree("a64fx", "bytes.DRAM.write", "arm64fx/MEM", "Memory write data volume [GBytes]")
disagree("sandy_bridge", "bytes.L2.write", "sandybridge/L2", WRITE2, "LIKWID counts modified lines that leave L1, the table those that arrive at L2")
disagree("skylake", "bytes.L2.write", "skylake/L2", WRITE2, "LIKWID uses an event that Intel does not publish for this core")
disagree("skylake_x", "bytes.L2.write", "skylakeX/L2", WRITE2, "LIKWID uses an event that Intel does not publish for this core")
disagree("ice_lake_x", "bytes.L2.write", "ICX/L2", WRITE2, "LIKWID uses an event that Intel does not publish for this core")
disagree("skylake_x", "bytes.L3.write", "skylakeX/L3", WRITE3, "LIKWID counts what the mesh says, the table what leaves L2")
disagree("neoverse_n1", "bytes.DRAM.read", "arm8_n1/MEM", "Memory read data volume [GBytes]", "LIKWID counts all loads of the core")
disagree("power9", "flop.any", "power9/FLOPS", "SP/DP [MFLOP/s] (scalar assumed)", "LIKWID counts instructions and assumes what they are")
disagree("haswell", "flop.f64", "haswell/FLOPS_AVX", "Packed DP [MFLOP/s]", "LIKWID calls all 256-bit instructions FLOPs, moves among them")
disagree("knights_landing", "flop.f64", "knl/FLOPS_DP", "DP [MFLOP/s] (AVX512 assumed)", "LIKWID assumes precision and width")

# All channels weigh the same.
for table, group in (("skylake_x", "skylakeX"), ("cascade_lake", "CLX"), ("broadwell_ep", "broadwellEP"), ("haswell_ep", "haswellEP"), ("ivy_bridge_ep", "ivybridgeEP")):
    for direction in ("read", "write"):
        agree(table, f"bytes.DRAM.{direction}", group + "/MEM", f"Memory {direction} data volume [GBytes]", scope="socket")

print(f"{compared} formulas compared")
if compared == 0:
    fail("nothing was compared")
sys.exit(failures != 0)
