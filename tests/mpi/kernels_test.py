#!/usr/bin/env python3
"""BLAS, FFT, STREAM and MPI of a job under one roof: a program of ours, and Debian's HPC Challenge, which nobody here wrote.

usage: kernels_test.py ROOFMARK SOURCES openmpi|mpich own|hpcc
Exit 77: skipped, with the reason.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOFMARK, SOURCES, MPI = None, None, None
RANKS, N = 2, 256
EXAMPLE = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


def skipped(why):
    print("skipped:", why, file=sys.stderr)
    sys.exit(77)


def number(region, *keys):
    for key in keys:
        region = region.get(key) or {}
    return region.get("value", 0)


class Job(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="roofmark-kernels-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def record(self, *program, ranks=RANKS, options=(), **variables):
        launcher = [f"mpirun.{MPI}"] + (["--oversubscribe"] if MPI == "openmpi" else [])
        own = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OPENBLAS_NUM_THREADS="1", **variables,
                   ROOFMARK_MACHINE_FILE=str(SOURCES / "tests/examples/small_caches.machine.json"))
        done = subprocess.run([ROOFMARK, "record", "-o", "p.json", *options, "--", *launcher, "-n", str(ranks), *map(str, program)],
                              cwd=self.folder, env=own, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        profile = json.loads((self.folder / "p.json").read_text())
        self.said = done.stderr + " ".join(profile["notes"])
        if ranks > 1:
            self.assertEqual(profile["program"]["ranks"]["recorded"], ranks)
        return profile["regions"]

    def named(self, regions, name):
        found = [region for region in regions if region["path"] and re.fullmatch(name, region["path"][-1])]
        self.assertTrue(found, f"{name}: {[region['path'] for region in regions]}")
        return found

    def check_under_a_roof(self, region):
        self.assertEqual(region["ranks"]["count"], RANKS, region["path"])
        roofline = region["rooflines"][0]
        self.assertEqual(roofline["precision"], "f64", region["path"])
        self.assertGreater(roofline["levels"]["DRAM"]["intensity"], 0, region["path"])


class Own(Job):
    def test_three_kernels_and_mpi_are_regions_under_one_roof(self):
        subprocess.run([f"mpicc.{MPI}", "-O2", "-I", SOURCES / "libprofiler/include", SOURCES / "tests/mpi/kernels.c", "-o",
                        self.folder / "kernels", "-lfftw3", "-lblas", "-lm", "-ldl"], check=True)
        regions = self.record(self.folder / "kernels", N)
        (product,) = self.named(regions, "dgemm")
        (transform,) = self.named(regions, "fftw_execute")
        (triad,) = self.named(regions, "triad")
        self.named(regions, "MPI_Allreduce")
        flop = {name: number(region, "flop", "f64")
                for name, region in (("product", product), ("transform", transform), ("triad", triad))}
        if not flop["triad"]:
            skipped("no emulator here: " + self.said)
        self.assertEqual(flop["triad"], RANKS * 2 * N * N)
        self.assertEqual(number(product, "declared", "flop"), RANKS * 2 * N ** 3)
        self.assertAlmostEqual(flop["product"] / (RANKS * 2 * N ** 3), 1, delta=0.01)
        # Between the fewest operations known for a transform of this length, and the radix-2 count.
        radix_2 = RANKS * 5 * N * N * math.log2(N * N)
        self.assertEqual(number(transform, "declared", "flop"), round(radix_2))
        self.assertTrue(0.7 * radix_2 < flop["transform"] <= radix_2, flop)
        for region in (product, transform, triad):
            self.check_under_a_roof(region)


class Hpcc(Job):
    def case(self, n, ranks):
        lines = EXAMPLE.read_text().splitlines(keepends=True)
        for line, value in ((6, n), (8, 32), (11, 1), (12, ranks)):
            lines[line - 1] = re.sub(r"^\S+", str(value), lines[line - 1])
        (self.folder / "hpccinf.txt").write_text("".join(lines))

    def output(self):
        text = (self.folder / "hpccoutf.txt").read_text()
        self.assertIn("Success=1", text)
        return text

    def test_debians_hpc_challenge(self):
        self.case(400, RANKS)
        # It multiplies matrices of many sizes, and some as often as time allows: those of one size are a region.
        regions = self.record("hpcc", ROOFMARK_PACK_SHAPES="1")
        self.output()
        self.named(regions, "dtrsm .*")
        calls = self.named(regions, r"MPI_[A-Z].*")
        self.assertGreater(len({region["path"][-1] for region in calls}), 10)
        products = [region for region in self.named(regions, r"dgemm \d+x\d+x\d+")
                    if "visits_differ" not in region["flags"] and region.get("ranks", {}).get("count") == RANKS]
        largest = max(products, key=lambda region: number(region, "declared", "flop"))
        counted = number(largest, "flop", "f64")
        if not counted:
            skipped("its products were not counted: " + self.said)
        self.assertEqual(largest["flop"]["f64"]["source"], "counted")
        self.assertAlmostEqual(counted / number(largest, "declared", "flop"), 1, delta=0.02)
        self.check_under_a_roof(largest)

    def test_its_own_code_which_is_stripped(self):
        # Alone: ranks that share a core spend their time in waiting for each other.
        self.case(1200, 1)
        regions = self.record("hpcc", ranks=1, options=("--packs", "none", "--mpi", "never"))
        own = self.named(regions, r"hpcc\+0x[0-9a-f]+")
        self.named(regions, "dgemm_kernel.*")
        # STREAM alone and on all ranks: ten times scale, add and triad, and once a doubling of one array.
        elements = int(re.search(r"^STREAM_VectorSize=(\d+)", self.output(), re.M).group(1))
        flop = 2 * (10 * (1 + 1 + 2) + 1) * elements
        if not any(number(region, "flop", "f64") for region in regions):
            skipped("no emulator here: " + self.said)
        stream = [region for region in own if abs(number(region, "flop", "f64") / flop - 1) < 1e-3]
        self.assertEqual(len(stream), 1, {region["path"][0]: number(region, "flop", "f64") for region in own})
        self.assertGreater(stream[0]["rooflines"][0]["levels"]["DRAM"]["intensity"], 0)


if __name__ == "__main__":
    ROOFMARK, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    MPI, WHAT = sys.argv[3:5]
    for needed in (f"mpirun.{MPI}", f"mpicc.{MPI}" if WHAT == "own" else "hpcc"):
        if shutil.which(needed) is None:
            skipped("there is no " + needed)
    unittest.main(argv=[sys.argv[0], "-v", {"own": "Own", "hpcc": "Hpcc"}[WHAT]])
