#!/usr/bin/env python3
"""`roofmark gpu` from outside, on a machine that need have neither a GPU nor CUDA.

usage: command_test.py ROOFMARK SCHEMA
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import schema  # noqa: E402

roofmark = sys.argv[1]
lists = schema.Schema(sys.argv[2]) if schema.Validator else None
if lists is None:
    print("the schema is not tested: " + schema.missing)

nowhere = "/nowhere/libcupti.so"


def run(*arguments, **environment):
    full = {**os.environ, "COLUMNS": "100", **environment}
    return subprocess.run([roofmark, "gpu", *arguments], capture_output=True, text=True, env=full, check=False)


def answer(*arguments, **environment):
    done = run(*arguments, "--format", "json", **environment)
    assert done.returncode == 0, done
    document = schema.parse(done.stdout)
    if lists is not None:
        assert lists.accepts(document), lists.errors(document)
    return document


class Gpu(unittest.TestCase):
    def test_chips(self):
        chips = answer()["chips"]
        self.assertEqual(len(chips), 29)
        done = run()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for chip in chips:
            self.assertIn(chip["chip"], done.stdout)

    def test_each_chip_is_planned(self):
        for chip in answer()["chips"]:
            by_table = answer("plan", "--chip", chip["chip"], ROOFMARK_CUPTI_LIBRARY=nowhere)
            self.assertFalse(by_table["host_api"])
            for planned in (answer("plan", "--chip", chip["chip"]), by_table):
                # Every metric of a quantity is in some run, and a set of SASS metrics has no other.
                metrics = {metric for one in planned["sets"] for metric in one["metrics"]}
                for quantity in planned["quantities"]:
                    self.assertLessEqual({term["metric"] for term in quantity["sum"]}, metrics)
                for one in planned["sets"]:
                    self.assertEqual({"__sass_" in metric and "peak" not in metric for metric in one["metrics"]},
                                     {one["name"] == "sass"})
                    self.assertEqual(one["passes"], 1)
                self.assertIn("flop.f64", {quantity["quantity"] for quantity in planned["quantities"]})

    def test_tables_and_the_host_half_plan_alike(self):
        """Where the CUPTI is installed that made the table; else there is the table alone."""
        for chip in ("TU102", "GA100", "GH100", "GB100", "GB202", "GB20B"):
            asked = answer("plan", "--chip", chip)
            if asked["host_api"] and "API version 130001" in asked["planned_by"]:
                self.assertEqual(answer("plan", "--chip", chip, ROOFMARK_CUPTI_LIBRARY=nowhere)["sets"], asked["sets"])

    def test_text(self):
        done = run("plan", "--chip", "GH100", ROOFMARK_CUPTI_LIBRARY=nowhere)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("GH100 (Hopper, compute capability 9.0)", "Planned by its table", "sass: 11 metrics, 1 pass",
                      "2 smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "only where tensor units did something"):
            self.assertIn(words, done.stdout)

    def test_choices(self):
        planned = answer("plan", "--chip", "GH100", "--tensor", "bf16", "--traffic", "ncu", ROOFMARK_CUPTI_LIBRARY=nowhere)
        quantities = {quantity["quantity"] for quantity in planned["quantities"]}
        self.assertIn("tensor.bf16", quantities)
        self.assertNotIn("tensor.f16", quantities)
        self.assertIn("lts__lts2xbar_cycles_active.sum", {m for one in planned["sets"] for m in one["metrics"]})
        every = answer("plan", "--chip", "GH100", "--tensor", "all")
        self.assertIn("tensor.i1", {quantity["quantity"] for quantity in every["quantities"]})

    def test_mistakes_are_one_line(self):
        for arguments, word in ((("plan",), "--chip"), (("plan", "--chip", "gh100"), "GH100"),
                                (("plan", "--chip", "GH100", "--tensor", "f17"), "bf16"),
                                (("plan", "--chip", "TU117", "--tensor", "f16"), "no tensor units"),
                                (("plan", "--chip", "GH100", "--traffic", "x"), "--help"), (("--chip", "GH100"), "plan"),
                                (("draw",), "--help"), (("plan", "--chip", ""), "--help")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(word, done.stderr)

    def test_output(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.txt"
            self.assertEqual(run("plan", "--chip", "GA100", "-o", str(path)).returncode, 0)
            self.assertIn("GA100", path.read_text())
            self.assertEqual(run("-o", folder).returncode, 1)


unittest.main(argv=sys.argv[:1])
