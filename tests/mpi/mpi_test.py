#!/usr/bin/env python3
"""Jobs of several ranks, recorded around their launcher and inside it.

usage: mpi_test.py ROOFMARK SOURCES openmpi|mpich GROUP
Exit 77: skipped, with the reason.
"""
import json
import os
import pathlib
import re
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

        # Each rank by itself: r + 1 of the shares, of its own time.
        cloud = uneven["shares"]
        self.assertEqual((cloud["of"], cloud["total"], cloud.get("left_out", [])), ("ranks", RANKS, []))
        self.assertEqual([one["number"] for one in cloud["each"]], list(range(RANKS)))
        for one in cloud["each"]:
            self.assertEqual(one["flop"]["f64"], (one["number"] + 1) * 5 * 2 * 20000)
            self.assertGreater(one["wall_s"], 0)

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


class Inside(Job):
    """mpirun -n N roofmark record -o FOLDER -- program"""

    def record(self, *words, counters="auto", **more):
        return self.run_in(job(ROOFMARK, "record", "--counters", counters, "-o", "out", "--", *words),
                           **more)

    def test_every_rank_has_a_file_and_they_merge(self):
        done = self.record(self.program, 20000, 5)
        self.assertIn(f"{RANKS} ranks:", done.stdout)
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, [f"rank-{rank}.roofmark.json" for rank in range(RANKS)])
        # One rank speaks for all, and says how to count.
        self.assertEqual(done.stderr.count("roofmark record -- mpirun"), 1, done.stderr)
        self.assertEqual(done.stderr.count("roofmark merge out"), 1, done.stderr)

        for rank in range(RANKS):
            profile = self.load(f"out/rank-{rank}.roofmark.json")
            ranks = profile["program"]["ranks"]
            self.assertEqual((ranks["rank"], ranks["size"]), (rank, RANKS))
            self.assertEqual(ranks["on_node"], RANKS)
            triad = at(profile, "solve", "triad")
            self.assertEqual(triad["visits"], 5)
            self.assertNotIn("ranks", triad)
            self.assertFalse(triad["flop"])
            self.assertIn("launcher connects it once",
                          " ".join(missing["reason"] for missing in triad["missing"]))

        self.run_in([ROOFMARK, "merge", "out", "-o", "job.json"])
        merged = self.load("job.json")
        self.assertEqual(merged["program"]["ranks"]["recorded"], RANKS)
        triad = at(merged, "solve", "triad")
        self.assertEqual(triad["visits"], RANKS * 5)
        times = [at(self.load(f"out/rank-{rank}.roofmark.json"), "solve", "triad")["wall_s"]["value"]
                 for rank in range(RANKS)]
        self.assertAlmostEqual(triad["ranks"]["max_s"], max(times))
        self.assertAlmostEqual(triad["ranks"]["min_s"], min(times))
        self.assertEqual(triad["ranks"]["max_rank"], times.index(max(times)))
        self.assertGreaterEqual(triad["wall_s"]["value"], max(times))

        # A second recording takes nothing from the first.
        before = (self.folder / "out" / "rank-0.roofmark.json").read_bytes()
        self.record(self.program, 20000, 5, counters="none")
        self.assertEqual((self.folder / "out" / "rank-0.roofmark.json").read_bytes(), before)
        self.assertEqual(len(list((self.folder / "out").iterdir())), 2 * RANKS)
        done = self.run_in([ROOFMARK, "merge", "out", "-o", "both.json"], status=2)
        self.assertIn("is there already", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertFalse((self.folder / "both.json").exists())

    def test_the_job_ends_as_its_ranks_end(self):
        self.record("sh", "-c", f"{self.program} 100 1; exit 7", counters="none", status=7)

    def test_a_file_in_the_way_is_said_before_anything_runs(self):
        (self.folder / "out").write_text("mine")
        done = self.record(self.program, 100, 1, counters="none", status=125)
        self.assertIn("this is no folder", done.stderr)
        self.assertNotIn("ranks:", done.stdout)
        self.assertEqual((self.folder / "out").read_text(), "mine")


class Time(Job):
    """MPI calls are regions, and their time is apart."""

    def test_calls_are_regions_below_the_open_one(self):
        self.run_in([ROOFMARK, "record", "-o", "p.json", "--", *job(self.program, 20000, 5)])
        profile = self.load("p.json")
        call = at(profile, "solve", "exchange", "MPI_Allreduce")
        self.assertEqual(call["visits"], RANKS * 5)
        self.assertEqual(call["mpi_ranks"]["count"], RANKS)
        self.assertEqual(at(profile, "MPI_Init")["visits"], RANKS)
        self.assertEqual(at(profile, "MPI_Finalize")["visits"], RANKS)
        exchange, solve = at(profile, "solve", "exchange"), at(profile, "solve")
        self.assertLessEqual(exchange["mpi_s"]["value"], exchange["thread_s"]["value"])
        self.assertAlmostEqual(solve["mpi_s"]["value"], exchange["mpi_s"]["value"])
        self.assertAlmostEqual(call["mpi_ranks"]["max_s"], exchange["mpi_ranks"]["max_s"])
        self.assertNotIn("mpi_s", at(profile, "solve", "triad"))
        # What an MPI calls inside its own calls is no region.
        self.assertFalse([region["path"] for region in profile["regions"]
                          if sum(name.startswith("MPI_") for name in region["path"]) > 1])
        # The work of the region around is what it was.
        self.assertEqual(at(profile, "solve", "triad")["flop"]["f64"]["value"], RANKS * 5 * 2 * 20000)
        text = self.run_in([ROOFMARK, "report", "--all", "p.json"]).stdout
        self.assertIn("MPI time", text)

    def test_calls_are_none_where_that_was_not_asked(self):
        self.run_in([ROOFMARK, "record", "--mpi", "never", "--counters", "none", "-o", "p.json", "--",
                     *job(self.program, 1000, 2)])
        profile = self.load("p.json")
        self.assertFalse([r["path"] for r in profile["regions"] if "MPI_" in "".join(r["path"])])

    def test_ranks_in_a_job_have_their_mpi_time(self):
        self.run_in(job(ROOFMARK, "record", "--counters", "none", "-o", "out", "--", self.program, 1000, 3))
        self.run_in([ROOFMARK, "merge", "out", "-o", "job.json"])
        spread = at(self.load("job.json"), "solve")["mpi_ranks"]
        own = [at(self.load(f"out/rank-{rank}.roofmark.json"), "solve")["mpi_s"]["value"]
               for rank in range(RANKS)]
        self.assertAlmostEqual(spread["max_s"], max(own))
        self.assertAlmostEqual(spread["min_s"], min(own))

    def test_the_table_has_as_many_arguments_as_the_header(self):
        done = subprocess.run([f"mpicc.{MPI}", "-E", "-x", "c", "-"], input="#include <mpi.h>\n", text=True,
                              capture_output=True, check=True)
        declared = {name: 0 if arguments.strip() == "void" else arguments.count(",") + 1
                    for name, arguments in re.findall(r"\bint\s+MPI_(\w+)\s*\(([^()]*)\)", done.stdout)}
        table = (SOURCES / "libprofiler/target/attach/mpi/calls.h").read_text().split("FORTRAN_CALLS")[0]
        calls = re.findall(r"X\((\w+), (\w+), (\d+)\)", table)
        self.assertGreater(len(calls), 100)
        for name, fortran, count in calls:
            self.assertEqual(fortran, name.lower())
            self.assertEqual(int(count), declared[name], f"MPI_{name}")


class Calibration(Job):
    """The machine is measured once, by one of the ranks, for the whole node."""

    def test_one_of_the_ranks_measures_the_node(self):
        cache = self.folder / "cache"
        own = environment()
        del own["ROOFMARK_MACHINE_FILE"]
        own["XDG_CACHE_HOME"] = str(cache)
        # Bound to one core each where that is possible: the node is meant all the same.
        words = job(ROOFMARK, "record", "--counters", "none", "-o", "out", "--", self.program, 1000, 1)
        done = subprocess.run(list(map(str, words)), cwd=self.folder, env=own, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kept = list((cache / "roofmark").glob("machine-*.json"))
        self.assertEqual(len(kept), 1, kept)
        profiles = [self.load(f"out/rank-{rank}.roofmark.json") for rank in range(RANKS)]
        measured = {profile["machine"]["measured_at"] for profile in profiles}
        self.assertEqual(len(measured), 1, measured)
        self.assertEqual({profile["machine"]["topology"]["cores"] for profile in profiles},
                         {json.loads(kept[0].read_text())["topology"]["cores"]})
        self.assertFalse([note for profile in profiles for note in profile["machine"]["notes"]
                          if "Another calibration" in note or "probe finds" in note])


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
