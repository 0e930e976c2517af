#!/usr/bin/env python3
"""Programs without regions: `roofmark record` finds their functions.

usage: command_test.py ROOFMARK FOLDER with_symbols|without_symbols emulator|none DOCS [unittest arguments]
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import schema  # noqa: E402

ROOFMARK = FOLDER = DOCS = ""
SYMBOLS = EMULATOR = False
PATIENCE = 300
STEPS = 20000  # as in target.cpp


def skip(why):
    print("skipped:", why, file=sys.stderr)
    raise unittest.SkipTest(why)


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="roofmark-functions-")
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("HOME", "XDG_CACHE_HOME", "LD_PRELOAD")}
        self.environment["TMPDIR"] = self.directory

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def run_command(self, *arguments, expect=0):
        done = subprocess.run([ROOFMARK, *arguments], cwd=self.directory, env=self.environment, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stderr.decode(errors="replace"))
        return done

    def record(self, mode, repeats, kind="debug", counters="none", options=()):
        program = os.path.join(FOLDER, "functions_" + kind)
        done = self.run_command("record", "--no-machine", "--counters", counters, *options, "-o", "p.json", "--",
                                program, mode, str(repeats))
        with open(os.path.join(self.directory, "p.json"), encoding="utf-8") as file:
            self.profile = json.load(file)
        if schema.Validator is not None:
            profile_schema = schema.Schema(os.path.join(DOCS, "profile.schema.json"))
            self.assertEqual(profile_schema.errors(self.profile), [])
        self.rows = {tuple(region["path"]): region for region in self.profile["regions"]}
        self.errors = done.stderr.decode(errors="replace")
        return self.profile

    def nameless(self):
        names = [path[0] for path in self.rows if len(path) == 1 and path[0].startswith("functions_stripped+0x")]
        self.assertEqual(len(names), 2, list(self.rows))
        return names

    def found(self):
        """The sampled profile; skipped where this kernel lets nobody sample."""
        if "sampling" not in self.profile:
            reasons = [entry["reason"] for entry in self.rows[()]["missing"] if entry["quantity"] == "functions"]
            self.assertTrue(reasons, "no functions, and no reason")
            skip(reasons[0])
        return self.rows

    def with_symbols(self):
        self.found()
        if not SYMBOLS:
            skip("this build reads no symbols")

    def thread_s(self, *path):
        self.assertIn(path, self.rows, list(self.rows))
        return self.rows[path]["thread_s"]["value"]

    def check_sums(self):
        """The functions' times are the program's."""
        functions = [row for path, row in self.rows.items() if len(path) == 1]
        total = sum(row["thread_s"]["value"] for row in functions)
        self.assertAlmostEqual(total, self.thread_s(), delta=0.02 * self.thread_s())
        for row in functions:
            self.assertEqual(row["found_by"], "sampling")
            self.assertNotIn("visits", row)
            measure = row["thread_s"]
            if measure["source"] == "estimated":
                self.assertLessEqual(measure["low"], measure["value"])
                self.assertGreaterEqual(measure["high"], measure["value"])


class Times(Case):
    def check_ratio(self):
        """Three times the same work: whatever the machine, both functions are slowed alike."""
        heavy, light = self.thread_s("work::heavy"), self.thread_s("work::light")
        self.assertGreater(heavy, 2 * light)
        self.assertLess(heavy, 4.5 * light)
        self.assertGreater(heavy + light, 0.8 * self.thread_s())

    def test_functions_have_their_shares(self):
        self.record("two", 2000)
        self.with_symbols()
        self.check_sums()
        self.check_ratio()
        code = self.rows[("work::heavy",)]["code"]
        self.assertTrue(code["file"].endswith("target.cpp"), code)
        self.assertGreater(code["first_line"], 0)

    def test_symbols_are_enough(self):
        self.record("two", 2000, kind="plain")
        self.with_symbols()
        self.check_sums()
        self.check_ratio()
        self.assertNotIn("file", self.rows[("work::heavy",)]["code"])

    def test_without_symbols_functions_are_named_by_their_addresses(self):
        self.record("two", 2000, kind="stripped")
        self.with_symbols()
        self.check_sums()
        light, heavy = sorted(self.thread_s(name) for name in self.nameless())
        self.assertTrue(2.2 < heavy / light < 4, (light, heavy))

    def test_without_symbols_and_unwinding_the_object_is_a_row(self):
        self.record("two", 2000, kind="bare")
        self.found()
        self.check_sums()
        self.assertGreater(self.thread_s("[functions_bare]"), 0.8 * self.thread_s())

    def test_threads(self):
        self.record("threads", 2000)
        self.with_symbols()
        self.check_sums()
        row = self.rows[("work::own",)]
        self.assertGreater(row["thread_s"]["value"], 0.8 * self.thread_s())
        # Both at once, as far as the machine had cores for them.
        self.assertGreaterEqual(row["thread_s"]["value"], 0.99 * row["wall_s"]["value"])
        self.assertLessEqual(row["wall_s"]["value"], self.rows[()]["wall_s"]["value"])

    def test_shared_library(self):
        self.record("library", 2000)
        self.with_symbols()
        self.assertGreater(self.thread_s("work_in_library"), 0.8 * self.thread_s())
        self.assertIn("functions_library", self.rows[("work_in_library",)]["code"]["object"])

    def test_inlined_functions_are_parts(self):
        self.record("inlined", 2000)
        self.with_symbols()
        outer = self.rows[("work::outer",)]
        inner = self.rows[("work::outer", "inner")]
        self.assertGreater(inner["thread_s"]["value"], 0.9 * outer["thread_s"]["value"])
        self.assertLess(outer["self"]["thread_s"]["value"], 0.1 * outer["thread_s"]["value"])

    def test_children(self):
        self.record("child", 2000)
        self.with_symbols()
        self.check_sums()
        self.check_ratio()

    def test_marked_regions_come_first(self):
        self.record("marked", 200)
        self.assertNotIn("sampling", self.profile)
        self.assertEqual(set(self.rows), {(), ("marked",)})
        self.assertEqual(self.rows[("marked",)]["visits"], 1)

    def test_short_programs_say_why_they_have_no_functions(self):
        self.record("two", 1)
        self.assertEqual(set(self.rows), {()})
        missing = {entry["quantity"]: entry for entry in self.rows[()]["missing"]}
        self.assertIn("functions", missing)
        self.assertIn("regions", missing)
        self.assertTrue(missing["functions"]["reason"])

    def test_reports_say_how_they_were_found(self):
        self.record("two", 2000)
        self.found()
        path = os.path.join(self.directory, "p.json")
        text = self.run_command("report", "--width", "80", path).stdout.decode()
        self.assertIn("functions found by sampling", " ".join(text.split()))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        page = self.run_command("report", "--format", "html", path).stdout.decode()
        self.assertIn("found by sampling", page)
        csv = self.run_command("report", "--format", "csv", path).stdout.decode()
        self.assertEqual(len(csv.splitlines()), 1 + len(self.rows))
        again = json.loads(self.run_command("report", "--format", "json", path).stdout.decode())
        self.assertEqual(again["sampling"], self.profile["sampling"])
        for region, before in zip(again["regions"], self.profile["regions"]):
            for field in ("path", "found_by", "code", "wall_s"):
                self.assertEqual(region.get(field), before.get(field))


class Attach(Case):
    """A process that runs already."""

    def setUp(self):
        super().setUp()
        self.process = None

    def tearDown(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        super().tearDown()

    def start(self, repeats=10**9):
        self.process = subprocess.Popen([os.path.join(FOLDER, "functions_debug"), "two", str(repeats)])
        return self.process.pid

    def load(self):
        with open(os.path.join(self.directory, "p.json"), encoding="utf-8") as file:
            self.profile = json.load(file)
        if schema.Validator is not None:
            profile_schema = schema.Schema(os.path.join(DOCS, "profile.schema.json"))
            self.assertEqual(profile_schema.errors(self.profile), [])
        self.rows = {tuple(region["path"]): region for region in self.profile["regions"]}

    def attach(self, pid, *options, expect=0):
        done = self.run_command("record", "-o", "p.json", "-p", str(pid), *options, expect=None)
        text = done.stderr.decode(errors="replace")
        if done.returncode == 125 and expect == 0:
            skip(text)  # this kernel lets nobody sample
        self.assertEqual(done.returncode, expect, text)
        return text

    def test_times_of_functions(self):
        self.attach(self.start(), "--duration", "2")
        self.assertIsNone(self.process.poll(), "the process was ended")
        self.load()
        self.with_symbols()
        self.check_sums()
        heavy, light = self.thread_s("work::heavy"), self.thread_s("work::light")
        self.assertGreater(heavy, 2 * light)
        self.assertLess(heavy, 4.5 * light)
        self.assertGreaterEqual(self.rows[()]["wall_s"]["value"], 2)
        reasons = {entry["quantity"]: entry for entry in self.rows[()]["missing"]}
        self.assertIn("runs already", reasons["flop"]["reason"])
        self.assertTrue(reasons["flop"]["fix"])

    def test_its_end_and_ctrl_c_end_it(self):
        pid = self.start()
        recorder = subprocess.Popen([ROOFMARK, "record", "-o", "p.json", "-p", str(pid)], cwd=self.directory,
                                    env=self.environment, stderr=subprocess.PIPE)
        time.sleep(1)
        recorder.send_signal(signal.SIGINT)
        errors = recorder.communicate(timeout=PATIENCE)[1].decode(errors="replace")
        if recorder.returncode == 125:
            skip(errors)
        self.assertEqual(recorder.returncode, 0, errors)
        self.load()
        self.assertTrue(any("ended after" in note for note in self.profile["notes"]))
        self.assertIsNone(self.process.poll(), "the process was ended")
        recorder = subprocess.Popen([ROOFMARK, "record", "-o", "p.json", "-p", str(pid)], cwd=self.directory,
                                    env=self.environment, stderr=subprocess.PIPE)
        time.sleep(1)
        self.process.kill()
        self.process.wait()
        recorder.communicate(timeout=PATIENCE)
        self.assertEqual(recorder.returncode, 0)
        self.load()
        self.assertTrue(any("process ended" in note for note in self.profile["notes"]))

    def test_mistakes_are_one_line(self):
        pid = self.start()
        self.process.kill()
        self.process.wait()
        for options, words in ((("-p", str(pid)), "no process"), (("-p", "0"), "-p"),
                               (("-p", "1", "--", "/bin/true"), "one of the two"),
                               (("--duration", "1", "--", "/bin/true"), "-p PID")):
            done = self.run_command("record", *options, expect=125)
            text = done.stderr.decode()
            self.assertEqual(len(text.splitlines()), 1, text)
            self.assertIn(words, text)


class Counts(Case):
    def setUp(self):
        super().setUp()
        if not EMULATOR:
            skip("this build has no emulator")

    def flop(self, *path):
        return self.rows[path]["flop"]["f64"]["value"]

    def check_whole(self):
        """Every FLOP and byte of the program is in one of its rows."""
        top = [row for path, row in self.rows.items() if len(path) == 1 and "f64" in row["flop"]]
        self.assertEqual(sum(row["flop"]["f64"]["value"] for row in top), self.flop())
        for level in ("L1", "DRAM"):
            for way in ("read", "write"):
                self.assertEqual(sum(row["bytes"][level][way]["value"] for row in top),
                                 self.rows[()]["bytes"][level][way]["value"])

    def test_flops_of_functions_are_exact(self):
        self.record("two", 1500, counters="emulated")
        self.with_symbols()
        self.assertEqual(self.flop("work::heavy"), 2 * 3 * STEPS * 1500)
        self.assertEqual(self.flop("work::light"), 2 * STEPS * 1500)
        self.check_whole()
        self.assertEqual(self.rows[("work::heavy",)]["flop"]["f64"]["source"], "counted")
        self.assertEqual(self.rows[("work::heavy",)]["missing"], [])

    def test_without_symbols_the_object_is_counted(self):
        self.record("two", 1500, kind="bare", counters="emulated")
        self.found()
        self.assertEqual(self.flop("[functions_bare]"), 2 * 4 * STEPS * 1500)
        self.check_whole()

    def test_functions_without_symbols_are_counted(self):
        self.record("two", 1500, kind="stripped", counters="emulated")
        self.with_symbols()
        self.assertEqual(sorted(self.flop(name) for name in self.nameless()), [2 * STEPS * 1500, 2 * 3 * STEPS * 1500])
        self.check_whole()

    def test_inlined_functions_and_children_are_counted(self):
        self.record("inlined", 1500, counters="emulated")
        self.with_symbols()
        self.assertEqual(self.flop("work::outer"), 2 * 4 * STEPS * 1500)
        inner = self.flop("work::outer", "inner")
        self.assertGreaterEqual(inner, 0.99 * self.flop("work::outer"))
        self.check_whole()
        self.record("child", 1500, counters="emulated")
        self.with_symbols()
        self.assertEqual(self.flop("work::heavy"), 2 * 3 * STEPS * 1500)
        self.check_whole()

    def test_threads_and_libraries_are_counted(self):
        self.record("threads", 1500, counters="emulated")
        self.with_symbols()
        self.assertEqual(self.flop("work::own"), 2 * 2 * 3 * STEPS * 1500)
        self.check_whole()
        self.record("library", 1500, counters="emulated")
        self.with_symbols()
        self.assertEqual(self.flop("work_in_library"), 2 * 4 * STEPS * 1500)


if __name__ == "__main__":
    ROOFMARK, FOLDER, symbols, emulator, DOCS = sys.argv[1:6]
    SYMBOLS, EMULATOR = symbols == "with_symbols", emulator == "emulator"
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
