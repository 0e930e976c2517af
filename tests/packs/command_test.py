#!/usr/bin/env python3
"""Library packs from outside: programs that call libraries in all the ways there are, with their results unchanged,
and what is declared of the calls against what the emulator counts.

usage: command_test.py ROOFMARK FOLDER_OF_PROGRAMS EMULATOR      (EMULATOR: `-` where it was not built)
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

roofmark, folder, emulator = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3] != "-"
libraries = pathlib.Path(roofmark).resolve().parent.parent / "lib"
PATIENCE = 400  # seconds that any one command may take on a busy machine
reference = [place for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")
             if os.path.exists(f"{place}/blas/libblas.so.3") and os.path.exists(f"{place}/lapack/liblapack.so.3")]


def needs(program):
    return unittest.skipUnless((folder / program).exists(), f"{program} was not built")


class Recorded:
    def __init__(self, *command, options=(), counters="none", **environment):
        with tempfile.TemporaryDirectory() as place:
            profile = pathlib.Path(place, "p.json")
            done = subprocess.run([roofmark, "record", "--counters", counters, "--no-machine", "--full-cache", "-o", str(profile), *options,
                                   "--", *map(str, command)], capture_output=True, text=True, check=False, timeout=PATIENCE,
                                  env={**os.environ, "HOME": place, "XDG_CACHE_HOME": "", "OPENBLAS_NUM_THREADS": "1", **environment})
            self.status, self.output, self.errors = done.returncode, done.stdout, done.stderr
            self.profile = json.loads(profile.read_text()) if profile.exists() else None
            if self.profile is not None:
                self.text = subprocess.run([roofmark, "report", "--all", str(profile)], capture_output=True, text=True, check=True).stdout

    def paths(self):
        return {"/".join(region["path"]) for region in self.profile["regions"]}

    def region(self, path):
        (found,) = [region for region in self.profile["regions"] if "/".join(region["path"]) == path]
        return found

    def visits(self, path):
        return self.region(path)["visits"]

    def declared(self, path, what="flop"):
        return self.region(path).get("declared", {}).get(what, {}).get("value")

    def counted(self, path):
        return sum(count["value"] for count in self.region(path).get("flop", {}).values())


class Calls(unittest.TestCase):
    @needs("packs_calls_blas")
    def test_fortran_and_cblas_calls_are_regions_and_their_results_are_right(self):
        run = Recorded(folder / "packs_calls_blas", 64)
        self.assertEqual((run.status, run.output), (0, "0 wrong\n"), run.errors)
        self.assertEqual(run.visits("dgemm"), 2)
        self.assertEqual(run.declared("dgemm"), 2 * 2 * 64 ** 3)
        self.assertEqual(run.declared("dgemm", "bytes"), 2 * 3 * 8 * 64 ** 2)  # beta is zero: C is only written
        self.assertEqual((run.visits("ddot"), run.declared("ddot")), (2, 12))
        self.assertEqual((run.visits("idamax"), run.declared("idamax"), run.declared("idamax", "bytes")), (2, None, 48))
        self.assertEqual((run.visits("zdotc"), run.declared("zdotc")), (1, 16))
        self.assertEqual((run.visits("zdotu"), run.declared("zdotu")), (1, 16))
        self.assertEqual((run.visits("cdotu"), run.declared("cdotu")), (1, 16))
        self.assertEqual((run.visits("zdscal"), run.declared("zdscal")), (1, 4))
        self.assertEqual(run.visits("dgesv"), 1)
        self.assertEqual(run.visits("dsyev"), 1)  # what only asked for the size of its workspace is none
        # The library's own calls: none below a call of the same pack, and none counts twice in what is around it.
        self.assertFalse([path for path in run.paths() if re.match("dgemm/|dsyev/ds(y|te)ev|dsyev/dsy(tr|ev)", path)])
        self.assertEqual(run.declared("dsyev"), 9 * 64 ** 3)

    def test_calls_of_lapacke_are_one_region_however_they_go_on(self):
        run = Recorded(folder / "packs_lapacke", options=("--packs", "lapack"))
        self.assertEqual((run.status, run.output), (0, "0 wrong\n"), run.errors)
        self.assertEqual(run.paths(), {"", "dgetrf", "dgesvd", "zheev", "dpotrf"})
        # Through LAPACKE_dgetrf, LAPACKE_dgetrf_work and dgetrf_; the one that only asks for a workspace is none.
        self.assertEqual([run.visits(name) for name in ("dgetrf", "dgesvd", "zheev", "dpotrf")], [3, 1, 1, 1])
        # LAWN 41: each of 20 x 10, whatever the layout.
        self.assertAlmostEqual(run.declared("dgetrf"), 3 * self.getrf(20, 10))
        self.assertEqual(run.declared("dgetrf", "bytes"), 3 * 2 * 8 * 200)
        self.assertAlmostEqual(run.declared("dgesvd"), 4 * 30 * 20 ** 2 - 4 * 20 ** 3 / 3, delta=1)  # no vectors
        self.assertEqual(run.declared("zheev"), 4 * 9 * 10 ** 3)  # with vectors
        bare = Recorded(folder / "packs_lapacke", options=("--packs", "none"))
        self.assertEqual((bare.status, bare.output, bare.paths()), (0, "0 wrong\n", {""}))

    @staticmethod
    def getrf(m, n):
        """Counted step by step, with the reciprocal of each pivot."""
        return sum(1 + (m - k - 1) + 2 * (m - k - 1) * (n - k - 1) for k in range(min(m, n)))

    @needs("packs_calls_blas")
    def test_regions_bear_sizes_where_they_are_asked_for(self):
        run = Recorded(folder / "packs_calls_blas", 64, ROOFMARK_PACK_SHAPES="1")
        self.assertEqual((run.status, run.output), (0, "0 wrong\n"), run.errors)
        self.assertEqual(run.visits("dgemm 64x64x64"), 2)
        self.assertEqual(run.visits("dgesv 64x1"), 1)
        self.assertNotIn("dgemm", run.paths())
        # dsyev calls BLAS with more sizes than get regions of their own.
        shapes = [path for path in run.paths() if path.startswith("dsyev 64/dscal ") and "other" not in path]
        self.assertLessEqual(len(shapes), 64)

    @needs("packs_calls_blas")
    def test_packs_that_are_not_wanted_are_not_there(self):
        run = Recorded(folder / "packs_calls_blas", 64, options=("--packs", "none"))
        self.assertEqual((run.status, run.output, run.paths()), (0, "0 wrong\n", {""}))
        self.assertFalse([note for note in run.profile["notes"] if "declared inside" in note])
        run = Recorded(folder / "packs_calls_blas", 64, options=("--packs", "lapack"))
        # The program has done more than its calls of LAPACK: what it stands at is not all.
        self.assertTrue([note for note in run.profile["notes"] if "declared inside" in note])
        self.assertEqual((run.status, run.paths()), (0, {"", "dgesv", "dsyev"}))

    @needs("packs_calls_blas")
    def test_a_preloaded_pack_without_a_recording_changes_nothing(self):
        packs = ":".join(str(libraries / f"libroofmark-{name}.so") for name in ("blas", "lapack", "fftw"))
        done = subprocess.run([folder / "packs_calls_blas", "64"], capture_output=True, text=True, check=False, timeout=PATIENCE,
                              env={**os.environ, "LD_PRELOAD": packs})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong\n", ""))

    @needs("packs_fortran")
    def test_a_fortran_program(self):
        run = Recorded(folder / "packs_fortran")
        self.assertEqual((run.status, run.output), (0, "right\n"), run.errors)
        self.assertEqual(run.declared("dgemm"), 2 * 96 ** 3)
        self.assertEqual((run.visits("ddot"), run.visits("zdotc")), (1, 1))

    def test_a_library_that_only_one_module_sees(self):
        """Names of NumPy's wheels, 64-bit integers, hidden lengths, and a call that is left by longjmp."""
        plugin = folder / "libpacks_plugin.so"
        run = Recorded(folder / "packs_host", plugin, options=("--packs", "blas"))
        self.assertEqual((run.status, run.output), (0, "right: 7, after the jump: 1\n"), run.errors)
        self.assertEqual(run.visits("dgemm"), 1)
        self.assertEqual(run.visits("dgemv"), 1)
        self.assertEqual(run.declared("dgemm"), 2 * 2 * ((3 << 33) + 5))
        self.assertEqual(run.declared("dsymm"), 2 * 10 * 20 * 10)
        # The call that was jumped out of ends with the next one, and hides none.
        self.assertEqual(run.paths(), {"", "dasum", "dgemm", "dgemv", "dsymm"})
        self.assertEqual(run.visits("dasum"), 2)

    def test_a_program_with_a_function_of_that_name(self):
        run = Recorded(folder / "packs_own")
        self.assertEqual((run.status, run.output, run.paths()), (0, "my own\n", {""}))

    def test_a_program_without_the_library(self):
        run = Recorded("/bin/echo", "hello")
        self.assertEqual((run.status, run.output), (0, "hello\n"))
        self.assertNotIn("library pack", run.errors)

    def test_a_program_that_asks_whether_there_is_one(self):
        for choice in ((), ("--packs", "none")):
            run = Recorded(folder / "packs_optional", options=choice)
            self.assertEqual((run.status, run.output), (0, "not there\n"))
        run = Recorded(folder / "packs_optional", options=("--packs", "blas"))
        self.assertEqual(run.output, "there\n")
        self.assertIn("dasum_ was called, and no library of this program has it: record it with --packs none", run.errors)

    def test_a_mistyped_pack_is_one_line(self):
        done = subprocess.run([roofmark, "record", "--packs", "blsa", "--", "/bin/true"], capture_output=True, text=True, check=False,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("blsa", done.stderr)


class Fftw(unittest.TestCase):
    @needs("packs_transforms")
    def test_plans_and_transforms(self):
        run = Recorded(folder / "packs_transforms", counters="emulated" if emulator else "none")
        self.assertEqual((run.status, run.output), (0, "right\n"), run.errors)
        self.assertEqual((run.visits("fftw_plan_dft_1d"), run.visits("fftw_execute"), run.visits("fftw_destroy_plan")), (2, 6, 2))
        self.assertEqual(run.declared("fftw_execute"), 6 * 5 * 1024 * 10)
        self.assertEqual(run.declared("fftw_execute", "bytes"), 6 * 4 * 8 * 1024)
        self.assertEqual(run.declared("fftwf_execute_dft_r2c"), round(2.5 * 48 ** 2 * 2 * math.log2(48)))
        self.assertEqual(run.declared("fftwf_execute_dft_r2c", "bytes"), 4 * 48 * (48 + 50))
        if emulator:
            # Split radix does 4 N log2 N - 6 N + 8, the customary 5 N log2 N is what radix 2 would do.
            self.assertGreater(run.counted("fftw_execute"), 6 * (4 * 1024 * 10 - 6 * 1024 + 8) * 0.98)
            self.assertLess(run.counted("fftw_execute"), run.declared("fftw_execute"))


@unittest.skipUnless(emulator, "the emulator was not built")
class Counted(unittest.TestCase):
    def work(self, size, **environment):
        run = Recorded(folder / "packs_blas_work", size, counters="emulated", **environment)
        self.assertEqual((run.status, run.output), (0, "0 wrong\n"), run.errors)
        return run

    @needs("packs_blas_work")
    def test_gemm_of_a_fast_library_does_what_its_formula_says(self):
        run = self.work(256)
        for name in ("sgemm", "dgemm", "cgemm", "zgemm"):
            with self.subTest(name):
                self.assertAlmostEqual(run.counted(name) / run.declared(name), 1, delta=0.01)
        self.assertRegex(run.text, r"Declared against counted[\s\S]*\n  dgemm .* 1\.0[01] ")

    @needs("packs_blas_work")
    @unittest.skipUnless(reference, "the reference BLAS is not installed")
    def test_the_reference_library_does_what_the_formulas_say(self):
        place = reference[0] if reference else ""
        run = self.work(256, LD_LIBRARY_PATH=f"{place}/blas:{place}/lapack",
                        LD_PRELOAD=f"{place}/lapack/liblapack.so.3:{place}/blas/libblas.so.3")
        # Not the complex ones: the compiler's vectors compute lanes that nobody uses, which is counted.
        names = [letter + name for letter in "sd" for name in ("gemm", "gemv", "syrk", "trsm", "trmm", "axpy", "potrf", "getrf")]
        for name in names:
            with self.subTest(name):
                self.assertAlmostEqual(run.counted(name) / run.declared(name), 1, delta=0.01)

    @needs("packs_calls_blas")
    def test_the_wrappers_own_code_is_not_counted(self):
        """One dot product of three: with the markers and the formula, two multiplications more would show."""
        run = Recorded(folder / "packs_calls_blas", 64, counters="emulated")
        self.assertEqual(run.counted("ddot"), 12)
        # 28 where OpenBLAS's kernel for the processor also adds up its vector registers, which are all zero here.
        self.assertIn(run.counted("sasum"), (3, 28))
        self.assertEqual(run.counted("dcopy") if "dcopy" in run.paths() else 0, 0)


class Objects(unittest.TestCase):
    """What a pack exports and needs is what it has to, in every process that it is preloaded into."""

    def symbols(self, name, which):
        listed = subprocess.run(["nm", "-D", which, libraries / f"libroofmark-{name}.so"], capture_output=True, text=True, check=True)
        return {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}

    def test_exports(self):
        blas = r"(scipy_)?(cblas_)?(i?[sdcz]|dz|sc|ds|sds|cs|zd)[a-z0-9]+?(_sub)?(_|_64_|64_|_64|)"
        self.assertFalse([s for s in self.symbols("blas", "--defined-only") if not re.fullmatch(blas, s)])
        self.assertFalse([s for s in self.symbols("lapack", "--defined-only") if not re.fullmatch(
            r"(scipy_)?([sdcz][a-z]+_(64_)?|LAPACKE_[sdcz][a-z]+(_work)?(64_|_64)?)", s)])
        self.assertFalse([s for s in self.symbols("fftw", "--defined-only")
                          if not re.fullmatch(r"fftw[fl]?_(plan|execute|destroy_plan)[a-z0-9_]*", s)])
        for name in ("dgemm_", "dgemm_64_", "scipy_dgemm_64_", "cblas_dgemm", "cblas_dgemm64_", "scipy_cblas_dgemm64_", "zdotc_",
                     "cblas_zdotc_sub", "dzasum_", "izamax_", "csrot_"):
            self.assertIn(name, self.symbols("blas", "--defined-only"))
        # In front of a name that programs define for themselves it would do harm.
        self.assertFalse([s for s in self.symbols("blas", "--defined-only") if re.fullmatch(r"[sdcz]?[a-z0-9]+", s)])

    def test_needs(self):
        allowed = {"dlsym", "dlopen", "dlclose", "dladdr", "dl_iterate_phdr", "abort", "write", "getenv", "strcmp", "strlen", "strdup",
                   "realloc", "free", "memcpy", "pthread_attr_destroy", "pthread_attr_getstack", "pthread_self", "pthread_getattr_np", "__cxa_finalize", "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable",
                   "__tls_get_addr"}
        for name in ("blas", "lapack", "fftw"):
            with self.subTest(name):
                self.assertFalse(self.symbols(name, "--undefined-only") - allowed)
                dynamic = subprocess.run(["readelf", "-d", libraries / f"libroofmark-{name}.so"], capture_output=True, text=True, check=True).stdout
                needed = set(re.findall(r"NEEDED.*\[(.*)\]", dynamic))
                self.assertLessEqual(needed, {"libc.so.6", "libdl.so.2"})


class NumPy(unittest.TestCase):
    def test_numpy_calls_are_regions(self):
        if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
            self.skipTest("NumPy is not installed")
        program = ("import numpy as np; a = np.arange(90000.).reshape(300, 300) / 9e4; print((a @ a).shape); "
                   "x = np.linalg.solve(a + 300 * np.eye(300), a[0]); print(x.shape)")
        run = Recorded(sys.executable, "-c", program, options=("--packs", "blas,lapack"))
        self.assertEqual((run.status, run.output), (0, "(300, 300)\n(300,)\n"), run.errors)
        product = "dgemm" if "dgemm" in run.paths() else "dsyrk"
        self.assertEqual(run.declared(product) // 10 ** 6, 2 * 27 if product == "dgemm" else 27)
        self.assertEqual(run.visits("dgesv"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
