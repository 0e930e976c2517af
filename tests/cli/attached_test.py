#!/usr/bin/env python3
"""`roofmark record -p PID` counts a process that runs already: page faults, which every kernel counts exactly.

usage: attached_test.py ROOFMARK ATTACHED SOURCE [unittest arguments]
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counters_test  # noqa: E402

ROOFMARK = ATTACHED = SOURCE = ""
PATIENCE = 120
ROUND = 2 * 100 + 2 * 50  # as in attached.c
NOBODY = 65534


def skip(why):
    print("skipped:", why, file=sys.stderr)
    raise unittest.SkipTest(why)


def faults_table(counted="faults"):
    def quantity(name, weight):
        return {"quantity": name, "scope": "process", "bound": "exact", "counts": "retired",
                "sum": [{"weight": weight, "event": counted}]}
    return {"schema": "roofmark-events/1", "name": "made_up", "about": "page faults",
            "match": [{**counters_test.match_rule(), "core_pmu": "software"}], "counters": {"general": 4},
            "events": {"faults": {"type": "software", "config": "0x2"}, "nobody": {"type": "software", "config": "0xff"}},
            "quantities": [quantity("flop.f64", 10), quantity("bytes.DRAM.read", 4096), quantity("bytes.DRAM.write", 64)],
            "sources": ["a test"]}


def counters_of(recorder):
    """How many descriptors of perf events the recorder holds."""
    count = 0
    for name in glob.glob(f"/proc/{recorder.pid}/fd/*"):
        try:
            count += "perf_event" in os.readlink(name)
        except OSError:
            pass  # closed meanwhile
    return count


class Attached(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="roofmark-attached-")
        os.chmod(self.directory, 0o755)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.environment = {**os.environ, "ROOFMARK_EVENTS": self.directory + "/events", "HOME": self.directory,
                            "XDG_CACHE_HOME": self.directory + "/cache"}
        os.mkdir(self.directory + "/events")
        self.write(faults_table())
        self.process = subprocess.Popen([ATTACHED], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        self.assertEqual(self.process.stdout.readline(), b"ready\n")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()

    def write(self, table):
        with open(self.directory + "/events/made_up.json", "w", encoding="utf-8") as file:
            json.dump(table, file)

    def round(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.assertEqual(self.process.stdout.readline(), b"done\n")

    def record(self, *options, while_counted=lambda: None, counts=True):
        """Records until it is interrupted, which is when `while_counted` has ended."""
        out = os.path.join(self.directory, "p.json")
        with open(os.path.join(self.directory, "said"), "w+", encoding="utf-8") as said:
            recorder = subprocess.Popen([ROOFMARK, "record", "-o", out, "-p", str(self.process.pid), *options],
                                        env=self.environment, stderr=said, stdin=subprocess.DEVNULL)
            deadline = time.monotonic() + PATIENCE
            # Three threads, and a sampler on each CPU for each: counters are opened before those, and begin after them.
            wanted = 3 * len(os.sched_getaffinity(0)) + (3 if counts else 0)
            while recorder.poll() is None and counters_of(recorder) < wanted and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.5)
            if recorder.poll() is None:
                while_counted()
                recorder.send_signal(signal.SIGINT)
            status = recorder.wait(timeout=PATIENCE)
            said.seek(0)
            self.said = said.read()
        if status == 125:
            skip(self.said)  # this kernel lets nobody sample
        self.assertEqual(status, 0, self.said)
        with open(out, encoding="utf-8") as file:
            self.profile = json.load(file)
        self.whole = self.profile["regions"][0]
        self.assertEqual(self.whole["path"], [])
        self.missing = {one["quantity"]: one for one in self.whole.get("missing", [])}

    def two_rounds(self):
        self.round()
        self.round()

    def test_threads_that_were_there_and_threads_that_are_born_are_counted_exactly(self):
        self.round()  # before: not counted
        self.record("--no-machine", while_counted=self.two_rounds)
        flop = self.whole["flop"]["f64"]
        self.assertEqual((flop["value"], flop["source"], flop["collector"]), (10 * 2 * ROUND, "measured", "perf"))
        self.assertEqual(self.whole["bytes"]["DRAM"]["read"]["value"], 4096 * 2 * ROUND)
        self.assertNotIn("low", flop)
        self.assertNotIn("flop", self.missing)
        self.assertEqual([(one["purpose"], one["collector"]) for one in self.profile["passes"]],
                         [("time", "clock"), ("counts", "perf")])
        self.assertIsNone(self.process.poll(), "the process was ended")
        self.round()  # it goes on
        self.record("--no-machine", "--counters", "perf", "--duration", "60")
        self.assertEqual(self.whole["flop"]["f64"]["value"], 0)

    def test_a_process_that_ends_meanwhile_keeps_its_counts(self):
        def end_it():
            self.round()
            self.process.stdin.close()
            self.process.wait(timeout=PATIENCE)
            time.sleep(0.5)
        self.record("--no-machine", while_counted=end_it)
        self.assertEqual(self.whole["flop"]["f64"]["value"], 10 * ROUND)
        notes = " ".join(self.profile["notes"])
        self.assertIn("The process ended after", notes)
        self.assertIn("3 threads, 3 of which ended meanwhile", notes)

    def test_counts_stand_below_the_roof_that_is_known(self):
        machine = os.path.join(SOURCE, "tests", "examples", "small_caches.machine.json")
        self.record("--machine", machine, while_counted=self.two_rounds)
        self.assertTrue(self.whole["rooflines"])
        self.assertGreater(self.whole["rooflines"][0]["levels"]["DRAM"]["achieved_bytes_per_s"], 0)
        text = subprocess.run([ROOFMARK, "report", self.directory + "/p.json"], capture_output=True, text=True, check=True)
        self.assertIn("counts by perf", text.stdout)
        self.record(while_counted=self.two_rounds)  # none is kept in this home, and none is measured
        self.assertIn("none are measured beside a process that runs", " ".join(self.profile["notes"]))
        self.assertEqual(self.whole["flop"]["f64"]["value"], 10 * 2 * ROUND)

    def test_without_counters_the_reason_is_there_and_the_times_are(self):
        self.write(faults_table("nobody"))
        self.record("--no-machine", while_counted=self.round, counts=False)
        self.assertNotIn("f64", self.whole.get("flop", {}))
        self.assertIn("Nothing is counted: a process that runs already can't be counted by emulation, and by hardware",
                      self.said)
        self.assertIn("by hardware nothing is counted", self.missing["flop"]["reason"])
        self.assertTrue(self.missing["flop"]["fix"])
        self.assertGreater(self.whole["wall_s"]["value"], 0)
        for choice, words in (("none", "was not asked for"), ("papi", "PAPI counts"), ("emulated", "runs already")):
            self.record("--no-machine", "--counters", choice, counts=False)
            self.assertIn(words, self.missing["flop"]["reason"], choice)
        done = subprocess.run([ROOFMARK, "record", "--counters", "magic", "-p", str(self.process.pid)], env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)

    def test_another_users_process_is_refused_in_one_line(self):
        if os.geteuid() != 0:
            skip("only root can become another user")
        try:
            done = subprocess.run([ROOFMARK, "record", "-p", str(self.process.pid), "--duration", "1", "-o", "/dev/null"],
                                  env=self.environment, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True,
                                  check=False)
        except PermissionError as refusal:
            skip(f"another user can't reach the command: {refusal}")
        if done.returncode not in (0, 125):
            skip("another user can't run the command: " + done.stderr)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("another user", done.stderr)
        self.assertIsNone(self.process.poll(), "the process was ended")


if __name__ == "__main__":
    ROOFMARK, ATTACHED, SOURCE = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
