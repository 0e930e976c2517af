#!/usr/bin/env python3
"""`roofmark merge` of made-up ranks: what is missing or broken, and, as a bench, 10,000 of them.

usage: merge_test.py ROOFMARK SOURCES [RANKS]
With a number of ranks: merges so many and prints time and memory; fails above 60 s or 1 GiB.
"""
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOFMARK, SOURCES = None, None
MOST_S, MOST_BYTES = 60, 1 << 30


def template():
    """A recording as it looks: the regions of a fixture, for a rank."""
    profile = json.loads((SOURCES / "tests" / "fixtures" / "nested.roofmark.json").read_text())
    for region in profile["regions"]:
        for part in (region, region["self"]):
            part.pop("rooflines", None)
        region["rooflines"] = []
    return profile


def write_ranks(folder, size, ranks, per_node=64):
    """Files of these ranks. Rank r took (1 + r / size) times as long as rank 0."""
    profile = template()
    times = [(region["wall_s"], region["wall_s"]["value"]) for region in profile["regions"]
             if "wall_s" in region]
    for rank in ranks:
        profile["program"]["host"] = f"node{rank // per_node}"
        profile["program"]["ranks"] = {"size": size, "recorded": 1, "nodes": 1, "rank": rank,
                                       "on_node": min(per_node, size), "launcher": "Open MPI"}
        for wall, value in times:
            wall["value"] = value * (1 + rank / size)
            wall.pop("low", None)
            wall.pop("high", None)
        (folder / f"rank-{rank}.roofmark.json").write_text(json.dumps(profile))
    return profile


class Merge(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="roofmark-merge-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.ranks = self.folder / "ranks"
        self.ranks.mkdir()

    def merge(self, *words, status=0):
        done = subprocess.run([ROOFMARK, "merge", *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def load(self, name="job.json"):
        return json.loads((self.folder / name).read_text())

    def test_sums_extremes_and_names(self):
        profile = write_ranks(self.ranks, 12, range(12), per_node=4)
        self.assertEqual(self.merge("ranks", "-o", "job.json"), "")
        job = self.load()
        self.assertEqual(job["program"]["ranks"],
                         {"size": 12, "recorded": 12, "nodes": 3, "launcher": "Open MPI"})
        self.assertEqual([r["path"] for r in job["regions"]], [r["path"] for r in profile["regions"]])
        for one, merged in zip(profile["regions"], job["regions"]):
            self.assertEqual(merged["visits"], 12 * one["visits"])
            for precision, count in one["flop"].items():
                self.assertEqual(merged["flop"][precision]["value"], 12 * count["value"])
            if "wall_s" in one:
                spread = merged["ranks"]
                self.assertEqual((spread["min_rank"], spread["max_rank"], spread["count"]), (0, 11, 12))
                self.assertAlmostEqual(spread["max_s"] / spread["min_s"], 1 + 11 / 12)
        report = subprocess.run([ROOFMARK, "report", "job.json"], cwd=self.folder, text=True,
                                capture_output=True, check=True).stdout
        self.assertIn("12 ranks on 3 nodes", " ".join(report.split()))

    def test_a_rank_that_is_missing_is_named(self):
        write_ranks(self.ranks, 8, [0, 1, 2, 4, 5, 7])
        self.merge("ranks", "-o", "job.json")
        self.assertIn("Ranks 3, 6 of 8 are not in here", self.load()["notes"][0])

    def test_a_broken_file_is_refused_in_one_line_or_left_out(self):
        write_ranks(self.ranks, 4, range(4))
        (self.ranks / "rank-2.roofmark.json").write_text('{"schema": "roofmark-pro')
        line = self.merge("ranks", "-o", "job.json", status=2)
        self.assertEqual(len(line.splitlines()), 1, line)
        self.assertIn("rank-2.roofmark.json", line)
        self.assertFalse((self.folder / "job.json").exists())
        line = self.merge("--skip-broken", "ranks", "-o", "job.json")
        self.assertEqual(len(line.splitlines()), 1, line)
        job = self.load()
        self.assertEqual(job["program"]["ranks"]["recorded"], 3)
        self.assertIn("1 file could not be used", job["notes"][0])
        self.assertIn("Rank 2 of 4 is not in here", job["notes"][1])

    def test_what_is_no_rank_or_no_file(self):
        write_ranks(self.ranks, 2, range(2))
        whole = SOURCES / "tests" / "fixtures" / "nested.roofmark.json"
        self.assertIn("no recording of one rank", self.merge(whole, status=2))
        self.assertIn("absent", self.merge("absent", status=2))
        (self.folder / "empty").mkdir()
        self.assertIn("holds no profiles", self.merge("empty", status=2))
        self.assertEqual(self.merge("--skip-broken", whole, "ranks", "-o", "job.json").count("\n"), 1)
        rank = self.ranks / "rank-0.roofmark.json"
        before = rank.read_bytes()
        self.merge("ranks", "-o", rank, status=2)
        self.assertEqual(rank.read_bytes(), before)

    def test_the_default_name_overwrites_nothing(self):
        write_ranks(self.ranks, 2, range(2))
        self.assertIn("out.roofmark.json", self.merge("ranks"))
        before = (self.folder / "out.roofmark.json").read_bytes()
        self.assertIn("out.roofmark-2.json", self.merge("ranks"))
        self.assertEqual((self.folder / "out.roofmark.json").read_bytes(), before)


def bench(size):
    with tempfile.TemporaryDirectory(prefix="roofmark-merge-") as name:
        folder = pathlib.Path(name) / "ranks"
        folder.mkdir()
        write_ranks(folder, size, range(size))
        files = sum(path.stat().st_size for path in folder.iterdir())
        started = time.monotonic()
        subprocess.run([ROOFMARK, "merge", folder, "-o", pathlib.Path(name) / "job.json"], check=True)
        took = time.monotonic() - started
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"RATIO merge of {size} ranks ({files / 1e6:.0f} MB), s | {took:.1f} | <= {MOST_S}")
        print(f"RATIO merge of {size} ranks, MiB | {most / 2**20:.0f} | <= {MOST_BYTES >> 20}")
        return 0 if took <= MOST_S and most <= MOST_BYTES else 1


if __name__ == "__main__":
    ROOFMARK, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if len(sys.argv) > 3:
        sys.exit(bench(int(sys.argv[3])))
    unittest.main(argv=[sys.argv[0], "-v"])
