#!/usr/bin/env python3
"""`roofmark record --counters perf` from the table to the report, with events that every kernel counts exactly.

usage: counters_test.py ROOFMARK TARGET ROOFMARK_SOURCE HYBRID_KERNEL [unittest arguments]      (HYBRID_KERNEL: `-` where none can be preloaded)
"""
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOFMARK = TARGET = SOURCE = HYBRID_KERNEL = ""
PATIENCE = 120
PAGE = 0x200000000000  # tests/runtime/counted_places.hpp


def skip(why):
    print("skipped:", why, file=sys.stderr)
    raise unittest.SkipTest(why)


def breakpoint_event(access, address):
    return {"type": "breakpoint", "config": "0x0", "breakpoint": access, "config1": hex(address), "config2": "0x8",
            "uses": ["watchpoint"]}


def match_rule():
    """For the processor that this runs on."""
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            fields.setdefault(name.strip(), value.strip())
    if platform.machine() == "x86_64":
        return {"vendor": fields["vendor_id"], "family": int(fields["cpu family"]), "models": [int(fields["model"])]}
    if "CPU implementer" in fields:
        return {"implementer": fields["CPU implementer"], "parts": [fields["CPU part"]]}
    raise unittest.SkipTest("skipped: no table can be made for " + platform.machine())


def table(at_once=4, more_events=None, more_quantities=()):
    events = {"a": breakpoint_event("w", PAGE), "b": breakpoint_event("w", PAGE + 64),
              "x": breakpoint_event("x", PAGE + 4096), "faults": {"type": "software", "config": "0x2"}}
    events.update(more_events or {})

    def quantity(name, bound, **terms):
        return {"quantity": name, "scope": "process", "bound": bound, "counts": "retired",
                "sum": [{"weight": weight, "event": event} for event, weight in terms.items()]}
    return {
        "schema": "roofmark-events/1", "name": "made_up", "about": "breakpoints and page faults",
        "match": [{**match_rule(), "core_pmu": "breakpoint"}], "counters": {"general": 4, "limits": {"watchpoint": at_once}},
        "events": events,
        "quantities": [quantity("flop.f64", "exact", a=1, b=4), quantity("bytes.DRAM.read", "lower", x=64),
                       quantity("bytes.DRAM.write", "exact", x=32), *more_quantities],
        "sources": ["a test"]}


