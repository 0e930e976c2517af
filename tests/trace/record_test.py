#!/usr/bin/env python3
"""`record --trace`: every visit that the profile counts is in the trace, once, where it belongs.

usage: record_test.py ROOFMARK TARGET [unittest arguments]
"""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOFMARK = TARGET = ""
PATIENCE = 120


class Traced(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="roofmark-trace-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.trace_file = os.path.join(self.folder, "trace.json")

    def record(self, *target, options=(), before=""):
        command = [ROOFMARK, "record", "--no-machine", "--counters", "none", "--trace", self.trace_file, "-o", "p.json",
                   *options, "--", *target]
        if before:
            command = ["sh", "-c", before + '; exec "$@"', "sh", *command]
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=PATIENCE, check=False)

    def profile(self):
        with open(os.path.join(self.folder, "p.json"), encoding="utf-8") as file:
            return json.load(file)

    def trace(self):
        with open(self.trace_file, encoding="utf-8") as file:
            return json.load(file)

    def events(self, phase="X"):
        return [event for event in self.trace()["traceEvents"] if event["ph"] == phase]

    def check_nesting(self):
        """Of one thread, a visit is inside another one or beside it."""
        threads = collections.defaultdict(list)
        for event in self.events():
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"], event["name"]))
        for thread, visits in threads.items():
            open_until = []
            for start, end, name in sorted(visits, key=lambda visit: (visit[0], -visit[1])):
                while open_until and open_until[-1] <= start + 0.002:
                    open_until.pop()
                if open_until:
                    self.assertLessEqual(end, open_until[-1] + 0.002, f"{thread}: {name}")
                open_until.append(end)

    def check_complete(self):
        visits = collections.Counter()
        for region in self.profile()["regions"]:
            if region["path"]:
                visits[region["path"][-1]] += region["visits"]
        events = [event for event in self.events() + self.events("B") if "inherited" not in event["cat"]]
        traced = collections.Counter(event["name"] for event in events)
        self.assertEqual(visits, traced)

    def test_every_visit_of_every_kind_of_program(self):
        for mode in ("nested", "exceptions", "pool", "live threads", "outlives thread", "coroutine",
                     "forks", "fork in thread", "raw clone", "vforks", "ends by _exit"):
            with self.subTest(mode):
                done = self.record(TARGET, mode)
                self.assertEqual(done.stderr, b"", mode)
                self.check_complete()
                self.check_nesting()

    def test_a_handler_comes_in_anywhere(self):
        self.record(TARGET, "signals", options=("--trace-visits", "50000"))
        visits = sum(region["visits"] for region in self.profile()["regions"] if region["path"])
        self.assertEqual(visits, len(self.events()) + self.trace()["otherData"]["visits_left_out"])
        self.check_nesting()

    def test_a_fork_child_has_the_rest_of_what_was_open(self):
        self.record(TARGET, "forks")
        inherited = [event for event in self.events() if "inherited" in event["cat"]]
        parents = [event for event in self.events() if event["name"] == "parent" and event not in inherited]
        self.assertEqual(len(parents), 1)
        self.assertTrue(inherited)
        for event in inherited:
            self.assertGreater(event["ts"], parents[0]["ts"])
            self.assertNotEqual(event["pid"], parents[0]["pid"])

    def test_times_are_those_of_the_profile(self):
        self.record(TARGET, "sleeps")
        seconds = collections.Counter()
        for event in self.events():
            seconds[event["name"]] += event["dur"] * 1e-6
        for region in self.profile()["regions"]:
            if region["path"]:
                name = region["path"][-1]
                self.assertAlmostEqual(seconds[name], region["thread_s"]["value"], delta=1e-4 + 0.01 * seconds[name], msg=name)

    def test_processes_are_told_apart(self):
        self.record("sh", "-c", f"'{TARGET}' nested; '{TARGET}' nested")
        named = {event["pid"]: event["args"]["name"] for event in self.events("M") if event["name"] == "process_name"}
        self.assertEqual(list(named.values()), ["runtime_target"] * 2)
        first, second = ([event for event in self.events() if event["pid"] == pid] for pid in named)
        self.assertEqual(sorted(event["name"] for event in first), sorted(event["name"] for event in second))
        self.assertGreater(min(event["ts"] for event in second), max(event["ts"] + event["dur"] for event in first))

    def test_slices_say_what_their_region_is(self):
        for mode in ("nested", "live threads", "pool", "forks"):
            with self.subTest(mode):
                self.record(TARGET, mode)
                # Without ceilings no region has a verdict, and the trace says why.
                why = "it was recorded with --no-machine, which uses no ceilings"
                self.assertEqual(self.trace()["otherData"]["no_verdicts"], why)
                known = {"/".join(region["path"]) for region in self.profile()["regions"] if region["path"]}
                for event in self.events() + self.events("B"):
                    arguments = event["args"]
                    if arguments["verdict"] == "not known":
                        self.assertIn("several regions of this name", arguments["why"])
                        continue
                    self.assertIn(arguments["region"], known)
                    self.assertEqual(arguments["region"].split("/")[-1], event["name"])
                    self.assertTrue(arguments["why"])

    def record_into(self, pipe):
        with open(os.path.join(self.folder, "read"), "wb") as copy, subprocess.Popen(["cat", pipe], stdout=copy) as reader:
            try:
                done = self.record(TARGET, "nested")
                reader.wait(timeout=PATIENCE)
            finally:
                reader.kill()
        return done

    def test_a_pipe_gets_one_document(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        self.trace_file = pipe
        self.assertEqual(self.record_into(pipe).returncode, 0)
        with open(os.path.join(self.folder, "read"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("no_verdicts", json.loads(text)["otherData"])

    def test_a_killed_program_leaves_its_visits(self):
        done = self.record(TARGET, "killed")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.check_complete()
        self.assertTrue(self.events("B"))

    def test_a_limit_keeps_the_first_visits_and_says_so(self):
        done = self.record(TARGET, "live threads", options=("--trace-visits", "40"))
        kept, left = len(self.events()), self.trace()["otherData"]["visits_left_out"]
        self.assertEqual(kept, 40)
        self.assertGreater(left, 0)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"holds 40 of its visits and lacks {left}: ", lines[0])
        self.assertIn(lines[0].removeprefix("roofmark: "), self.profile()["notes"])

    def test_the_limit_is_each_process_own(self):
        self.record(TARGET, "forks", options=("--trace-visits", "1"))
        left = self.trace()["otherData"]["visits_left_out"]
        visits = sum(region["visits"] for region in self.profile()["regions"] if region["path"])
        kept = [event for event in self.events() if "inherited" not in event["cat"]]
        inherited = [event for event in self.events() + self.events("B") if "inherited" in event["cat"]]
        self.assertGreater(len({event["pid"] for event in self.events()}), 1)
        self.assertLessEqual(visits, len(kept) + left)
        self.assertLessEqual(len(kept) + left, visits + 8 + len(inherited))  # what was open at a fork ends there, too

    def test_with_counters(self):
        done = self.record(TARGET, "nested", options=("--papi", "perf::PAGE-FAULTS"))
        if b"papi" in done.stderr.lower() and b"not" in done.stderr:
            print("counted by the clock alone:", done.stderr.decode(), file=sys.stderr)
        self.assertEqual(done.returncode, 0)
        self.check_complete()

    def test_nothing_that_is_read_is_replaced(self):
        program = shutil.copy(TARGET, os.path.join(self.folder, "program"))
        self.trace_file = program
        done = self.record(program, "nested")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"the program itself", done.stderr)
        self.assertEqual(os.stat(program).st_size, os.stat(TARGET).st_size)

    def test_what_can_not_be_traced_is_one_line(self):
        done = self.record("true")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"There is no trace: the program entered no region.", done.stderr)
        self.assertFalse(os.path.exists(self.trace_file))
        self.trace_file = os.path.join(self.folder, "missing", "trace.json")
        done = self.record(TARGET, "nested")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"There is no trace: ", done.stderr)
        self.assertTrue(self.profile()["regions"])
        self.trace_file = "p.json"
        self.assertEqual(self.record(TARGET, "nested").returncode, 125)

    def test_a_limit_on_files_leaves_the_program_alone(self):
        # 512-byte blocks: enough for the recording, not for a trace that grows.
        done = self.record(TARGET, "live threads", before="ulimit -f 400")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.profile()["regions"])

    def test_a_static_program_is_traced(self):
        static = TARGET + "_static"
        self.assertTrue(os.path.exists(static))
        self.record(static)
        self.check_complete()
        self.assertTrue(self.events())

    def test_only_the_last_of_repeated_runs(self):
        self.record(TARGET, "nested", options=("--repeat", "3"))
        self.check_complete()


if __name__ == "__main__":
    ROOFMARK, TARGET = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
