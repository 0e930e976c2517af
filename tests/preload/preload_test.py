#!/usr/bin/env python3
"""Recording without the command, as batch systems start programs: LD_PRELOAD and variables, then `roofmark report DIRECTORY`.

usage: preload_test.py ROOFMARK PRELOAD_LIBRARY TARGET SOURCES
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

roofmark, library, target, sources = sys.argv[1:5]
sys.path.insert(0, f"{sources}/tests/support")
machine = f"{sources}/tests/examples/small_caches.machine.json"
PATIENCE = 120


class Case(unittest.TestCase):
    def setUp(self):
        self.cwd = pathlib.Path(tempfile.mkdtemp(prefix="roofmark-preload-"))
        self.directory = self.cwd / "recorded"
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("ROOFMARK_") and name != "LD_PRELOAD"}
        self.environment.update(HOME=str(self.cwd), XDG_CACHE_HOME="")

    def tearDown(self):
        shutil.rmtree(self.cwd, ignore_errors=True)

    def start(self, *command, **variables):
        variables = {"ROOFMARK_DIRECTORY": str(self.directory), **variables}
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=self.cwd,
                              env={**self.environment, "LD_PRELOAD": library,
                                   **{name: value for name, value in variables.items() if value is not None}})

    def report(self, *options, directory=None, **variables):
        return subprocess.run([roofmark, "report", str(directory or self.directory), *options], capture_output=True, text=True,
                              check=False, timeout=PATIENCE, cwd=self.cwd, env={**self.environment, **variables})

    def profile(self, **more):
        done = self.report("--format", "json", ROOFMARK_MACHINE_FILE=machine, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    @staticmethod
    def visits(profile):
        return {"/".join(region["path"]): region["visits"] for region in profile["regions"]}


class Recorded(Case):
    def test_a_program_runs_as_ever_and_its_regions_are_reported(self):
        done = self.start(target, "regions")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "ran\n", ""))
        profile = self.profile()
        self.assertEqual(self.visits(profile), {"": 1, "work": 3})
        self.assertEqual(profile["program"]["command"], [target, "regions"])
        self.assertEqual(profile["program"]["host"], socket.gethostname())
        self.assertNotIn("exit_status", profile["program"])
        whole, work = profile["regions"]
        self.assertGreaterEqual(work["wall_s"]["value"], 0.006)
        self.assertGreaterEqual(whole["wall_s"]["value"], work["wall_s"]["value"])
        self.assertIn("thread_s", whole)
        self.assertEqual(work["declared"]["flop"]["value"], 3000)
        self.assertTrue(work["rooflines"], "judged by the machine of the file")
        text = self.report(ROOFMARK_MACHINE_FILE=machine).stdout
        self.assertIn("exit status not known", text)
        self.assertIn("recorded without the command", text)

    def test_the_document_is_one_of_the_schema(self):
        import schema
        self.start(target, "regions")
        if schema.Validator is not None:
            self.assertEqual(schema.Schema(f"{sources}/docs/profile.schema.json").errors(self.profile()), [])
        # Read again, it is the same.
        first = self.report("--format", "json", "-o", "p.json", ROOFMARK_MACHINE_FILE=machine)
        self.assertEqual(first.returncode, 0, first.stderr)
        again = subprocess.run([roofmark, "report", "p.json", "--format", "json"], capture_output=True, text=True, check=True,
                               cwd=self.cwd, env=self.environment)
        self.assertNotIn("exit_status", json.loads(again.stdout)["program"])

    def test_without_a_name_the_directory_is_beside_the_program(self):
        self.start(target, "regions", ROOFMARK_DIRECTORY=None)
        self.directory = self.cwd / "roofmark-recording"
        self.assertEqual(self.visits(self.profile()), {"": 1, "work": 3})

    def test_processes_are_recorded_where_the_first_one_is(self):
        done = self.start(target, "children", ROOFMARK_DIRECTORY="named")
        self.assertEqual((done.returncode, done.stderr), (1, ""))  # the children end with 7
        self.directory = self.cwd / "named"
        visits = self.visits(self.profile())
        self.assertEqual((visits["parent"], visits["work"]), (1, 6), visits)

    def test_forks_and_images(self):
        self.start(target, "fork")
        profile = self.profile()
        self.assertEqual(self.visits(profile), {"": 1, "parent": 2, "child": 2})
        shutil.rmtree(self.directory)
        self.start(target, "exec")
        self.assertEqual(self.visits(self.profile()), {"": 1, "before": 1, "work": 3})

    def test_a_process_that_was_killed(self):
        self.assertEqual(self.start(target, "killed").returncode, -9)
        profile = self.profile()
        self.assertEqual(self.visits(profile), {"": 1, "work": 80})
        self.assertGreaterEqual(profile["regions"][0]["wall_s"]["value"], 0.16)
        self.assertTrue([note for note in profile["notes"] if "did not end by exit()" in note])
        # Its CPU time is not known, and not that of all.
        self.assertNotIn("thread_s", profile["regions"][0])
        self.assertIn("time.thread", [missing["quantity"] for missing in profile["regions"][0]["missing"]])

    def test_runs_that_follow_one_another_are_told(self):
        self.start(target, "regions")
        self.assertFalse([note for note in self.profile()["notes"] if "followed one another" in note])
        self.start(target, "regions")
        profile = self.profile()
        self.assertEqual(self.visits(profile)["work"], 6)
        self.assertTrue([note for note in profile["notes"] if "2 runs that followed one another" in note])

    def test_a_program_without_regions(self):
        self.assertEqual(self.start("/bin/true").returncode, 0)
        self.assertEqual(self.visits(self.profile()), {"": 1})


class Library(unittest.TestCase):
    def test_what_it_exports_and_needs(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
        self.assertEqual({line.split()[-1] for line in listed.splitlines()}, {"_Exit", "_exit", "pthread_create", "quick_exit", "roofmark_api_v1", "thrd_create", "vfork"})
        dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        self.assertLessEqual(set(re.findall(r"NEEDED.*\[(.*)\]", dynamic)), {"libc.so.6", "libdl.so.2", "libpthread.so.0"})


class NotRecorded(Case):
    def test_a_directory_that_can_not_be(self):
        done = self.start(target, "children", ROOFMARK_DIRECTORY="/proc/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "ran\nran\n")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)  # not one for each process
        self.assertIn("ROOFMARK_DIRECTORY", lines[0])
        done = self.start(target, "regions", ROOFMARK_DIRECTORY="/proc/nowhere", ROOFMARK_QUIET="1")
        self.assertEqual((done.returncode, done.stderr), (7, ""))

    def test_switched_off(self):
        done = self.start(target, "regions", ROOFMARK_RECORDING="off")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "ran\n", ""))
        self.assertFalse(self.directory.exists())

    def test_below_the_command_it_is_the_commands_recording(self):
        done = self.start(roofmark, "record", "--no-machine", "--counters", "none", "-o", "p.json", "--", target, "regions")
        self.assertEqual((done.returncode, done.stdout), (7, "ran\n"), done.stderr)
        self.assertEqual(self.visits(json.loads((self.cwd / "p.json").read_text())), {"": 1, "work": 3})

    def test_a_directory_without_a_recording(self):
        done = self.report(directory=self.cwd)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("libroofmark-preload.so", done.stderr)


class Elsewhere(Case):
    def test_ceilings_of_this_machine_are_not_those_of_another(self):
        self.start(target, "regions")
        here = socket.gethostname().encode()
        there = bytes(byte ^ 1 if chr(byte).isalnum() and chr(byte ^ 1).isalnum() else byte for byte in here)
        self.assertNotEqual(here, there)
        for arena in self.directory.glob("*.arena"):
            data = bytearray(arena.read_bytes())
            at = data.index(here + b"\0", 0, 4096)
            data[at:at + len(here)] = there
            arena.write_bytes(data)
        done = self.report("--format", "json")
        profile = json.loads(done.stdout)
        (note,) = [note for note in profile["notes"] if note.startswith("No roof")]
        self.assertIn(there.decode(), note)
        self.assertIn("--machine FILE", note)
        self.assertFalse(profile["machine"]["ceilings"])
        profile = json.loads(self.report("--format", "json", "--machine", machine).stdout)
        self.assertTrue(profile["machine"]["ceilings"])
        done = self.report("--machine", "/nowhere.json")
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
