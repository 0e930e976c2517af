#!/usr/bin/env python3
"""Memory traffic by resctrl, from outside: `record`, `report` and `check` on a tree of plain files.

usage: command_test.py ROOFMARK FAKE_KERNEL CHECK_SCHEMA PROFILE_SCHEMA MACHINE_SCHEMA
"""
import csv
import errno
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

roofmark, fake_kernel = sys.argv[1:3]
schemas = [json.loads(pathlib.Path(name).read_text()) for name in sys.argv[3:6]]

# A program whose traffic is what its arguments say: it looks for its own group and writes the counters.
program = """
import os, pathlib, signal, sys
root = pathlib.Path(sys.argv[1])
(group,) = [g for g in (root / "mon_groups").iterdir() if (g / "tasks").exists() and (g / "tasks").read_text() == str(os.getpid())]
for change in sys.argv[2:]:
    name, text = change.split("=")
    if text == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    file = group / "mon_data" / name
    if text == "gone":
        file.unlink()
    else:
        file.write_text(text + "\\n")
"""


class Tree:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name, "resctrl")
        (self.root / "info/L3_MON").mkdir(parents=True)
        (self.root / "mon_groups").mkdir()
        (self.root / "info/L3_MON/mon_features").write_text("llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n")
        (self.root / "info/L3_MON/num_rmids").write_text("32\n")
        return self

    def __exit__(self, *unused):
        self.folder.cleanup()

    def run(self, *arguments, **environment):
        full = {**os.environ, "LD_PRELOAD": fake_kernel, "HOME": self.folder.name, "XDG_CACHE_HOME": "", **environment}
        return subprocess.run([roofmark, *arguments], capture_output=True, text=True, env=full, check=False, timeout=120)

    def record(self, *changes, counters="none", **environment):
        profile = pathlib.Path(self.folder.name, "p.json")
        done = self.run("record", "--counters", counters, "--no-machine", "-o", str(profile), "--resctrl-root", str(self.root),
                        "--", sys.executable, "-c", program, str(self.root), *changes, **environment)
        return done, json.loads(profile.read_text()), profile

    def groups(self):
        return list((self.root / "mon_groups").iterdir())


def whole(profile):
    return profile["regions"][0]


