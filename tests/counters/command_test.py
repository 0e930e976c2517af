#!/usr/bin/env python3
"""`roofmark events` from outside: on this machine, for other processors, with tables of one's own.

usage: command_test.py ROOFMARK TABLES CPUINFO_FOLDER SCHEMA
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import schema  # noqa: E402

lists = schema.Schema(sys.argv[4]) if schema.Validator else None
if lists is None:
    print("the schema is not tested: " + schema.missing)
roofmark, tables, cpuinfo = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def run(*arguments, **environment):
    with tempfile.TemporaryDirectory() as home:
        full = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": "", "ROOFMARK_EVENTS": "", "COLUMNS": "100", **environment}
        return subprocess.run([roofmark, "events", *arguments], capture_output=True, text=True, env=full, check=False)


def answer_of(done):
    answer = schema.parse(done.stdout)
    if lists is not None:
        assert lists.accepts(answer), lists.errors(answer)
    return answer


def listed(processor, *pmus, **environment):
    """What is listed for a processor, with a kernel that has these PMUs."""
    with tempfile.TemporaryDirectory() as devices:
        for pmu in pmus:
            (pathlib.Path(devices) / pmu).mkdir()
        done = run("--cpuinfo", str(cpuinfo / f"{processor}.txt"), "--devices", devices, "--format", "json", **environment)
        assert done.returncode == 0, done
        return answer_of(done), done.stderr


class Events(unittest.TestCase):
    def test_this_machine(self):
        done = run()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        answer = answer_of(run("--format", "json"))
        self.assertEqual(answer["schema"], "roofmark-events-list/1")
        # Either the cores have a PMU, or one reason with its remedy says why not.
        has_pmu = any(table["pmus"] for table in answer["tables"])
        self.assertNotEqual(has_pmu, "nothing" in answer)
        if "nothing" in answer:
            self.assertTrue(answer["nothing"]["reason"] and answer["nothing"]["fix"])
            said = " ".join(done.stdout.split())
            self.assertEqual(said.count("othing can be counted here"), 1)
            self.assertEqual(said.count("Nothing can be counted here"), answer["nothing"]["of"] == "all")

    def test_with_and_without_a_pmu(self):
        answer, _ = listed("skylake_x", "cpu", "uncore_imc_0")
        self.assertNotIn("nothing", answer)
        self.assertEqual([t["name"] for t in answer["tables"]], ["skylake_x"])
        self.assertTrue(all(q["pmus_there"] for q in answer["tables"][0]["quantities"]))
        answer, _ = listed("skylake_x", "cpu")
        there = {(q["quantity"], q["scope"]): q["pmus_there"] for q in answer["tables"][0]["quantities"]}
        self.assertTrue(there["bytes.DRAM.read", "process"])
        self.assertFalse(there["bytes.DRAM.read", "socket"])
        answer, _ = listed("skylake_x", "software")
        self.assertIn("no PMU `cpu`", answer["nothing"]["reason"])
        self.assertEqual(answer["nothing"]["of"], "all")
        # The memory controllers count without a PMU of the cores.
        answer, _ = listed("skylake_x", "software", "uncore_imc_0")
        self.assertEqual(answer["nothing"]["of"], "process")
        self.assertTrue(any(q["pmus_there"] for q in answer["tables"][0]["quantities"]))
        with tempfile.TemporaryDirectory() as devices:
            (pathlib.Path(devices) / "uncore_imc_0").mkdir()
            text = " ".join(run("--cpuinfo", str(cpuinfo / "skylake_x.txt"), "--devices", devices).stdout.split())
        self.assertIn("Of a program nothing can be counted here, only of a whole socket: the kernel has no PMU `cpu`", text)
        answer, _ = listed("zen1_guest", "software")
        self.assertIn("virtual", answer["nothing"]["reason"])

    def test_hybrid(self):
        answer, _ = listed("alder_lake", "cpu_core", "cpu_atom")
        self.assertEqual({t["name"]: t["pmus"] for t in answer["tables"]}, {"alder_lake_p": ["cpu_core"], "alder_lake_e": ["cpu_atom"]})
        e_cores = next(t for t in answer["tables"] if t["core_type"] == "E")
        refused = [entry for entry in e_cores["not_countable"] if "flop.f64" in entry["quantities"]]
        self.assertEqual(len(refused), 1)

    def test_a_processor_without_a_table(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 15\n")
            file.flush()
            done = run("--cpuinfo", file.name)
            self.assertEqual(done.returncode, 0)
            self.assertIn("no event table is for this processor (GenuineIntel family 6 model 15)", " ".join(done.stdout.split()))
            self.assertNotIn("Traceback", done.stderr)
        done = run("--cpuinfo", os.devnull)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Nothing can be counted here", done.stdout)

    def test_own_tables(self):
        with tempfile.TemporaryDirectory() as own:
            table = json.loads((tables / "skylake_x.json").read_text())
            table["about"] = "my own"
            (pathlib.Path(own) / "skylake_x.json").write_text(json.dumps(table))
            answer, complaints = listed("skylake_x", "cpu", ROOFMARK_EVENTS=own)
            self.assertEqual(complaints, "")
            self.assertEqual(answer["tables"][0]["about"], "my own")
            # A bad one is one line, and ours is used.
            (pathlib.Path(own) / "skylake_x.json").write_text(json.dumps(table)[:-9])
            answer, complaints = listed("skylake_x", "cpu", ROOFMARK_EVENTS=own)
            self.assertEqual(len(complaints.splitlines()), 1, complaints)
            self.assertIn(own, complaints)
            self.assertNotEqual(answer["tables"][0]["about"], "my own")

    def test_every_table_is_shown(self):
        for path in sorted(cpuinfo.glob("*.txt")):
            done = run("--cpuinfo", str(path))
            self.assertEqual(done.returncode, 0, path)
            answer_of(run("--cpuinfo", str(path), "--format", "json"))
            self.assertNotIn("(no name)", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 160)

    def test_the_schema_refuses(self):
        if lists is None:
            self.skipTest(schema.missing)
        answer, _ = listed("skylake_x", "software")

        def spoilt(change):
            other = copy.deepcopy(answer)
            change(other)
            return other
        first = lambda d: d["tables"][0]["quantities"][0]
        for change in (lambda d: d.update(schema="roofmark-events-list/2"), lambda d: d.pop("tables"),
                       lambda d: d["nothing"].pop("of"), lambda d: d["nothing"].update(fix=""),
                       lambda d: first(d).update(quantity="flops"), lambda d: first(d).update(sum=[]),
                       lambda d: first(d).update(pmus_there="yes"), lambda d: first(d).update(scope="thread"),
                       lambda d: d["tables"][0].update(extra=1), lambda d: d["processors"][0].update(hardware_threads=0)):
            self.assertFalse(lists.accepts(spoilt(change)))

    def test_bad_input(self):
        done = run("--cpuinfo", "/nonexistent")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(run("--format", "xml").returncode, 2)
        for option in ("-o", "--cpuinfo", "--devices"):
            self.assertEqual(run(option, "").returncode, 2, option)
        self.assertEqual(run("--format", "JSON").stdout, run("--format", "json").stdout)
        if os.path.exists("/dev/full"):
            self.assertEqual(run("-o", "/dev/full").returncode, 1)


unittest.main(argv=sys.argv[:1], verbosity=0)
