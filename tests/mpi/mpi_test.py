#!/usr/bin/env python3
"""Jobs of several ranks, recorded around their launcher and inside it.

usage: mpi_test.py ROOFMARK SOURCES openmpi|mpich GROUP
Exit 77: skipped, with the reason.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOFMARK, SOURCES, MPI, GROUP = None, None, None, None
RANKS = 4
HERE = pathlib.Path(__file__).resolve().parent


def machine():
    return SOURCES / "tests" / "examples" / "small_caches.machine.json"


def job(*words, ranks=RANKS):
    """The launcher's words before the program's."""
    launcher = [f"mpirun.{MPI}"]
    if MPI == "openmpi":
        launcher.append("--oversubscribe")
    return [*launcher, "-n", str(ranks), *map(str, words)]


def environment():
    own = dict(os.environ, ROOFMARK_MACHINE_FILE=str(machine()))
    # The test may run as root in a container; nobody else is to be told to.
    own.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return own


def at(profile, *path):
    for region in profile["regions"]:
        if region["path"] == list(path):
            return region
    raise AssertionError(f"no region {path}: {[r['path'] for r in profile['regions']]}")


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="roofmark-mpi-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = self.folder / "ranks"
        subprocess.run(
            [f"mpicc.{MPI}", "-O2", "-g", "-I", SOURCES / "libprofiler" / "include",
             HERE / "ranks.c", "-o", self.program, "-ldl"], check=True)

    def run_in(self, words, status=0, **more):
        done = subprocess.run(list(map(str, words)), cwd=self.folder, env=environment(), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=500, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def load(self, name):
        return json.loads((self.folder / name).read_text())


class Whole(Job):
    """roofmark record -- mpirun -n N program"""

    def test_all_ranks_are_one_job(self):
        done = self.run_in([ROOFMARK, "record", "-o", "p.json", "--", *job(self.program, 20000, 5)])
        self.assertIn(f"{RANKS} ranks:", done.stdout)
        profile = self.load("p.json")
        ranks = profile["program"]["ranks"]
        self.assertEqual((ranks["size"], ranks["recorded"], ranks["nodes"]), (RANKS, RANKS, 1))
        self.assertNotIn("rank", ranks)

        triad = at(profile, "solve", "triad")
        self.assertEqual(triad["visits"], RANKS * 5)
        # Two FLOPs an element, of every rank.
        self.assertEqual(triad["flop"]["f64"]["value"], RANKS * 5 * 2 * 20000)
        self.assertEqual(triad["flop"]["f64"]["source"], "counted")
        spread = triad["ranks"]
        self.assertEqual(spread["count"], RANKS)
        self.assertLessEqual(spread["min_s"], spread["median_s"])
        self.assertLessEqual(spread["median_s"], spread["max_s"])
        wall = triad["wall_s"]
        self.assertLessEqual(spread["max_s"], wall.get("high", wall["value"]) * 1.0001)

        # Rank r does r + 1 shares.
        uneven = at(profile, "solve", "uneven")
        shares = sum(range(1, RANKS + 1))
        self.assertEqual(uneven["flop"]["f64"]["value"], shares * 5 * 2 * 20000)
        self.assertGreater(uneven["imbalance"], 1)

        # The launcher, which is no rank.
        note = [n for n in profile["notes"] if "launcher" in n]
        self.assertEqual(len(note), 1, profile["notes"])
        self.assertRegex(note[0], "orterun|mpirun|prterun|hydra")
        self.assertFalse([r["path"] for r in profile["regions"] if "mpi" in "".join(r["path"])
                          and "[" in "".join(r["path"])])
        text = self.run_in([ROOFMARK, "report", "p.json"]).stdout
        self.assertIn(f"{RANKS} ranks on 1 node", " ".join(text.split()))
        self.assertIn("Max/mean", text)

    def test_a_shell_between_launcher_and_program(self):
        self.run_in([ROOFMARK, "record", "-o", "p.json", "--",
                     *job("sh", "-c", f"{self.program} 20000 5; exit 3")], status=3)
        triad = at(self.load("p.json"), "solve", "triad")
        self.assertEqual(triad["visits"], RANKS * 5)
        self.assertEqual(triad["ranks"]["count"], RANKS)


def main():
    global ROOFMARK, SOURCES, MPI, GROUP
    ROOFMARK, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    MPI, GROUP = sys.argv[3:5]
    for program in (f"mpirun.{MPI}", f"mpicc.{MPI}"):
        if shutil.which(program) is None:
            print(f"skipped: there is no {program} (Debian: openmpi-bin and libopenmpi-dev, mpich "
                  "and libmpich-dev)")
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], GROUP, "-v"])


if __name__ == "__main__":
    main()
