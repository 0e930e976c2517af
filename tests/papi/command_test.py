#!/usr/bin/env python3
"""`record --papi` from outside, on events whose counts are known: software-defined events of a library of our own, and
page faults.

usage: command_test.py ROOFMARK TARGET TARGET_WITHOUT_SDE NO_PAPI      (TARGET: `-` where there is no libsde)
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

roofmark, target, plain_target, no_papi = sys.argv[1:5]
sde = target != "-"
flops, lines, nowhere = "sde:::FAKEPMU::DP_FLOPS", "sde:::FAKEPMU::DRAM_LINES", "sde:::NONE::X"
faults = "perf::PAGE-FAULTS"


class Recorded:
    def __init__(self, events, scenario, program=None, counters="none", **environment):
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder, "p.json")
            done = subprocess.run([roofmark, "record", "--counters", counters, "--no-machine", "-o", str(profile), "--papi", events, "--",
                                   program or target, scenario], capture_output=True, text=True, check=False, timeout=120,
                                  env={**os.environ, **environment})
            self.status, self.output = done.returncode, done.stdout
            self.lines = done.stderr.splitlines()
            self.profile = json.loads(profile.read_text())
            report = lambda form: subprocess.run([roofmark, "report", "--format", form, "-o", f"{folder}/out", str(profile)],
                                                 check=True, capture_output=True) and pathlib.Path(folder, "out").read_text()
            self.forms = {form: report(form) for form in ("text", "html", "csv", "json")}

    def region(self, *path):
        (found,) = [r for r in self.profile["regions"] if r["path"] == list(path)]
        return found

    def count(self, event, *path, part=None):
        region = self.region(*path)
        return (region[part] if part else region).get("events", {}).get(event, {}).get("value")

    def pages(self, *path, event=faults):
        """Page faults of a region, less a few that are not its own: of the runtime's look at clock and CPU every 10 ms, and of
        pages that a fork has made to be copied."""
        count = self.count(event, *path)
        return None if count is None else count - count % 10

    def why(self, event, *path):
        return [m["reason"] for m in self.region(*path)["missing"] if m["quantity"] == "events." + event]


class Program(unittest.TestCase):
    """Whatever PAPI can do here: the program runs, and what is not counted is said in a line."""

    def test_an_event_that_is_listed_and_not_countable_is_one_line(self):
        run = Recorded("PAPI_TOT_CYC", "nested", program=plain_target)
        self.assertEqual((run.status, run.output), (7, "ran\n"))
        if run.count("PAPI_TOT_CYC", "solve") is not None:
            self.assertGreater(run.count("PAPI_TOT_CYC", "solve"), 0)  # a machine with a PMU
            return
        self.assertEqual(len(run.lines), 1, run.lines)
        self.assertIn("PAPI_TOT_CYC", run.lines[0])
        (reason,) = run.why("PAPI_TOT_CYC", "solve")
        self.assertTrue(reason)
        self.assertIn("PAPI_TOT_CYC", run.forms["csv"].splitlines()[0])

    def test_names_that_nobody_knows(self):
        run = Recorded("NOSUCH,perf::NOSUCH", "nested", program=plain_target)
        self.assertEqual((run.status, run.output), (7, "ran\n"))
        for event in ("NOSUCH", "perf::NOSUCH"):
            (reason,) = run.why(event, "solve")
            self.assertIn("PAPI", reason)
        self.assertLessEqual(len(run.lines), 2)

    def test_a_list_that_is_none_is_refused_before_the_program_runs(self):
        for wrong in ("", ",", "A,,B", "A B", "A\x01", "A" * 300, ",".join(f"E{i}" for i in range(65))):
            with self.subTest(wrong[:20]), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([roofmark, "record", "--papi", wrong, "--", "touch", f"{folder}/ran"], capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 125)
                self.assertFalse(pathlib.Path(folder, "ran").exists())

    def test_a_machine_without_libpapi(self):
        run = Recorded(f"{faults},PAPI_TOT_CYC", "nested", program=plain_target, LD_PRELOAD=no_papi)
        self.assertEqual((run.status, run.output), (7, "ran\n"))
        self.assertEqual(len(run.lines), 1, run.lines)
        self.assertIn("libpapi is not installed", run.lines[0])
        for event in (faults, "PAPI_TOT_CYC"):
            (reason,) = run.why(event, "solve")
            self.assertIn("not installed", reason)
        self.assertEqual(subprocess.run([roofmark, "check", "--no-self-test"], check=False, capture_output=True,
                                        env={**os.environ, "LD_PRELOAD": no_papi}).returncode, 0)

    def test_a_roofmark_that_was_built_without_papi(self):
        with tempfile.TemporaryDirectory() as prefix:
            here = pathlib.Path(roofmark).resolve().parent.parent
            for part in ("libexec", "share"):
                if (here / part).exists():
                    os.symlink(here / part, pathlib.Path(prefix, part))
            pathlib.Path(prefix, "lib").mkdir()
            for library in (here / "lib").glob("libroofmark-*.so"):
                if library.name != "libroofmark-papi.so":
                    os.symlink(library, pathlib.Path(prefix, "lib", library.name))
            run = Recorded(faults, "nested", program=plain_target, ROOFMARK_PREFIX=prefix)
        self.assertEqual((run.status, run.output), (7, "ran\n"))
        self.assertEqual(len(run.lines), 1, run.lines)
        self.assertIn("built without PAPI", run.lines[0])

    def test_check_says_what_papi_can_do(self):
        answer = json.loads(subprocess.run([roofmark, "check", "--no-self-test", "--format", "json"], capture_output=True, text=True,
                                           check=False).stdout)
        (papi,) = [c for c in answer["collectors"] if c["name"] == "papi"]
        if not papi["available"]:
            self.assertTrue(papi["reason"] and papi["fix"])
        done = subprocess.run([roofmark, "check", "--no-self-test", "--format", "json"], capture_output=True, text=True, check=False,
                              env={**os.environ, "LD_PRELOAD": no_papi})
        (papi,) = [c for c in json.loads(done.stdout)["collectors"] if c["name"] == "papi"]
        self.assertEqual((papi["available"], "not installed" in papi["reason"]), (False, True))


    def test_a_program_without_regions(self):
        run = Recorded(faults, "ran", program="/bin/echo")
        self.assertEqual((run.status, run.output), (0, "ran\n"))
        (reason,) = run.why(faults)
        self.assertTrue(reason)
        self.assertEqual(run.count(faults), None)


class Counted(unittest.TestCase):
    def setUp(self):
        probe = Recorded(faults, "pages", program=plain_target)
        if probe.count(faults, "pages") is None:
            self.skipTest(f"PAPI counts no page faults here: {probe.lines}")

    def test_pages_that_are_touched(self):
        run = Recorded(faults, "pages", program=plain_target)
        self.assertEqual(run.lines, [])
        self.assertEqual(run.pages("pages"), 1000)
        entry = run.region("pages")["events"][faults]
        self.assertEqual({k: entry[k] for k in ("source", "collector", "scope")},
                         {"source": "measured", "collector": "papi", "scope": "thread"})

    def test_presets_that_are_mapped_to_other_events(self):
        # PAPI takes the presets of the processor that it finds: one of these, or a machine of another kind.
        names = ["perf", *(f"amd64_fam{f}" for f in ("15h_interlagos", "17h_zen1", "17h_zen2", "19h_zen3", "19h_zen4", "1ah_zen5")),
                 *"ivb ivb_ep hsw hsw_ep bdw bdw_ep skl skx clx icl icx spr emr gnr adl_glc arm_n1 arm_n2 arm_v1 arm_v2".split()]
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
            table.write("".join(f"CPU,{name}\n" for name in names))
            table.write(f"PRESET,PAPI_DP_OPS,NOT_DERIVED,{faults}\n"
                        f"PRESET,PAPI_SP_OPS,DERIVED_POSTFIX,N0|4|*|,{faults}\n"
                        f"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|/|,{faults}\n")
            table.flush()
            run = Recorded("PAPI_DP_OPS,PAPI_SP_OPS,PAPI_FP_OPS", "pages", program=plain_target, PAPI_CSV_EVENT_FILE=table.name)
            if run.count("PAPI_DP_OPS", "pages") is None:
                self.skipTest(f"PAPI takes no presets of a file here: {run.lines}")
        self.assertEqual(run.pages("pages", event="PAPI_DP_OPS"), 1000)
        self.assertEqual(run.count("PAPI_SP_OPS", "pages"), 4 * run.count("PAPI_DP_OPS", "pages"))
        self.assertEqual(run.count("PAPI_FP_OPS", "pages"), None)
        (reason,) = run.why("PAPI_FP_OPS", "pages")
        self.assertIn("division", reason)

    def test_eight_threads_each_count_their_own(self):
        run = Recorded(faults, "threads", program=plain_target)
        self.assertEqual(run.pages("team", "work"), 10 * sum(range(1, 9)))
        self.assertEqual(run.region("team", "work")["visits"], 8 * 4)
        # With the threads' own start in it.
        self.assertGreaterEqual(run.count(faults, "team"), 360)

    def test_a_fork_counts_what_each_process_does(self):
        run = Recorded(faults, "forks", program=plain_target)
        self.assertEqual(run.pages("before"), 30)
        self.assertEqual(run.pages("child"), 50)
        self.assertGreaterEqual(run.count(faults, "after"), 7)
        self.assertLess(run.count(faults, "after"), 30)


class Tables(unittest.TestCase):
    """`--counters papi`: the event tables' quantities, with a table whose events need no PMU."""

    def record(self, event, *options, scenario="pages", counters="papi", limit=4, command=None):
        rules = [{"vendor": vendor, "family": family, "core_pmu": "software"}
                 for vendor in ("GenuineIntel", "AuthenticAMD", "HygonGenuine") for family in (6, 15, 19, 23, 24, 25, 26)]
        quantity = lambda name, weight: {"quantity": name, "scope": "process", "bound": "exact", "counts": "retired",
                                         "sum": [{"weight": weight, "event": "faults"}]}
        table = {"schema": "roofmark-events/1", "name": "own", "about": "my own", "match": rules,
                 "counters": {"general": 4, "limits": {"slot": limit}},
                 "events": {"faults": {"type": "software", "config": 2, "pfm": event}},
                 "quantities": [quantity("flop.f64", 4), quantity("bytes.DRAM.read", 64), quantity("bytes.DRAM.write", 32)],
                 "sources": ["made up"]}
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "own.json").write_text(json.dumps(table))
            profile = pathlib.Path(folder, "p.json")
            done = subprocess.run([roofmark, "record", "--counters", counters, "--no-machine", *options, "-o", str(profile), "--",
                                   *(command or (plain_target, scenario))],
                                  capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "ROOFMARK_EVENTS": folder})
            return done, json.loads(profile.read_text())

    def test_quantities_of_a_table(self):
        if os.uname().machine != "x86_64" or Recorded(faults, "pages", program=plain_target).count(faults, "pages") is None:
            self.skipTest("PAPI counts no page faults here")
        done, profile = self.record(faults)
        self.assertEqual((done.returncode, done.stdout), (7, "ran\n"))
        (region,) = [r for r in profile["regions"] if r["path"] == ["pages"]]
        pages = region["flop"]["f64"]["value"] // 4
        self.assertEqual(pages - pages % 10, 1000)
        self.assertEqual((region["flop"]["f64"]["source"], region["flop"]["f64"]["collector"]), ("measured", "papi"))
        self.assertEqual(region["bytes"]["DRAM"]["read"]["value"], 64 * pages)
        self.assertEqual(region["bytes"]["DRAM"]["write"]["value"], 32 * pages)

    def named(self, counters, *options):
        """The region of a run with the table's quantities and events that are named beside them."""
        if os.uname().machine != "x86_64" or Recorded(faults, "pages", program=plain_target).count(faults, "pages") is None:
            self.skipTest("PAPI counts no page faults here")
        done, profile = self.record(faults, "--papi", f"{faults},perf::MINOR-FAULTS,NOSUCH", *options, counters=counters)
        self.assertEqual((done.returncode, done.stdout), (7, "ran\n"))
        self.assertEqual([line for line in done.stderr.splitlines() if "Not counted" in line and "NOSUCH" in line][1:], [])
        (region,) = [r for r in profile["regions"] if r["path"] == ["pages"]]
        missing = {m["quantity"]: m["reason"] for m in region["missing"]}
        self.assertIn("events.NOSUCH", missing)
        return region, [(one["collector"], one.get("note", "")) for one in profile["passes"]], missing

    def whole(self, script):
        """Of a program without regions: its own row."""
        if os.uname().machine != "x86_64" or Recorded(faults, "pages", program=plain_target).count(faults, "pages") is None:
            self.skipTest("PAPI counts no page faults here")
        done, profile = self.record(faults, command=[sys.executable, "-c", "import mmap, os, threading, time\n" + script])
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)
        self.assertEqual([one["collector"] for one in profile["passes"]], ["clock", "papi"])
        region = profile["regions"][0]
        self.assertEqual(region["path"], [])
        return region, {m["quantity"]: m["reason"] for m in region["missing"]}, profile["notes"]

    def test_a_program_without_regions_is_counted_as_a_whole(self):
        touch = "m = mmap.mmap(-1, 20000 * 4096)\nfor i in range(20000): m[i * 4096] = 1\n"
        region, missing, notes = self.whole(touch + "print('ran')")
        count = region["flop"]["f64"]
        self.assertEqual((count["source"], count["collector"], count["scope"]), ("measured", "papi", "process"))
        self.assertGreaterEqual(count["value"], 4 * 20000)
        self.assertLess(count["value"], 4 * 40000)  # the interpreter has some of its own
        self.assertEqual(region["bytes"]["DRAM"]["read"]["value"], 16 * count["value"])
        self.assertFalse([quantity for quantity in missing if quantity.startswith("flop")], missing)
        self.assertIn("in 1 process that loaded the runtime", " ".join(notes))
        # A thread that ends inside, and a child that does as much.
        region, _, _ = self.whole(f"def work():\n {touch.replace(chr(10), chr(10) + ' ')}\n"
                                  "t = threading.Thread(target=work)\nt.start()\nt.join()\n"
                                  "if os.fork() == 0: work()\nelse: os.wait(); print('ran')")
        self.assertGreaterEqual(region["flop"]["f64"]["value"], 4 * 40000)

    def test_a_program_that_leaves_no_counts_has_none(self):
        region, missing, _ = self.whole("print('ran', flush=True)\nos._exit(0)")
        self.assertEqual(region.get("flop", {}), {})
        self.assertIn("without exit()", missing["flop.f64"])
        region, missing, _ = self.whole("threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\nprint('ran')")
        self.assertEqual(region.get("flop", {}), {})
        self.assertIn("threads of it still ran", missing["flop.f64"])

    def whole_tens(self, value):
        return value - value % 10

    def test_named_events_share_papis_run(self):
        region, passes, _ = self.named("papi")
        self.assertEqual([collector for collector, _ in passes], ["clock", "papi"])
        self.assertEqual(sorted(region["events"]), sorted([faults, "perf::MINOR-FAULTS"]))
        # One run: the same faults.
        self.assertEqual(region["flop"]["f64"]["value"], 4 * region["events"][faults]["value"])
        self.assertEqual(self.whole_tens(region["events"]["perf::MINOR-FAULTS"]["value"]), 1000)

    def test_named_events_beside_perf_have_a_run_of_their_own(self):
        region, passes, _ = self.named("perf")
        self.assertEqual([collector for collector, _ in passes], ["clock", "perf", "papi"])
        self.assertEqual(region["flop"]["f64"]["collector"], "perf")
        self.assertEqual(self.whole_tens(region["flop"]["f64"]["value"] // 4), 1000)
        self.assertEqual(sorted(region["events"]), sorted([faults, "perf::MINOR-FAULTS"]))
        for event in region["events"].values():
            self.assertEqual((self.whole_tens(event["value"]), event["source"], event["collector"]), (1000, "measured", "papi"))
        auto, _, _ = self.named("auto")
        self.assertEqual((auto["flop"]["f64"]["collector"], len(auto["events"])), ("perf", 2))

    def test_once_leaves_no_run_for_named_events(self):
        region, passes, missing = self.named("perf", "--once")
        self.assertEqual([collector for collector, _ in passes], ["clock", "perf"])
        self.assertIn("--once", missing["events." + faults])
        self.assertNotIn("events", region)

    def test_a_table_whose_events_papi_does_not_know(self):
        done, profile = self.record("perf::NO-SUCH-EVENT")
        self.assertEqual((done.returncode, done.stdout), (7, "ran\n"))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        (region,) = [r for r in profile["regions"] if r["path"] == ["pages"]]
        self.assertEqual(region["flop"], {})
        self.assertTrue([m for m in region["missing"] if m["quantity"].startswith("flop")])
        self.assertIsNotNone(region["wall_s"]["value"])


@unittest.skipIf(not sde, "libsde is not installed")
class SoftwareDefined(unittest.TestCase):
    def setUp(self):
        probe = Recorded(flops, "nested")
        if probe.count(flops, "solve") is None:
            self.skipTest(f"this libpapi has no software-defined events: {probe.lines} {probe.why(flops, 'solve')}")

    def test_differences_are_exact(self):
        run = Recorded(f"{flops},{lines}", "nested")
        self.assertEqual((run.status, run.lines), (7, []))
        for event, factor in ((flops, 2), (lines, 1)):
            half = lambda value: value * factor // 2
            self.assertEqual(run.count(event, "solve"), half(10 * (100 + 2000 + 90)))
            self.assertEqual(run.count(event, "solve", part="self"), half(1000))
            self.assertEqual(run.count(event, "solve", "first"), half(20000))
            self.assertEqual(run.count(event, "solve", "second"), half(900))
            self.assertEqual(run.count(event, "nothing"), 0)
        self.assertEqual(run.region("solve")["events"][flops]["scope"], "process")

    def test_every_format_has_the_column_and_its_source(self):
        run = Recorded(flops, "nested")
        self.assertIn("21900", run.forms["text"])
        self.assertIn(f"E1: {flops} - papi, measured, of the process", run.forms["text"])
        self.assertIn("21900", run.forms["html"])
        self.assertIn(flops, run.forms["html"])
        rows = {row["path"]: row for row in csv.DictReader(io.StringIO(run.forms["csv"], newline=""))}
        self.assertEqual((rows["solve"][f"events.{flops}"], rows["solve"][f"events.{flops}.source"]), ("21900", "measured"))
        self.assertEqual(rows["solve"][f"self.events.{flops}"], "1000")
        again = [r for r in json.loads(run.forms["json"])["regions"] if r["path"] == ["solve"]]
        self.assertEqual(again[0]["events"], run.region("solve")["events"])

    def test_beside_counts_of_a_second_run(self):
        run = Recorded(flops, "nested", counters="auto")
        self.assertEqual(run.count(flops, "solve"), 21900)

    def test_an_event_that_nobody_defines_is_not_zero(self):
        run = Recorded(f"{flops},{nowhere}", "nested")
        self.assertEqual(run.count(flops, "solve"), 21900)
        self.assertEqual(run.count(nowhere, "solve"), None)
        (reason,) = run.why(nowhere, "solve")
        self.assertIn("no library of the program", reason)

    def test_an_event_that_is_defined_late(self):
        run = Recorded(flops, "late")
        self.assertEqual(run.count(flops, "before"), None)
        self.assertEqual(len(run.why(flops, "before")), 1)
        self.assertEqual(run.count(flops, "after"), 10)

    def test_a_thread_does_not_count_the_whole_process(self):
        run = Recorded(flops, "threads")
        self.assertEqual(run.count(flops, "team"), 0)
        self.assertEqual(run.count(flops, "team", "work"), None)
        (reason,) = run.why(flops, "team", "work")
        self.assertIn("main thread", reason)

    def test_events_of_several_components_at_once(self):
        run = Recorded(f"{flops},{faults},{lines}", "nested")
        self.assertEqual(run.count(flops, "solve"), 21900)
        self.assertEqual(run.count(lines, "solve"), 10950)


unittest.main(argv=sys.argv[:1], verbosity=2)