def breakpoints_work():
    """A watchpoint is opened by perf_event_open, which sandboxes forbid."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "made_up.json"), "w", encoding="utf-8") as file:
            json.dump(table(), file)
        done = subprocess.run([ROOFMARK, "record", "--no-machine", "--counters", "perf", "-o", folder + "/out.json", "--",
                               "true"], env={**os.environ, "ROOFMARK_EVENTS": folder}, timeout=PATIENCE,
                              capture_output=True, check=False)
        return b"Nothing is counted" not in done.stderr, done.stderr.decode(errors="replace")


class Recorded(unittest.TestCase):
    def setUp(self):
        works, why = breakpoints_work()
        if not works:
            print("skipped:", why, file=sys.stderr)
            raise unittest.SkipTest(why)
        self.directory = tempfile.mkdtemp(prefix="roofmark-counters-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.tables = os.path.join(self.directory, "events")
        os.mkdir(self.tables)
        self.environment = {**os.environ, "ROOFMARK_EVENTS": self.tables, "HOME": self.directory,
                            "XDG_CACHE_HOME": self.directory + "/cache"}
        self.write(table())

    def write(self, content, name="made_up.json"):
        with open(os.path.join(self.tables, name), "w", encoding="utf-8") as file:
            json.dump(content, file)

    def run_roofmark(self, *arguments, **more):
        return subprocess.run([ROOFMARK, *arguments], env=self.environment, cwd=self.directory, timeout=PATIENCE,
                              capture_output=True, text=True, check=False, **more)

    def record(self, scenario, *options, counters="perf", **more):
        out = os.path.join(self.directory, "out.json")
        if not any(option.startswith("--machine") for option in options):
            options = ("--no-machine", *options)
        done = self.run_roofmark("record", "--counters", counters, *options, "-o", out, "--", TARGET, scenario, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, encoding="utf-8") as file:
            self.profile = json.load(file)
        self.said = done.stderr
        return {"/".join(region["path"]): region for region in self.profile["regions"]}


class Counters(Recorded):
    def check(self, region, flop, read, write):
        self.assertEqual(region["flop"]["f64"]["value"], flop)
        self.assertEqual(region["flop"]["f64"]["source"], "measured")
        self.assertEqual(region["flop"]["f64"]["collector"], "perf")
        self.assertEqual(region["bytes"]["DRAM"]["read"]["value"], read)
        self.assertEqual(region["bytes"]["DRAM"]["write"]["value"], write)

    def test_one_run_gives_time_and_exact_counts(self):
        regions = self.record("counted exact")
        self.check(regions["work"], 2000 + 4 * 1000, 64 * 500, 32 * 500)
        self.check(regions["work/first"], 4 * 500, 0, 0)
        self.check(regions["nothing"], 0, 0, 0)
        self.assertEqual(regions["work"]["bytes"]["DRAM"]["read"]["low"], 64 * 500)
        self.assertGreater(regions["work"]["wall_s"]["value"], 0)
        passes = [(one["purpose"], one["collector"]) for one in self.profile["passes"]]
        self.assertEqual(passes, [("time", "clock"), ("counts", "perf")])
        self.assertEqual(regions["work"]["self"]["flop"]["f64"]["value"], 2000)

    def test_auto_takes_hardware_where_it_counts_flop(self):
        self.check(self.record("counted exact", counters="auto")["work"], 6000, 32000, 16000)
        self.assertEqual(len(self.profile["passes"]), 2)

    def test_a_whole_roofline_report_with_measured_sources(self):
        machine = os.path.join(SOURCE, "tests", "examples", "small_caches.machine.json")
        self.record("counted exact", "--machine", machine)
        region = next(one for one in self.profile["regions"] if one["path"] == ["work"])
        self.assertTrue(region["rooflines"], region)
        text = self.run_roofmark("report", "out.json")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("measured", text.stdout)
        self.assertIn("counts by perf", text.stdout)
        page = self.run_roofmark("report", "out.json", "--format", "html", "-o", "out.html")
        self.assertEqual(page.returncode, 0, page.stderr)

    def test_the_clock_of_a_region_and_the_roof_that_follows_it(self):
        """Watchpoints as cycles: 2000 and 1000 of them in the region."""
        def clock(cycles, reference):
            self.write(table(more_quantities=[
                {"quantity": quantity, "scope": "process", "bound": "exact", "counts": "cycles",
                 "sum": [{"weight": 1, "event": event}]}
                for quantity, event in (("cycles", cycles), ("reference_cycles", reference))]))
            work = self.record("counted exact", "--machine", machine)["work"]
            self.assertGreater(work["clock_hz"]["value"], 0)
            return work
        with open(os.path.join(SOURCE, "tests", "examples", "small_caches.machine.json"), encoding="utf-8") as file:
            content = json.load(file)
        machine = os.path.join(self.directory, "machine.json")
        with open(machine, "w", encoding="utf-8") as file:
            json.dump({**content, "clock_hz": 2.5e9}, file)
        self.assertNotIn("clock_hz", self.record("counted exact")["work"])
        twice, half = clock("a", "b"), clock("b", "a")
        if "low" in twice["clock_hz"] or "low" in half["clock_hz"]:
            print("skipped: markers do not read the processor's own clock here", file=sys.stderr)
            raise unittest.SkipTest("no constant clock of the processor")
        self.assertEqual(twice["clock_hz"]["source"], "measured")
        self.assertAlmostEqual(twice["clock_hz"]["value"] / half["clock_hz"]["value"], 4, delta=0.2)
        self.assertIn("scaled to its clock", " ".join(twice["rooflines"][0].get("notes", [])))
        table_of = self.run_roofmark("report", "out.json", "--format", "csv")
        self.assertIn("clock_hz,clock_hz.source", table_of.stdout)

    def test_threads_with_and_without_regions(self):
        regions = self.record("counted threads")
        self.assertEqual(regions["team/task"]["flop"]["f64"]["value"], 960)
        self.assertEqual(regions["team"]["flop"]["f64"]["value"], 967)
        self.assertEqual(regions["team"]["self"]["flop"]["f64"]["value"], 7)
        regions = self.record("counted unmarked")
        self.assertEqual(regions["solve"]["flop"]["f64"]["value"], 5 + 8 * 110)
        self.assertEqual(regions["solve/step"]["flop"]["f64"]["value"], 80)
        self.assertIn("threads without regions", " ".join(self.profile["notes"]))

    def test_fork(self):
        regions = self.record("counted forks")
        self.assertEqual(regions["solve"]["flop"]["f64"]["value"], 10 + 5 + 70 + 6)
        self.assertEqual(regions["solve/child"]["flop"]["f64"]["value"], 6)

    def test_page_faults(self):
        self.write(table(more_quantities=[{"quantity": "bytes.L2.read", "scope": "process", "bound": "exact", "counts": "lines",
                                           "sum": [{"weight": 4096, "event": "faults"}]}]))
        regions = self.record("counted pages")
        self.assertEqual(regions["pages"]["bytes"]["L2"]["read"]["value"], 64 * 4096)
        self.assertEqual(regions["no pages"]["bytes"]["L2"]["read"]["value"], 0)

    def test_threads_that_were_there_before_the_first_region_and_that_end_in_one(self):
        def flop(scenario, *names):
            regions = self.record(scenario)
            for name in names:
                self.assertEqual(regions[name]["flop"]["f64"]["source"], "measured", name)
            return [regions[name]["flop"]["f64"]["value"] for name in names]
        self.assertEqual(flop("counted early", "first", "solve", "solve/task"), [0, 220, 200])
        self.assertEqual(flop("counted ended", "first", "second", "third"), [42, 300, 0])

    def test_a_region_that_is_entered_on_one_thread_and_left_on_another(self):
        regions = self.record("counted elsewhere")
        self.assertEqual(regions["handed over"]["flop"]["f64"]["value"], 530)
        self.assertEqual(regions["after"]["flop"]["f64"]["value"], 4)

    def test_bytes_that_hardware_does_not_count_are_modelled_where_that_is_asked(self):
        machine = os.path.join(SOURCE, "tests", "examples", "small_caches.machine.json")
        content = table()
        content["quantities"] = content["quantities"][:1]
        content["not_countable"] = [{"quantities": ["bytes.DRAM.read", "bytes.DRAM.write"], "reason": "no such event", "remedy": "model"}]
        self.write(content)
        work = self.record("counted exact", "--machine", machine, counters="auto")["work"]
        self.assertNotIn("DRAM", work["bytes"])
        self.assertEqual(work["rooflines"][0]["verdict"], "undetermined")
        self.assertIn("DRAM not counted", work["rooflines"][0]["verdict_detail"])
        self.assertEqual(len(self.profile["passes"]), 2)
        work = self.record("counted exact", "--machine", machine, "--modelled-bytes", counters="auto")["work"]
        if "emulated" not in [one["collector"] for one in self.profile["passes"]]:
            self.skipTest("no emulator here: " + self.said)
        self.assertEqual((work["flop"]["f64"]["source"], work["flop"]["f64"]["value"]), ("measured", 6000))
        self.assertEqual(work["bytes"]["DRAM"]["read"]["source"], "modelled")
        self.assertNotIn("not counted", work["rooflines"][0].get("verdict_detail", ""))

    def test_a_program_without_regions_is_counted_as_a_whole(self):
        script = ("import ctypes, mmap\n"
                  "libc = ctypes.CDLL(None)\n"
                  "libc.mmap.restype = ctypes.c_void_p\n"
                  f"at = libc.mmap(ctypes.c_void_p({PAGE}), ctypes.c_size_t(8192), 3, 0x100022, -1, ctypes.c_long(0))\n"
                  f"assert at == {PAGE}\n"
                  f"place = ctypes.c_long.from_address({PAGE})\n"
                  "for i in range(77): place.value = i\n")
        done = self.run_roofmark("record", "--no-machine", "--counters", "auto", "-o", "out.json", "--", "sh", "-c",
                                 f"{sys.executable} -c \"{script}\"; {sys.executable} -c \"{script}\"; true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the program as a whole in run 2 of 2", done.stderr)
        with open(os.path.join(self.directory, "out.json"), encoding="utf-8") as file:
            whole = json.load(file)["regions"][0]
        self.assertEqual(whole["path"], [])
        self.assertEqual(whole["flop"]["f64"]["value"], 2 * 77)
        self.assertEqual(whole["flop"]["f64"]["source"], "measured")

    def test_what_does_not_fit_is_counted_in_a_further_run(self):
        self.write(table(at_once=2))
        regions = self.record("counted exact")
        self.check(regions["work"], 6000, 32000, 16000)
        self.assertIn("run 2 of 2", self.said)
        self.assertEqual([one["purpose"] for one in self.profile["passes"]], ["time", "counts", "counts"])
        self.check(self.record("counted exact", "--multiplex")["work"], 6000, 32000, 16000)
        self.assertEqual(len(self.profile["passes"]), 2)
        work = self.record("counted exact", "--once")["work"]
        self.assertEqual(work["flop"]["f64"]["value"], 6000)
        self.assertNotIn("DRAM", work["bytes"])
        missing = {one["quantity"]: one for one in work["missing"]}
        self.assertIn("--once", missing["bytes.DRAM.read"]["reason"])

    def test_the_further_run_leaves_no_output_and_reads_the_same_input(self):
        self.write(table(at_once=2))
        done = self.run_roofmark("record", "--no-machine", "--counters", "perf", "-o", "out.json", "--", "sh", "-c",
                                 f"read line; echo got $line; exec {TARGET} 'counted exact'", input="hello\n")
        self.assertEqual(done.stdout, "got hello\n", done.stderr)
        with open(os.path.join(self.directory, "out.json"), encoding="utf-8") as file:
            regions = {"/".join(one["path"]): one for one in json.load(file)["regions"]}
        work = next(region for path, region in regions.items() if path.split(" ")[0] == "work")
        self.assertEqual(work["bytes"]["DRAM"]["read"]["value"], 32000)

    def test_an_event_that_does_not_open_is_absent_with_the_kernels_reason(self):
        many = {f"w{i}": breakpoint_event("w", PAGE + 128 + 8 * i) for i in range(5)}
        self.write(table(at_once=5, more_events=many, more_quantities=[
            {"quantity": "bytes.L2.read", "scope": "process", "bound": "exact", "counts": "lines",
             "sum": [{"weight": 1, "event": name} for name in many]}]))
        work = self.record("counted exact")["work"]
        self.assertEqual(work["flop"]["f64"]["value"], 6000)
        missing = {one["quantity"]: one for one in work["missing"]}
        self.assertIn("breakpoint registers", missing["bytes.L2.read"]["reason"])
        self.assertNotIn("L2", work["bytes"])

    def test_too_few_descriptors_are_coverage_and_not_silence(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
        regions = self.record("counted threads", preexec_fn=few)
        flop = regions["team/task"]["flop"]["f64"]
        if "caveats" in flop:
            self.assertEqual(flop["source"], "estimated")
            self.assertIn("limit of open files", " ".join(flop["caveats"]))
            self.assertLess(flop["value"], 960)
        self.assertIn("limit of open files", " ".join(self.profile["notes"]))

    def test_a_table_that_is_none_is_said(self):
        with open(os.path.join(self.tables, "broken.json"), "w", encoding="utf-8") as file:
            file.write("{")
        self.record("counted exact")
        self.assertIn("broken.json", self.said)


class Kinds(Recorded):
    """P and E cores: two tables for one processor, whose PMUs are two of the kernel's that need no hardware."""

    def setUp(self):
        super().setUp()
        os.remove(os.path.join(self.tables, "made_up.json"))

    def kinds(self, p_events, p_flop, e_events, e_flop):
        """`e_flop` None: E cores have no event for FLOPs."""
        def quantity(name, **terms):
            return {"quantity": name, "scope": "process", "bound": "exact", "counts": "retired",
                    "sum": [{"weight": weight, "event": event} for event, weight in terms.items()]}
        for kind, pmu, events, flop in (("P", "breakpoint", p_events, p_flop), ("E", "software", e_events, e_flop)):
            content = {
                "schema": "roofmark-events/1", "name": "made_up_" + kind.lower(), "about": kind + " cores", "core_type": kind,
                "match": [{**match_rule(), "core_pmu": pmu}], "counters": {"general": 4}, "events": events,
                "quantities": [quantity("bytes.DRAM.read", **{next(iter(events)): 64}),
                               quantity("bytes.DRAM.write", **{next(iter(events)): 8})], "sources": ["a test"]}
            if flop is not None:
                content["quantities"].append(quantity("flop.f64", **flop))
            else:
                content["not_countable"] = [{"quantities": ["flop.f64"], "reason": "there is no such event",
                                             "remedy": "bind the program to the P cores"}]
            self.write(content, f"made_up_{kind.lower()}.json")

    def test_a_whole_roofline_report_of_two_kinds(self):
        # All kinds run all the time here: what both count is added.
        self.kinds({"a": breakpoint_event("w", PAGE), "b": breakpoint_event("w", PAGE + 64)}, {"a": 1, "b": 4},
                   {"x": breakpoint_event("x", PAGE + 4096)}, {"x": 2})
        machine = os.path.join(SOURCE, "tests", "examples", "small_caches.machine.json")
        work = self.record("counted exact", "--machine", machine)["work"]
        self.assertEqual(work["flop"]["f64"]["value"], 2000 + 4 * 1000 + 2 * 500)
        self.assertEqual(work["flop"]["f64"]["source"], "measured")
        self.assertEqual(work["bytes"]["DRAM"]["read"]["value"], 64 * (2000 + 500))
        self.assertEqual(work["self"]["flop"]["f64"]["value"], 2000 + 2 * 500)
        self.assertTrue(work["rooflines"])
        self.assertEqual(len(self.profile["passes"]), 2)
        text = self.run_roofmark("report", "out.json")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn("measured", text.stdout)
        self.assertIn("counts by perf", text.stdout)
        whole = self.record("counted threads")
        self.assertEqual(whole["team/task"]["flop"]["f64"]["value"], 960)

    def test_cores_that_count_no_flop_and_threads_on_them(self):
        self.kinds({"a": breakpoint_event("w", PAGE)}, {"a": 1}, {"faults": {"type": "software", "config": "0x2"}}, None)
        work = self.record("counted exact")["work"]
        self.assertNotIn("f64", work["flop"])
        missing = {one["quantity"]: one for one in work["missing"]}
        self.assertIn("on E cores, where its threads were for 50 % of the time", missing["flop.f64"]["reason"])
        self.assertIn("there is no such event", missing["flop.f64"]["reason"])
        self.assertEqual(missing["flop.f64"]["fix"], "bind the program to the P cores")
        self.assertIn("DRAM", work["bytes"])

    def moved(self, e_flop, counters="perf"):
        """With a kernel whose P cores are one CPU and whose E cores another."""
        if HYBRID_KERNEL == "-":
            raise unittest.SkipTest("nothing can be preloaded into a sanitized command")
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            print("skipped: one CPU", file=sys.stderr)
            raise unittest.SkipTest("one CPU has one kind of core")
        def on(kind, address):
            return {**breakpoint_event("w", address), "config": hex(kind << 32)}
        self.kinds({"a": on(1, PAGE)}, {"a": 1}, {"a": on(2, PAGE)}, e_flop)
        self.environment.update(LD_PRELOAD=HYBRID_KERNEL, FAKE_P=str(cpus[0]), FAKE_E=str(cpus[1]))
        return cpus, {name: region for name, region in self.run_moves(cpus[:2], counters).items() if name}

    def run_moves(self, order, counters="perf"):
        self.environment["TARGET_CPUS"] = f"{order[0]} {order[1]}"
        return self.record("counted moves", counters=counters)

    def test_a_group_runs_only_on_cores_of_its_kind_and_nothing_is_missing(self):
        cpus, regions = self.moved({"a": 1000})
        counts = {name: region["flop"]["f64"] for name, region in regions.items()}
        self.assertEqual({name: count["value"] for name, count in counts.items()},
                         {"before": 0, "first": 100, "both": 20 + 7000, "second": 50000})
        for name, count in counts.items():
            self.assertEqual(count["source"], "measured", name)
            self.assertNotIn("low", count, name)
        self.assertEqual(regions["both"]["bytes"]["DRAM"]["read"]["value"], 64 * 27)
        regions = self.run_moves([cpus[1], cpus[0]])
        self.assertEqual(regions["both"]["flop"]["f64"]["value"], 20000 + 7)

    def test_flop_is_absent_only_where_threads_were_on_cores_without_it(self):
        cpus, regions = self.moved(None)
        self.assertEqual(regions["first"]["flop"]["f64"]["value"], 100)
        self.assertEqual(regions["first"]["flop"]["f64"]["source"], "measured")
        for name, share in (("both", r"E cores, where its threads were for [45]\d % of the time"),
                            ("second", "for 100 % of the time")):
            self.assertNotIn("f64", regions[name]["flop"])
            reasons = [one["reason"] for one in regions[name]["missing"] if one["quantity"] == "flop.f64"]
            self.assertEqual(len(reasons), 1)
            self.assertRegex(reasons[0], share)
            self.assertIn("DRAM", regions[name]["bytes"])
        both = [cpus[0], cpus[0]]  # never on an E core
        for name, region in self.run_moves(both).items():
            if name:
                self.assertIn("f64", region["flop"], name)

    def test_papi_refuses_two_kinds_in_one_line_and_auto_never_takes_it(self):
        self.kinds({"a": breakpoint_event("w", PAGE)}, {"a": 1}, {"x": breakpoint_event("x", PAGE + 4096)}, {"x": 2})
        work = self.record("counted exact", counters="papi")["work"]
        lines = self.said.splitlines()
        self.assertEqual(len(lines), 1, self.said)
        self.assertIn("PAPI can't count several kinds of cores (made_up_", lines[0])
        self.assertIn("--counters perf", lines[0])
        self.assertEqual((work["flop"], [one["collector"] for one in self.profile["passes"]]), ({}, ["clock"]))
        self.assertGreater(work["wall_s"]["value"], 0)
        (missing,) = [one for one in work["missing"] if one["quantity"] == "flop"]
        self.assertEqual(missing["fix"], "--counters perf")
        work = self.record("counted exact", counters="auto")["work"]
        self.assertEqual((work["flop"]["f64"]["value"], work["flop"]["f64"]["collector"]), (2000 + 2 * 500, "perf"))
        check = json.loads(self.run_roofmark("check", "--no-self-test", "--format", "json").stdout)
        (papi,) = [one for one in check["collectors"] if one["name"] == "papi"]
        if papi["available"]:
            (fact,) = [one for one in check["system"] if one["name"] == "PAPI's events"]
            self.assertIn("several kinds of cores", fact["value"])
            self.assertEqual(fact["fix"], "--counters perf")

    def test_auto_counts_by_emulation_what_such_cores_do_not(self):
        _, regions = self.moved(None, counters="auto")
        if "libexec" in self.said:
            self.skipTest("no emulator here: " + self.said)
        self.assertIn("Hardware did not count all FLOPs", self.said)
        self.assertEqual(regions["first"]["flop"]["f64"]["collector"], "perf")
        self.assertEqual([one["collector"] for one in self.profile["passes"]], ["clock", "perf", "emulated"])
        self.assertEqual(regions["second"].get("flop", {}).get("f64", {}).get("collector", "emulated"), "emulated")


