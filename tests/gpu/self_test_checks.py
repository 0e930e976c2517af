#!/usr/bin/env python3
"""What can be held to of the self-test of GPUs where there is no card: that it says so, and that it sees what is wrong.

usage: self_test_checks.py SELF_TEST GPU_KNOWN_WORK FAKE_DRIVER
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

self_test, program, driver = sys.argv[1:4]
CHIPS = pathlib.Path(self_test).resolve().parent.parent.parent / "collectors/cupti"


def run(*command, **environment):
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)


def profile_of(work):
    """A profile that counts what the kernels should be counted as."""
    regions = []
    for name, kernel in work["kernels"].items():
        region = {"path": [name, name + "()"], "visits": work["launches"], "kernel": {"symbol": name}, "missing": []}
        for quantity, expected in kernel["counts"].items():
            if quantity == "threads":
                continue
            kind, part, *direction = quantity.split(".")
            part = "f16" if (kind, part) == ("flop", "bf16") else part
            value = {"value": expected * work["launches"]}
            place = region.setdefault(kind, {})
            if kind != "bytes":
                place[part] = value
            else:
                place.setdefault(part, {})[direction[0] if direction else "total"] = value
        regions.append(region)
    return {"regions": regions}


class WithoutACard(unittest.TestCase):
    def test_no_driver_is_one_line_and_77(self):
        done = run(sys.executable, self_test, "--roofmark", sys.executable, "--program", program, ROOFMARK_CUDA_LIBRARY="/nowhere/libcuda.so.1")
        self.assertEqual(done.returncode, 77, done)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("no NVIDIA driver", done.stdout)


class WithADriverOfTheTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run(program, "work", ROOFMARK_CUDA_LIBRARY=driver)
        if done.returncode == 77:
            raise unittest.SkipTest(done.stdout)
        assert done.returncode == 0, done
        cls.work = json.loads(done.stdout)
        done = run(program, "ceilings", str(CHIPS), ROOFMARK_CUDA_LIBRARY=driver, ROOFMARK_CUBLAS_LIBRARY="/nowhere/libcublas.so")
        assert done.returncode == 0, done
        cls.ceilings = json.loads(done.stdout)

    def judged(self, work, profile, ceilings):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, document in (("work", work), ("profile", profile), ("ceilings", ceilings)):
                names.append(os.path.join(folder, name))
                pathlib.Path(names[-1]).write_text(json.dumps(document), encoding="utf-8")
            return run(sys.executable, self_test, "--judge", *names)

    def test_known_work(self):
        kernels = self.work["kernels"]
        self.assertEqual(len(kernels), 31)
        triad = kernels["triad"]["counts"]
        self.assertEqual(triad["bytes.HBM.read"], 2 * triad["bytes.HBM.write"])
        # 132 SMs with 8 blocks of 256 threads, 16 chains of 8 multiply-adds.
        fma = kernels["fma_f64"]
        self.assertEqual(fma["counts"]["flop.f64"], 132 * 8 * 256 * 256 * fma["iterations"])

    def test_all_as_it_should_be(self):
        ceilings = copy.deepcopy(self.ceilings)
        for ceiling in ceilings["ceilings"]:
            ceiling["flags"] = [flag for flag in ceiling["flags"] if flag != "above_theory"]
        done = self.judged(self.work, profile_of(self.work), ceilings)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("0 failures", done.stdout)
        self.assertIn("not compared with cuBLAS", done.stdout)

    def test_what_is_wrong_is_seen(self):
        good = profile_of(self.work)

        def spoilt(change):
            other = copy.deepcopy(good)
            change({region["path"][0]: region for region in other["regions"]}, other)
            return other

        def scaled(count, factor):
            count["value"] *= factor
        for change in (lambda r, p: scaled(r["fma_f64"]["flop"]["f64"], 1.02),
                       lambda r, p: scaled(r["wgmma_f16"]["tensor"]["f16"], 0.5),
                       lambda r, p: scaled(r["triad"]["bytes"]["HBM"]["write"], 0.96),
                       lambda r, p: r["fma_f32"]["flop"].clear(),
                       lambda r, p: r["read_l2"]["bytes"].clear(),
                       lambda r, p: p["regions"].clear()):
            done = self.judged(self.work, spoilt(change), self.ceilings)
            self.assertEqual(done.returncode, 1, done.stdout)
        # Within the tolerance it is as it should be: 2 % of bytes, half a percent of FLOPs.
        fine = self.judged(self.work, spoilt(lambda r, p: scaled(r["triad"]["bytes"]["HBM"]["write"], 0.98)), self.ceilings)
        self.assertIn("triad          bytes.HBM.write", fine.stdout)
        self.assertNotIn("off by", fine.stdout)

    def test_low_ceilings_are_seen(self):
        ceilings = {**self.ceilings, "cublas": {"tensor.f16": 1.5e12}, "device_copy_bytes_per_s": 2e11}
        done = self.judged(self.work, profile_of(self.work), ceilings)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("below it by"), 2, done.stdout)


unittest.main(argv=sys.argv[:1])
