#!/usr/bin/env python3
"""The Fortran module: regions, names, declared work and teams, in both runs, and without Roofmark.

usage: fortran_test.py ROOFMARK SUPPORT PROGRAM...      (SUPPORT: tests/support; one program a set of compiler options)
"""
import subprocess
import sys
import unittest

roofmark, support, *programs = sys.argv[1:]
sys.path.insert(0, support)
from recording import Recording  # noqa: E402

N = 1000


class Fortran(unittest.TestCase):
    def each(self, scenario, counters, check):
        for program in programs:
            with self.subTest(program=program, counters=counters):
                check(Recording(roofmark, [program, scenario], counters=counters))

    def test_nested_regions_are_counted_exactly(self):
        def check(run):
            self.assertEqual(run.visits(), {("solve",): 1, ("solve", "step"): 3, ("real",): 1})
            self.assertEqual(run.flop("solve", "step"), 3 * 2 * N)
            self.assertEqual(run.flop("solve"), 3 * 2 * N)
            self.assertEqual(run.flop("real"), 0)
            self.assertEqual(run.declared("solve", "step"), (3 * 2 * N, 3 * 24 * N))
            self.assertEqual(run.declared("solve")[0], 3 * 2 * N)
            self.assertEqual(run.declared("real"), (1, 2))
            for path in run.paths():
                self.assertFalse({"mismatched", "unclosed"} & set(run.flags(*path)), path)
            self.assertEqual(run.output, "sum     6000.0\n")
        self.each("nested", "emulated", check)

    def test_names_lose_the_blanks_behind_them_only(self):
        def check(run):
            self.assertEqual(run.visits(), {("padded with blanks",): 1, ("Löser",): 1, ("",): 1,
                                            ("padded with blanks", "  blanks inside, and before"): 1})
            for path in run.paths():
                self.assertFalse({"mismatched", "unclosed"} & set(run.flags(*path)), path)
        self.each("names", "none", check)
        self.each("names", "emulated", check)

    def test_bad_nesting_is_flagged(self):
        def check(run):
            self.assertEqual(run.visits(), {("outer",): 1, ("outer", "inner"): 1, ("open",): 1})
            self.assertIn("mismatched", run.flags("outer", "inner"))
            self.assertIn("unclosed", run.flags("open"))
            self.assertNotIn("unclosed", run.flags("outer"))
        self.each("nesting", "none", check)

    def test_a_team_hangs_below_the_region_that_made_it(self):
        def check(run):
            self.assertEqual(run.visits(), {("team",): 1, ("team", "part"): 8})
            self.assertEqual(run.flop("team", "part"), 2 * N)
            self.assertEqual(run.flop("team"), 2 * N)
        self.each("team", "emulated", check)

    def test_without_roofmark_the_program_is_itself(self):
        for program in programs:
            for scenario, total in (("nested", 6000), ("names", 0), ("nesting", 0), ("team", 3000)):
                done = subprocess.run([program, scenario], capture_output=True, text=True, check=True)
                self.assertEqual((done.stdout, done.stderr), (f"sum {total:8}.0\n", ""))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
