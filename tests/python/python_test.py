#!/usr/bin/env python3
"""The Python package: regions, decorators, generators, threads and fork, in both runs, and without Roofmark.

usage: python_test.py ROOFMARK SUPPORT PACKAGE [EMULATED]      (SUPPORT: tests/support; PACKAGE: the folder that holds roofmark/)
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

roofmark, support, package, *emulated = sys.argv[1:]
sys.path.insert(0, support)
from recording import Recording  # noqa: E402

TARGET = pathlib.Path(__file__).with_name("target.py")
CLEAN = {"PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"}
SCENARIOS = ("nested", "names", "decorators", "generators", "asynchronous", "threads", "fork", "imported")


def record(scenario, counters="none"):
    run = Recording(roofmark, [sys.executable, str(TARGET), scenario], counters=counters, **CLEAN)
    assert run.output == "ran\n", run.output
    return run


class Python(unittest.TestCase):
    def visits(self, scenario, expected, counters="none"):
        run = record(scenario, counters)
        self.assertEqual(run.visits(), expected)
        for path in run.paths():
            self.assertFalse({"mismatched", "unclosed"} & set(run.flags(*path)), path)
        return run

    def test_nested(self):
        run = self.visits("nested", {("solve",): 1, ("solve", "step"): 3})
        self.assertEqual(run.declared("solve", "step"), (300, 3))
        self.assertEqual(run.declared("solve"), (600, 2400))

    @unittest.skipUnless(emulated, "no emulator was built")
    def test_nested_in_the_counted_run(self):
        run = self.visits("nested", {("solve",): 1, ("solve", "step"): 3}, counters="emulated")
        self.assertNotIn("visits_differ", run.flags("solve", "step"))
        # Interpreted code has no FLOPs here, and instructions of the interpreter.
        self.assertEqual(run.flop("solve", "step"), 0)

    def test_names(self):
        blanks = "with blanks, Löser 計算 \U0001f600"
        run = record("names")
        (odd,) = [path for path in run.paths() if path[0].startswith("not ")]
        self.assertEqual(run.visits(), {(blanks,): 1, (blanks, "bytes"): 1, ("bytes",): 1, ("",): 1, odd: 1})

    def test_decorators(self):
        self.visits("decorators", {("decorated",): 1, ("Solver.run",): 1, ("Solver.run", "Solver.run"): 1,
                                   ("Solver.run", "Solver.run", "Solver.run"): 1, ("static",): 1, ("after",): 1})

    def test_a_generator_is_a_visit_a_resumption(self):
        self.visits("generators", {("loop",): 1, ("loop", "generator"): 3, ("loop", "generator", "cleanup"): 1, ("loop", "body"): 2,
                                   ("generator",): 6, ("generator", "cleanup"): 2})

    def test_coroutines_that_run_in_turns_do_not_nest(self):
        self.visits("asynchronous", {("coroutine",): 4, ("asynchronous generator",): 11, ("old coroutine",): 2})

    def test_threads(self):
        self.visits("threads", {("pool",): 1, ("pool", "shared"): 400, ("pool", "shared", "shared"): 400, ("other",): 1,
                                ("detached",): 1})

    def test_fork(self):
        self.visits("fork", {("before",): 1, ("before", "child"): 1, ("behind",): 1})

    def test_a_program_that_only_imports_has_no_regions(self):
        run = self.visits("imported", {})
        # Its functions are found by sampling, where that is allowed.
        said = " ".join(run.notes + [m["reason"] for m in run.region().get("missing", [])]) + run.messages
        self.assertTrue("sampling" in run.profile or "no region" in said, said)

    def test_without_roofmark_the_program_is_itself(self):
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        for scenario in (*SCENARIOS, "undecorated"):
            with self.subTest(scenario):
                done = subprocess.run([sys.executable, str(TARGET), scenario], capture_output=True, text=True, check=False,
                                      env={**environment, **CLEAN})
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran\n", ""))

    def test_whether_it_records(self):
        self.assertEqual(Recording(roofmark, [sys.executable, str(TARGET), "active"], **CLEAN).output, "recording\nran\n")
        done = subprocess.run([sys.executable, str(TARGET), "active"], capture_output=True, text=True, check=True,
                              env={**os.environ, **CLEAN})
        self.assertEqual(done.stdout, "not recording\nran\n")

    def test_pip_installs_it_without_dependencies(self):
        for part in ("pip", "setuptools", "wheel"):
            if subprocess.run([sys.executable, "-c", f"import {part}"], capture_output=True, check=False).returncode != 0:
                print(f"skipped: pip is not tested, this Python has no {part}")
                self.skipTest(part)
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "source"), pathlib.Path(folder, "installed")
            shutil.copytree(package, source)
            done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation", "--target",
                                   str(target), str(source)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((target / "roofmark" / "__init__.py").exists())
            done = subprocess.run([sys.executable, str(TARGET), "nested"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": str(target)})
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