def tracepoint_id(name):
    """Of tracefs, which root can mount where the system has not: in a mount namespace that ends with the command. Or why not."""
    file = f"events/{name}/id"
    for folder in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        try:
            with open(os.path.join(folder, file), encoding="ascii") as opened:
                return int(opened.read()), ""
        except OSError as error:
            why = str(error)
    if shutil.which("unshare") is None:
        return None, why
    done = subprocess.run(["unshare", "-m", "sh", "-c", f"mount -t tracefs none /sys/kernel/tracing && cat /sys/kernel/tracing/{file}"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    return (int(done.stdout), "") if done.returncode == 0 else (None, why + "; " + done.stderr.strip())


class Tracepoints(Recorded):
    """Places of the kernel as events of a table: each system call counts once, whoever makes it."""

    @classmethod
    def setUpClass(cls):
        cls.id, why = tracepoint_id("syscalls/sys_enter_getppid")
        if cls.id is None:
            skip("no tracepoint can be looked up: " + why)

    def write_calls(self, number):
        content = table()
        content["match"][0]["core_pmu"] = "tracepoint"
        content["events"] = {"calls": {"type": "tracepoint", "config": hex(number)}, "faults": {"type": "software", "config": "0x2"}}
        content["quantities"] = [{"quantity": name, "scope": "process", "bound": "exact", "counts": "retired",
                                  "sum": [{"weight": weight, "event": "calls"}]}
                                 for name, weight in (("flop.f64", 2), ("bytes.DRAM.read", 64))]
        self.write(content)

    def test_system_calls_of_regions_and_threads_are_exact(self):
        self.write_calls(self.id)
        regions = self.record("counted calls")
        if "flop" in {one["quantity"] for one in regions["calls"]["missing"]}:
            skip("tracepoints can't be counted: " + self.said)
        flop = {path: region["flop"]["f64"] for path, region in regions.items() if path}
        self.assertEqual({path: count["value"] for path, count in flop.items()},
                         {"calls": 2 * (1000 + 23 + 360), "calls/inner": 2 * 23, "calls/task": 2 * 360, "none": 0})
        for path, count in flop.items():
            self.assertEqual((count["source"], count["collector"]), ("measured", "perf"), path)
        self.assertEqual(regions["calls"]["self"]["flop"]["f64"]["value"], 2 * 1000)
        self.assertEqual(regions["calls"]["bytes"]["DRAM"]["read"]["value"], 64 * 1383)
        self.assertEqual(len(self.profile["passes"]), 2)

    def test_a_number_that_is_no_tracepoint_is_absent_with_the_reason(self):
        self.write_calls(0xfffff)
        calls = self.record("counted calls")["calls"]
        self.assertEqual(calls["flop"], {})
        self.assertEqual(len(self.said.splitlines()), 1, self.said)
        self.assertRegex(self.said, "Nothing is counted: .*the kernel has no tracepoint of this number")


class Here(unittest.TestCase):
    def test_one_line_says_why_not_and_time_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            done = subprocess.run([ROOFMARK, "record", "--no-machine", "--counters", "perf", "-o", out, "--", TARGET,
                                   "nested"], timeout=PATIENCE, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out, encoding="utf-8") as file:
                profile = json.load(file)
            solve = next(one for one in profile["regions"] if one["path"] == ["solve"])
            self.assertGreater(solve["wall_s"]["value"], 0)
            if any(one["collector"] == "perf" for one in profile["passes"]):
                print("skipped: this machine has hardware counters", file=sys.stderr)
                raise unittest.SkipTest("this machine has hardware counters")
            lines = [line for line in done.stderr.splitlines() if line]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertTrue(lines[0].startswith("roofmark: Nothing is counted: "), lines[0])
            self.assertTrue(any(one["quantity"] == "flop" for one in solve["missing"]))


if __name__ == "__main__":
    ROOFMARK, TARGET, SOURCE, HYBRID_KERNEL = sys.argv[1:5]
    ran = unittest.main(argv=[sys.argv[0], *sys.argv[5:]], verbosity=2, exit=False).result
    if not ran.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if ran.skipped and len(ran.skipped) >= ran.testsRun else 0)
