#!/usr/bin/env python3
"""Programs without regions where nobody may use perf: `roofmark record` samples them by timers.

usage: command_test.py ROOFMARK FOLDER with_symbols|without_symbols DOCS TIMER_LIBRARY [unittest arguments]
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import schema  # noqa: E402

ROOFMARK = FOLDER = DOCS = LIBRARY = ""
SYMBOLS = False
PATIENCE = 300


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="roofmark-timer-")
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("HOME", "XDG_CACHE_HOME", "LD_PRELOAD")}
        self.environment["TMPDIR"] = self.directory

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def record(self, program, *arguments, denied=True, status=0):
        launcher = [os.path.join(FOLDER, "deny_perf")] if denied else []
        done = subprocess.run([*launcher, ROOFMARK, "record", "--no-machine", "--counters", "none", "-o", "p.json", "--",
                               os.path.join(FOLDER, program), *arguments], cwd=self.directory, env=self.environment,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode == 77:
            raise unittest.SkipTest("no seccomp filter can be set here")
        self.assertEqual(done.returncode, status, done.stderr.decode(errors="replace"))
        with open(os.path.join(self.directory, "p.json"), encoding="utf-8") as file:
            self.profile = json.load(file)
        if schema.Validator is not None:
            self.assertEqual(schema.Schema(os.path.join(DOCS, "profile.schema.json")).errors(self.profile), [])
        self.rows = {tuple(region["path"]): region for region in self.profile["regions"]}
        return self.rows

    def by_timer(self):
        self.assertIn("sampling", self.profile, self.rows[()]["missing"])
        self.assertEqual(self.profile["sampling"]["means"], "timer")
        if not SYMBOLS:
            raise unittest.SkipTest("this build reads no symbols")

    def share(self, *path):
        self.assertIn(path, self.rows, list(self.rows))
        return self.rows[path]["thread_s"]["value"] / self.rows[()]["thread_s"]["value"]

    def why_no_functions(self):
        self.assertNotIn("sampling", self.profile)
        reasons = [entry["reason"] for entry in self.rows[()]["missing"] if entry["quantity"] == "functions"]
        self.assertEqual(len(reasons), 1, self.rows[()]["missing"])
        return reasons[0]

    def notes(self):
        return " ".join(self.profile["notes"])


class Functions(Case):
    """The same as perf finds."""

    def big_rows(self):
        return {path for path, row in self.rows.items() if len(path) == 1 and path[0] not in ("(other)", "(kernel)")
                and self.share(*path) >= 0.1}

    def test_as_perf_finds_them(self):
        self.record("functions_debug", "two", "8000")
        self.by_timer()
        timer, shares = self.big_rows(), {path: self.rows[path]["thread_s"] for path in self.big_rows()}
        self.assertEqual(timer, {("work::heavy",), ("work::light",)})
        self.assertGreater(self.share("work::heavy"), 1.4 * self.share("work::light"))
        self.assertLess(self.share("work::heavy"), 7 * self.share("work::light"))
        for row in shares.values():
            self.assertEqual(row["source"], "estimated")
            self.assertLess(row["low"], row["value"])
            self.assertGreater(row["high"], row["value"])
        timer_share = {path: self.share(*path) for path in timer}
        timer_width = {path: (row["high"] - row["low"]) / self.rows[()]["thread_s"]["value"] for path, row in shares.items()}
        self.record("functions_debug", "two", "8000", denied=False)
        if self.profile.get("sampling", {}).get("means") != "perf":
            raise unittest.SkipTest("perf is denied here in earnest: there is nothing to compare with")
        self.assertEqual(self.big_rows(), timer)
        for path in timer:
            # Within twice both intervals' widths together: samples of a busy machine are no independent draws.
            perf = self.rows[path]["thread_s"]
            width = (perf["high"] - perf["low"]) / self.rows[()]["thread_s"]["value"] + timer_width[path]
            self.assertAlmostEqual(self.share(*path), timer_share[path], delta=2 * width)

    def test_threads_children_and_libraries(self):
        self.record("functions_debug", "threads", "2000")
        self.by_timer()
        self.assertGreater(self.share("work::own"), 0.8)
        # Three to one. On a busy machine a sample stands for many ticks, and few are independent.
        self.record("functions_debug", "child", "8000")
        self.assertGreater(self.share("work::heavy"), 1.4 * self.share("work::light"))
        self.assertGreater(self.share("work::heavy") + self.share("work::light"), 0.8)
        self.record("functions_debug", "library", "2000")
        self.assertGreater(self.share("work_in_library"), 0.8)
        library = os.path.join(FOLDER, "libfunctions_library.so")
        self.record("timer_target", "loaded", library)
        self.assertGreater(self.share("work_in_library"), 0.8)

    def test_forked_children_and_short_threads(self):
        self.record("timer_target", "fork")
        self.by_timer()
        self.assertGreater(self.share("timed::work"), 0.8)
        self.record("timer_target", "threads")
        self.assertGreater(self.share("timed::work"), 0.8)

    def test_regions_end_it(self):
        self.record("functions_debug", "marked", "200")
        self.assertNotIn("sampling", self.profile)
        self.assertEqual(set(self.rows), {(), ("marked",)})

    def test_reports_name_the_means(self):
        self.record("functions_debug", "two", "2000")
        self.by_timer()
        text = subprocess.run([ROOFMARK, "report", "p.json"], cwd=self.directory, env=self.environment,
                              stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertIn("by timers: perf is denied", " ".join(text.split()))

    def test_nothing_is_left_behind(self):
        self.record("functions_debug", "child", "200")
        self.assertEqual([name for name in os.listdir(self.directory) if name != "p.json"], [])


class Undisturbed(Case):
    """What the program does, it does as ever; where SIGPROF is its own, that is said."""

    def test_a_program_that_takes_the_signal(self):
        for mode in ("handler", "signal", "ignore"):
            with self.subTest(mode):
                self.record("timer_target", mode)
                if "sampling" in self.profile:
                    self.assertIn("use SIGPROF themselves", self.notes())
                else:
                    self.assertTrue(self.why_no_functions())

    def test_a_program_that_takes_it_at_once_says_why(self):
        self.record("timer_target", "signal")
        self.assertIn("SIGPROF", self.why_no_functions())

    def test_the_default_action_stays(self):
        # The shell's word for an end by this signal.
        for mode in ("raise", "itimer"):
            with self.subTest(mode):
                self.record("timer_target", mode, status=-signal.SIGPROF)

    def test_a_thread_that_blocks_signals(self):
        self.record("timer_target", "blocked")
        self.assertIn("SIGPROF", self.notes() if "sampling" in self.profile else self.why_no_functions())

    def test_a_stack_without_room_for_a_frame(self):
        self.record("timer_target", "stack")
        self.by_timer()
        self.assertGreater(self.share("timed::work"), 0.8)

    def test_calls_that_wait(self):
        self.record("timer_target", "wait")

    def test_perf_comes_first(self):
        self.record("functions_debug", "two", "2000", denied=False)
        if self.profile.get("sampling", {}).get("means") == "timer":
            raise unittest.SkipTest("perf is denied here in earnest")
        self.assertEqual(self.profile["sampling"]["means"], "perf")

    def test_inactive_without_a_recorder(self):
        environment = dict(self.environment, LD_PRELOAD=LIBRARY)
        for mode, status in (("handler", 0), ("raise", -signal.SIGPROF), ("fork", 0)):
            done = subprocess.run([os.path.join(FOLDER, "timer_target"), mode], cwd=self.directory, env=environment,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, status, mode)
        self.assertEqual(os.listdir(self.directory), [])


if __name__ == "__main__":
    ROOFMARK, FOLDER, symbols, DOCS, LIBRARY = sys.argv[1:6]
    SYMBOLS = symbols == "with_symbols"
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
