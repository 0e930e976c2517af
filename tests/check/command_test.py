#!/usr/bin/env python3
"""`roofmark check` from outside: on this machine, with tables of one's own, with other processors.

usage: command_test.py ROOFMARK SCHEMA
"""
import copy
import ctypes
import errno
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

roofmark, schema_file = sys.argv[1], pathlib.Path(sys.argv[2])

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import schema  # noqa: E402

answers = schema.Schema(schema_file) if schema.Validator else None
if answers is None:
    print("the schema is not tested: " + schema.missing)


def sandbox(error):
    """A filter, for this process and its children, by which perf_event_open fails so."""
    number = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
    words = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7fff0000))
    code = b"".join(struct.pack("HBBI", *word) for word in words)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(words), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, filter_mode, program, 0, 0) != 0:
        os._exit(99)


class Watch:
    """The names of all that is ever made in a directory (inotify), as nothing that is looked at afterwards knows them."""

    created, nonblocking = 0x100, os.O_NONBLOCK

    def __init__(self, directory):
        libc = ctypes.CDLL(None, use_errno=True)
        self.queue = libc.inotify_init1(self.nonblocking)
        if self.queue < 0 or libc.inotify_add_watch(self.queue, os.fsencode(directory), self.created) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def names(self):
        names = []
        while True:
            try:
                events = os.read(self.queue, 1 << 16)
            except BlockingIOError:
                os.close(self.queue)
                return names
            while events:
                length = struct.unpack_from("iIII", events)[3]
                names.append(os.fsdecode(events[16:16 + length].rstrip(b"\0")))
                events = events[16 + length:]


def run(*arguments, cache=None, before=None, **environment):
    with tempfile.TemporaryDirectory() as home:
        full = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": str(cache or ""), "ROOFMARK_EVENTS": "",
                "COLUMNS": "80", **environment}
        return subprocess.run([roofmark, "check", *arguments], capture_output=True, text=True, env=full, check=False,
                              preexec_fn=before)


def answer_of(done):
    answer = schema.parse(done.stdout)
    if answers is not None:
        assert answers.accepts(answer), answers.errors(answer)
    return answer


def collector(answer, name):
    found = [c for c in answer["collectors"] if c["name"] == name]
    assert len(found) == 1, answer["collectors"]
    return found[0]


def cycles_can_be_counted():
    """Asks the kernel itself for the hardware event that every PMU has, user mode alone, of this process."""
    call = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
    exclude_kernel_and_hypervisor = 1 << 5 | 1 << 6
    attributes = struct.pack("IIQQQQQ", 0, 112, 0, 0, 0, 0, exclude_kernel_and_hypervisor).ljust(112, b"\0")
    descriptor = ctypes.CDLL(None, use_errno=True).syscall(call, attributes, 0, -1, -1, 0)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


def table(quantities, events):
    """A table for whatever processor this is, counted by software events."""
    rules = [{"vendor": vendor, "family": family, "core_pmu": "software"}
             for vendor in ("GenuineIntel", "AuthenticAMD", "HygonGenuine") for family in (6, 15, 19, 23, 24, 25, 26)]
    return {"schema": "roofmark-events/1", "name": "own", "about": "my own", "match": rules, "counters": {"general": 4},
            "events": events,
            "quantities": [{"quantity": q, "scope": "process", "bound": "exact", "counts": "retired",
                            "sum": [{"weight": weight, "event": event}]} for q, event, weight in quantities],
            "sources": ["made up"]}