class Record(unittest.TestCase):
    def test_the_traffic_of_the_program(self):
        with Tree() as tree:
            done, profile, file = tree.record("mon_L3_00/mbm_total_bytes=5100", "mon_L3_01/mbm_total_bytes=1300",
                                              "mon_L3_00/mbm_local_bytes=700", FAKE_RESCTRL_VALUE="100\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            total = whole(profile)["bytes"]["DRAM"]["total"]
            self.assertEqual({key: total[key] for key in ("value", "source", "collector", "scope")},
                             {"value": 6200, "source": "measured", "collector": "resctrl", "scope": "process"})
            self.assertIn("reads and writes together", total["caveats"])
            local = whole(profile)["events"]["mbm_local_bytes"]
            self.assertEqual((local["value"], local["collector"]), (600, "resctrl"))
            self.assertEqual(tree.groups(), [])
            try:
                import jsonschema
                from referencing import Registry, Resource
                registry = Registry().with_resources((s["$id"], Resource.from_contents(s)) for s in schemas[1:])
                jsonschema.Draft202012Validator(schemas[1], registry=registry).validate(profile)
            except ImportError:
                print("the profile's schema is not tested: python3-jsonschema with referencing is not installed")
            # What was written is what is read again.
            again = json.loads(tree.run("report", "--format", "json", str(file)).stdout)
            self.assertEqual(whole(again)["bytes"], whole(profile)["bytes"])
            self.assertEqual(whole(again)["events"], whole(profile)["events"])
            row, *_ = csv.DictReader(io.StringIO(tree.run("report", "--format", "csv", str(file)).stdout))
            self.assertEqual((row["bytes.DRAM.total"], row["bytes.DRAM.total.source"]), ("6200", "measured"))
            self.assertEqual((row["events.mbm_local_bytes"], row["events.mbm_local_bytes.source"]), ("600", "measured"))
            for form in ("text", "html"):
                page = tree.run("report", "--format", form, "-o", str(file) + form, str(file))
                self.assertEqual(page.returncode, 0, page.stderr)
                self.assertIn("mbm_local_bytes", pathlib.Path(str(file) + form).read_text())

    def test_what_was_not_counted_is_absent_with_its_reason(self):
        cases = {"mon_L3_01/mbm_total_bytes=Unavailable": "Unavailable", "mon_L3_01/mbm_total_bytes=Error": "Error",
                 "mon_L3_01/mbm_total_bytes=Unassigned": "Unassigned", "mon_L3_01/mbm_total_bytes=gone": "no such counter",
                 "mon_L3_01/mbm_total_bytes=99": "went backwards", "mon_L3_01/mbm_total_bytes=12 MB": "neither a number"}
        with Tree() as tree:
            for change, word in cases.items():
                with self.subTest(change):
                    done, profile, _ = tree.record(change, FAKE_RESCTRL_VALUE="100\n")
                    self.assertEqual(done.returncode, 0)
                    self.assertNotIn("DRAM", whole(profile).get("bytes", {}))
                    (entry,) = [m for m in whole(profile)["missing"] if m["quantity"] == "bytes.DRAM.total"]
                    self.assertIn(word, entry["reason"])
                    self.assertIn("mon_L3_01/mbm_total_bytes", entry["reason"])
                    self.assertTrue(entry["fix"])
                    # The other counter was counted.
                    self.assertEqual(whole(profile)["events"]["mbm_local_bytes"]["value"], 0)
                    self.assertEqual(tree.groups(), [])

    def test_no_group_is_free(self):
        with Tree() as tree:
            # The program can't find its group, and ends with an exit status of its own.
            done, profile, _ = tree.record(FAKE_RESCTRL_ERRNO=str(errno.ENOSPC))
            self.assertEqual(done.returncode, 1)
            (entry,) = [m for m in whole(profile)["missing"] if m["quantity"] == "bytes.DRAM.total"]
            self.assertIn("no monitor group is free of the 32", entry["reason"])
            self.assertIn("rmdir", entry["fix"])
            lines = [line for line in done.stderr.splitlines() if "memory traffic" in line]
            self.assertEqual(len(lines), 1, done.stderr)

    def test_not_mounted_is_one_line_and_the_program_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "p.json")
            done = subprocess.run([roofmark, "record", "--counters", "none", "--no-machine", "--resctrl-root", folder, "-o", str(profile),
                                   "--", "echo", "ran"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("not mounted", done.stderr)
            (entry,) = [m for m in whole(json.loads(profile.read_text()))["missing"] if m["quantity"] == "bytes.DRAM.total"]
            self.assertIn("mount -t resctrl", entry["fix"])

    def test_without_counters_nothing_is_touched(self):
        with Tree() as tree:
            done = tree.run("record", "--counters", "none", "--no-machine", "-o", str(tree.root.parent / "p.json"), "--", "true",
                            FAKE_RESCTRL_ERRNO=str(errno.ENOSPC))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_program_that_is_killed_leaves_no_group(self):
        with Tree() as tree:
            done, profile, _ = tree.record("mon_L3_00/mbm_total_bytes=600", "mon_L3_00=kill", FAKE_RESCTRL_VALUE="100\n")
            self.assertEqual(done.returncode, -signal.SIGKILL)
            self.assertEqual(whole(profile)["bytes"]["DRAM"]["total"]["value"], 500)
            self.assertEqual(tree.groups(), [])

    def test_the_group_of_a_recorder_that_was_killed_is_removed_by_the_next(self):
        with Tree() as tree:
            environment = {**os.environ, "LD_PRELOAD": fake_kernel, "HOME": tree.folder.name}
            reader, writer = os.pipe()
            started = subprocess.Popen([roofmark, "record", "--counters", "none", "--no-machine", "-o", str(tree.root.parent / "k.json"),
                                        "--resctrl-root", str(tree.root), "--", "sh", "-c", f"echo $$ >&{writer}; exec sleep 600"],
                                       env=environment, pass_fds=[writer])
            target = int(os.read(reader, 64))
            self.assertEqual(len(tree.groups()), 1)
            started.kill()
            started.wait()
            os.kill(target, signal.SIGKILL)
            os.close(reader)
            os.close(writer)
            self.assertEqual(len(tree.groups()), 1)
            tree.record()
            self.assertEqual(tree.groups(), [])


class Check(unittest.TestCase):
    def answer(self, done):
        answer = json.loads(done.stdout)
        try:
            import jsonschema
            jsonschema.Draft202012Validator(schemas[0]).validate(answer)
        except (ImportError, AttributeError):
            print("the schema of check is not tested: python3-jsonschema is not installed")
        (found,) = [c for c in answer["collectors"] if c["name"] == "resctrl"]
        return found

    def test_whether_it_can_be_used(self):
        with Tree() as tree:
            ask = lambda **environment: self.answer(tree.run("check", "--no-self-test", "--format", "json", "--resctrl-root",
                                                             str(tree.root), **environment))
            self.assertEqual(ask(), {"name": "resctrl", "available": True})
            self.assertEqual(tree.groups(), [])
            full = ask(FAKE_RESCTRL_ERRNO=str(errno.ENOSPC))
            self.assertFalse(full["available"])
            self.assertIn("no monitor group is free", full["reason"])
            (tree.root / "info/L3_MON/mon_features").write_text("mbm_local_bytes\n")
            self.assertIn("own NUMA node", ask()["reason"])
            (tree.root / "info/L3_MON/mon_features").write_text("llc_occupancy\n")
            self.assertIn("no traffic", ask()["reason"])


unittest.main(argv=sys.argv[:1], verbosity=1)