class Check(unittest.TestCase):
    def test_this_machine(self):
        with tempfile.TemporaryDirectory() as cache:
            done = run("--format", "json", cache=cache)
            self.assertEqual(done.stderr, "")
            answer = answer_of(done)
            wrong = [r for r in answer["self_test"] if r["verdict"] == "untrusted"]
            self.assertEqual(done.returncode, 1 if wrong else 0)
            # The emulator is exact, on every machine.
            self.assertEqual([r for r in wrong if r["collector"] == "emulated"], [])
            if collector(answer, "emulated")["available"] and os.uname().machine == "x86_64":
                tested = {(r["kernel"], r["quantity"]) for r in answer["self_test"] if r["verdict"] == "trusted"}
                for want in (("f64_scalar_add", "flop.f64"), ("f32_128_mul", "flop.f32"), ("integer", "instructions"),
                             ("read", "bytes.DRAM.read"), ("write", "bytes.DRAM.write")):
                    self.assertIn(want, tested)
                kept = list(pathlib.Path(cache, "roofmark").glob("counters-*.json"))
                self.assertEqual(len(kept), 1)
                findings = json.loads(kept[0].read_text())["findings"]
                self.assertEqual(len(findings), sum(r["verdict"] != "not_counted" for r in answer["self_test"]))
            has_pmu = any(q["available"] and q["scope"] == "process" for q in answer["quantities"])
            self.assertEqual(collector(answer, "perf")["available"], has_pmu)
            # What can't be timed can't be counted, for the same reason.
            times, counters = collector(answer, "cupti"), collector(answer, "cupti.counters")
            if not times["available"]:
                self.assertEqual(counters["reason"], times["reason"])
            driver = [fact["value"] for fact in answer["system"] if fact["name"] == "NVIDIA driver"]
            self.assertEqual(driver == ["none"], not os.path.exists("/proc/driver/nvidia/version"))

    def test_what_is_available_in_part_says_which(self):
        papi = collector(answer_of(run("--format", "json", "--no-self-test")), "papi")
        if not papi["available"]:
            self.skipTest("no PAPI here: " + papi["reason"])
        self.assertEqual("limit" in papi, not cycles_can_be_counted(), papi)

    def test_text_is_for_a_terminal(self):
        done = run("--no-self-test")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        for title in ("This system", "Collectors"):
            self.assertEqual(done.stdout.splitlines().count(title), 1)
        self.assertNotIn("Self-test", done.stdout)

    def test_an_event_that_counts_something_else_is_untrusted_and_remembered(self):
        if os.uname().machine != "x86_64":
            self.skipTest("no kernels for this architecture")
        with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as cache:
            # 'Instructions' that are page faults: they open, they run, and they are wrong.
            text = table([("instructions", "faults", 1)], {"faults": {"type": "software", "config": 2, "pfm": "perf::PAGE-FAULTS"}})
            pathlib.Path(own, "own.json").write_text(json.dumps(text))
            done = run("--format", "json", cache=cache, ROOFMARK_EVENTS=own)
            answer = answer_of(done)
            state = [q for q in answer["quantities"] if q["table"] == "own"]
            if not state or not state[0]["available"]:
                self.skipTest(f"no software events here: {state or answer['system'][0]}")
            rows = [r for r in answer["self_test"] if r["collector"] == "perf" and r["quantity"] == "instructions"]
            self.assertEqual([r["verdict"] for r in rows], ["untrusted"])
            self.assertEqual(done.returncode, 1)
            (kept,) = pathlib.Path(cache, "roofmark").glob("counters-*.json")
            findings = json.loads(kept.read_text())["findings"]
            verdicts = [(f["collector"], f["quantity"], f["verdict"]) for f in findings]
            self.assertIn(("perf", "instructions", "untrusted"), verdicts)
            if collector(answer, "papi")["available"]:
                self.assertIn(("papi", "instructions", "untrusted"), verdicts)
                # PAPI's finding alone: no later report uses the event.
                document = json.loads(kept.read_text())
                document["findings"] = [f for f in document["findings"] if f["collector"] == "papi"]
                kept.write_text(json.dumps(document))
                out = pathlib.Path(own, "out.json")
                done = subprocess.run([roofmark, "record", "--no-machine", "--counters", "papi", "-o", out, "--", "true"],
                                      capture_output=True, text=True, check=False, timeout=120,
                                      env={**os.environ, "ROOFMARK_EVENTS": own, "XDG_CACHE_HOME": cache})
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr)
                self.assertIn("found that its events count wrongly", done.stderr)
                self.assertEqual([one["collector"] for one in json.loads(out.read_text())["passes"]], ["clock"])

    def test_other_processors_and_pmus(self):
        with tempfile.TemporaryDirectory() as devices, tempfile.NamedTemporaryFile("w", suffix=".txt") as cpuinfo, \
                tempfile.TemporaryDirectory() as cache:
            cpuinfo.write("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 4\n")
            cpuinfo.flush()
            imc = pathlib.Path(devices, "uncore_imc_0")
            (imc / "format").mkdir(parents=True)
            # A type that no kernel gives to a PMU: it is asked, and does not know it.
            for name, content in {"type": "4000000000", "cpumask": "0", "format/event": "config:0-7", "format/umask": "config:8-15"}.items():
                (imc / name).write_text(content + "\n")
            done = run("--format", "json", "--cpuinfo", cpuinfo.name, "--devices", devices, "--no-self-test", cache=cache)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = answer_of(done)
            self.assertIn("skylake_x", [q["table"] for q in answer["quantities"]])
            socket = [q for q in answer["quantities"] if q["scope"] == "socket"]
            self.assertTrue(socket)
            for quantity in socket:
                self.assertFalse(quantity["available"])
                self.assertTrue(quantity["fix"])
            self.assertFalse(collector(answer, "perf.socket")["available"])
            # What was made up is not remembered of this processor.
            self.assertEqual(list(pathlib.Path(cache).rglob("counters-*")), [])

    def test_a_sandbox_is_named(self):
        if os.uname().machine not in ("x86_64", "aarch64"):
            self.skipTest("the number of perf_event_open is not known for this architecture")
        for error in (errno.EPERM, errno.ENOSYS):
            done = run("--format", "json", "--no-self-test", before=lambda: sandbox(error))
            if done.returncode == 99:
                self.skipTest("this system allows no filters")
            answer = answer_of(done)
            self.assertEqual([f["value"] for f in answer["system"] if f["name"] == "Seccomp"], ["filtered"])
            perf = collector(answer, "perf")
            self.assertFalse(perf["available"])
            self.assertIn("seccomp", perf["reason"])
            self.assertTrue(perf["fix"])

    def test_all_that_it_makes_lies_in_a_directory_of_its_own(self):
        # Whenever it is killed: what it makes elsewhere, be it for a moment, could stay.
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as home:
            made = Watch(scratch)
            environment = {**os.environ, "TMPDIR": scratch, "HOME": home, "XDG_CACHE_HOME": ""}
            done = subprocess.run([roofmark, "check"], env=environment, stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)
            names = made.names()
            self.assertTrue(names, "nothing was counted")
            self.assertEqual([n for n in names if not n.startswith("roofmark-")], [])

    def test_an_interrupt_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "TMPDIR": scratch, "HOME": home, "XDG_CACHE_HOME": ""}
            started = subprocess.Popen([roofmark, "check"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # As soon as it has begun to count; where it ends first there was nothing to interrupt.
            while started.poll() is None and not any(pathlib.Path(scratch).iterdir()):
                pass
            started.send_signal(signal.SIGINT)
            started.communicate()
            self.assertIn(started.returncode, (0, 1, -signal.SIGINT))
            self.assertEqual(list(pathlib.Path(scratch).iterdir()), [])

    def test_no_table_for_the_processor(self):
        with tempfile.NamedTemporaryFile("w") as cpuinfo:
            cpuinfo.write("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 15\n")
            cpuinfo.flush()
            answer = answer_of(run("--format", "json", "--cpuinfo", cpuinfo.name, "--no-self-test"))
            self.assertEqual(answer["quantities"], [])
            self.assertFalse(collector(answer, "perf")["available"])
            self.assertIn("docs/events.md", collector(answer, "perf.socket")["fix"])

    def test_bad_input(self):
        self.assertEqual(run("--cpuinfo", "/nonexistent").returncode, 2)
        self.assertEqual(run("--format", "xml").returncode, 2)
        self.assertEqual(run("-o", "/nonexistent/file", "--no-self-test").returncode, 1)
        done = run("--no-self-test", "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)

    def test_the_schema_refuses(self):
        if answers is None:
            self.skipTest("no jsonschema")
        answer = answer_of(run("--format", "json"))
        if not answer["self_test"]:
            self.skipTest("nothing is tested here")

        def spoilt(change):
            other = copy.deepcopy(answer)
            change(other)
            return other
        row = lambda d: next(r for r in d["self_test"] if r["verdict"] == "trusted")
        for change in (lambda d: d.pop("collectors"), lambda d: d["collectors"][0].update(available=False, reason=""),
                       lambda d: d["collectors"][2].update(name="likwid"), lambda d: row(d).pop("counted"),
                       lambda d: row(d).update(verdict="not_counted"), lambda d: row(d).update(quantity="flops"),
                       lambda d: row(d).update(expected=-1), lambda d: d.update(schema="roofmark-check/2")):
            self.assertFalse(answers.accepts(spoilt(change)))


unittest.main(argv=sys.argv[:1], verbosity=1)
