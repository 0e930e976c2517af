#!/usr/bin/env python3
"""Drives `roofmark record` from outside: what a recording survives, and what it leaves alone.

usage: record_test.py ROOFMARK TARGET [unittest arguments]
"""
import contextlib
import json
import os
import pty
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOFMARK = TARGET = ""
PATIENCE = 120  # seconds that any one command may take on a busy machine


def skip(why):
    print("skipped:", why, file=sys.stderr)
    raise unittest.SkipTest(why)


class Case(unittest.TestCase):
    """Each test has a working directory of its own, and no home."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="roofmark-cli-")
        self.scratch = os.path.join(self.directory, "scratch")
        self.cwd = os.path.join(self.directory, "cwd")
        os.mkdir(self.scratch)
        os.mkdir(self.cwd)
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("HOME", "XDG_CACHE_HOME", "LD_PRELOAD")}
        self.environment["TMPDIR"] = self.scratch

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def command(self, *target, counters="none", options=()):
        return [ROOFMARK, "record", "--no-machine", "--counters", counters, *options, "--", *target]

    def record(self, *target, counters="none", options=(), expect=0, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run(self.command(*target, counters=counters, options=options), cwd=self.cwd,
                              env=self.environment, timeout=PATIENCE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, **more)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stderr.decode(errors="replace"))
        self.assertNotIn(b"roofmark-scratch-", done.stderr or b"")  # gone when somebody reads it
        return done

    def start(self, *target, **more):
        return subprocess.Popen(self.command(*target, **more), cwd=self.cwd, env=self.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def profile(self, name="out.roofmark.json"):
        with open(os.path.join(self.cwd, name), encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("roofmark-scratch-", text)  # gone when somebody reads it
        return json.loads(text)

    def region(self, *path, profile=None):
        for region in (profile or self.profile())["regions"]:
            if region["path"] == list(path):
                return region
        self.fail(f"no region {path}")

    @staticmethod
    def children(pid):
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{process}/stat", encoding="latin-1") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(process))
        return found

    @staticmethod
    def running_with(words):
        """The programs of all processes that have this on their command lines."""
        running = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{process}/cmdline", "rb") as file:
                line = file.read()
                if words.encode() in line:
                    running.append(line.split(b"\0")[0])
        return running

    def assert_clean(self):
        """Nothing of the recording is left in the scratch directory."""
        self.assertEqual(os.listdir(self.scratch), [])


class Ends(Case):
    def test_exit_status_is_the_programs(self):
        for status in (0, 1, 77, 125):
            self.record(TARGET, "nested", str(status), expect=status)
        self.assertEqual(self.profile("out.roofmark-2.json")["program"]["exit_status"], 1)
        self.assert_clean()

    def test_signal_is_raised_again(self):
        self.record(TARGET, "abort", expect=-signal.SIGABRT, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (0, 0)))
        self.assertIn("unclosed", self.region("crash")["flags"])

    def test_not_startable(self):
        self.record("roofmark-no-such-program", expect=127)
        self.record(os.path.join(self.cwd, "absent"), expect=127)
        text = os.path.join(self.cwd, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("no program\n")
        self.record(text, expect=126)
        self.assertIn(b"it is a directory", self.record(self.cwd, expect=126).stderr)
        self.assertNotIn(b"chmod", self.record(self.cwd, expect=126).stderr)
        self.assertIn(b"chmod", self.record(text, expect=126).stderr)
        self.assertNotIn("out.roofmark.json", os.listdir(self.cwd))
        done = self.record(expect=125)
        self.assertEqual(done.stderr, b"roofmark: no program was given; roofmark record -- PROGRAM [ARGS]\n")
        for command in ("record", "run"):
            bare = subprocess.run([ROOFMARK, command], capture_output=True, check=False)
            self.assertEqual(bare.returncode, 125)
            self.assertEqual(bare.stderr.decode(), f"roofmark: no program was given; roofmark {command} -- PROGRAM [ARGS]\n")
            usage = subprocess.run([ROOFMARK, command, "--help"], capture_output=True, check=False).stdout.decode()
            self.assertIn(f"Usage: roofmark {command} [OPTIONS] -- PROGRAM [ARGS]\n", usage)
        self.record("true", counters="nonsense", expect=125)
        self.record("true", options=("--no-such-option",), expect=125)
        self.assert_clean()

    def test_an_unknown_option_is_no_program(self):
        for command in ("record", "run"):
            for words in (["--typo"], ["--typo", "true"], ["-Z", "true"], ["--no-machine", "--typo=3", "--", "true"]):
                done = subprocess.run([ROOFMARK, command, *words], cwd=self.cwd, env=self.environment, timeout=PATIENCE,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 125, done.stderr)
                option = next(word for word in words if word.startswith(("--typo", "-Z")))
                self.assertIn(f"unknown option {option}", done.stderr.decode())
                self.assertEqual(os.listdir(self.cwd), [])

    def test_a_mistake_is_one_line_with_its_remedy(self):
        for remedy, *words in (("record ", "record", "--typo"), ("run ", "run", "--budget=x", "--", "true"), ("report ", "report"),
                               ("report ", "report", "x", "--format=nonsense"), ("report ", "report", "x", "--width=3"),
                               ("record ", "record", "-o"), ("record ", "record", "true", "--", "true"), ("chart ", "chart"),
                               ("machine ", "machine", "--no-such"), ("events ", "events", "a", "b"), ("", "--no-such"),
                               ("check ", "check", "--format=nonsense")):
            done = subprocess.run([ROOFMARK, *words], cwd=self.cwd, env=self.environment, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            said = done.stderr.decode()
            self.assertEqual(done.returncode, 125 if words[0] in ("record", "run") else 2, said)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertTrue(said.startswith("roofmark: "), said)
            self.assertTrue(said.endswith(f"; `roofmark {remedy}--help` lists what there is\n") or words == ["chart"], said)

    def test_a_program_is_no_command(self):
        for word in (TARGET, "a\x1b[31m", ""):
            done = subprocess.run([ROOFMARK, word], cwd=self.cwd, env=self.environment, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(b"no such command; `roofmark --help` lists them; a program goes behind `roofmark run --`", done.stderr)
            self.assertNotIn(b"\x1b", done.stderr)

    def test_words_have_no_power_over_the_terminal(self):
        odd = os.path.join(self.cwd, "odd\x1b[31m")
        with open(odd, "w", encoding="ascii") as file:
            file.write('{"\x1b[31m')
        for words in (["report", odd], ["report", "absent\x1b[31m"], ["machine", "--file", odd], ["record", "--x\x1b[31m"],
                      ["report", "--level", "\x1b[31m"], ["chart", "--peak", "\x1b[31m", "--bandwidth", "1"]):
            done = subprocess.run([ROOFMARK, *words], cwd=self.cwd, env=self.environment, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertNotIn(b"\x1b", done.stderr, words)
            self.assertTrue(done.stderr, words)

    def test_a_program_may_be_named_like_an_option(self):
        odd = os.path.join(self.cwd, "--odd-name")
        shutil.copy(TARGET, odd)
        self.environment["PATH"] = self.cwd + os.pathsep + self.environment.get("PATH", "")
        self.assertEqual(self.record("--odd-name", "count").stdout, b"2\n")

    def test_options_behind_the_program_are_the_programs(self):
        command = [ROOFMARK, "record", "--no-machine", "--counters", "none", TARGET, "count", "--typo", "-o", "x"]
        done = subprocess.run(command, cwd=self.cwd, env=self.environment, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"5\n")

    def test_killed_in_the_middle_of_a_region(self):
        running = self.start(TARGET, "open")
        self.assertEqual(running.stdout.readline(), b"ready\n")
        os.kill(self.children(running.pid)[0], signal.SIGKILL)
        _, errors = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, -signal.SIGKILL, errors)
        self.assertEqual(self.region("outer", "inner")["visits"], 3)
        self.assertNotIn("unclosed", self.region("outer")["flags"])
        opened = self.region("open")
        self.assertEqual(opened["visits"], 1)
        self.assertIn("unclosed", opened["flags"])
        self.assertGreater(opened["wall_s"]["value"], 0)
        self.assert_clean()

    def test_signals_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            running = self.start(TARGET, "signal")
            self.assertEqual(running.stdout.readline(), b"ready\n")
            running.send_signal(number)
            _, errors = running.communicate(timeout=PATIENCE)
            self.assertEqual(running.returncode, number, errors)
        self.assertEqual(self.region("waiting")["visits"], 1)


class Surroundings(Case):
    def test_output_is_the_programs_own(self):
        done = self.record(TARGET, "count", "a", "b")
        self.assertEqual(done.stdout, b"4\n")
        self.assertIn(b"out.roofmark.json", done.stderr)

    def test_arguments_reach_the_program_untouched(self):
        done = self.record("printf", "%s|", "--counters", "--", "-o", b"\xff\n", "", "{}", "%%")
        self.assertEqual(done.stdout, b"--counters|--|-o|\xff\n||{}|%%|")
        json.dumps(self.profile())

    def test_without_dashes(self):
        done = subprocess.run([ROOFMARK, "record", "--no-machine", "--counters=none", "printf", "%s", "-x"],
                              cwd=self.cwd, env=self.environment, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, b"-x")

    def test_huge_arguments(self):
        done = self.record(TARGET, "count", *["x" * 100] * 10000)
        self.assertEqual(done.stdout, b"10002\n")

    def test_huge_environment(self):
        self.environment.update({f"HUGE_{i}": "x" * 100000 for i in range(12)})
        self.record(TARGET, "nested")
        self.assertEqual(self.region("outer")["visits"], 1)

    def test_a_program_with_the_address_sanitizer_starts(self):
        source = os.path.join(self.cwd, "three.c")
        with open(source, "w", encoding="ascii") as text:
            text.write("int main(void) { return 3; }\n")
        program = os.path.join(self.cwd, "three")
        if subprocess.run(["cc", "-fsanitize=address", "-o", program, source], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no C compiler with the address sanitizer here")
        self.record(program, expect=3)

    def test_default_names_never_overwrite(self):
        open(os.path.join(self.cwd, "out.roofmark.html"), "w", encoding="ascii").close()
        self.record("true")
        self.assertEqual(sorted(os.listdir(self.cwd)), ["out.roofmark-2.json", "out.roofmark.html"])

    def test_a_pipe_gets_one_document(self):
        for options in ((), ("--machine", os.devnull)):
            command = [ROOFMARK, "record", "--counters", "none", "-o", "/dev/stdout", *options, "--", "true"]
            if not options:
                command.insert(2, "--no-machine")
            done = subprocess.run(command, cwd=self.cwd, env=self.environment, timeout=PATIENCE, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            self.assertEqual(json.loads(done.stdout)["schema"], "roofmark-profile/1")

    def test_a_name_that_is_taken(self):
        """Nothing that the command reads, runs or writes otherwise is written over."""
        program = os.path.join(self.cwd, "program")
        shutil.copy(TARGET, program)
        os.symlink("program", os.path.join(self.cwd, "link"))
        with open(os.path.join(self.cwd, "text"), "w+b") as file:
            for name, role, more in ((program, b"the program itself", {}), ("link", b"the program itself", {}),
                                     ("text", b"its output goes", {"stdout": file}), ("text", b"its messages go", {"stderr": file}),
                                     ("text", b"the program's input", {"stdin": file})):
                streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
                done = subprocess.run(self.command(program, "nested", options=("-o", name)), cwd=self.cwd,
                                      env=self.environment, timeout=PATIENCE, check=False, **streams)
                file.seek(0)
                said = done.stderr if done.stderr is not None else file.read()
                self.assertEqual(done.returncode, 125, said)
                self.assertEqual(said.count(b"\n"), 1, said)
                self.assertIn(role + b" as well", said)
                file.truncate(0)
        self.record(program, "nested", options=("-o", "profile.json"))
        for command in (["report", "profile.json", "-o", "./profile.json"],
                        ["machine", "--file", "profile.json", "-o", "profile.json"]):
            done = subprocess.run([ROOFMARK, *command], cwd=self.cwd, env=self.environment, timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
            self.assertIn(b"as well, and would be replaced", done.stderr)
        self.region("outer", profile=self.profile("profile.json"))

    def test_chosen_name_is_replaced(self):
        for _ in range(2):
            self.record(TARGET, "nested", options=("-o", "mine.json"))
        self.assertEqual(os.listdir(self.cwd), ["mine.json"])
        self.region("outer", profile=self.profile("mine.json"))

    def test_unwritable_place(self):
        done = self.record(TARGET, "nested", "3", options=("-o", "/proc/no/profile.json"), expect=3)
        self.assertIn(b"/proc/no/profile.json", done.stderr)
        self.assertEqual(os.listdir(self.scratch), ["profile.json"])

    def test_read_only_directory(self):
        os.chmod(self.cwd, stat.S_IRUSR | stat.S_IXUSR)
        if os.geteuid() == 0:
            if subprocess.run(["setpriv", "--version"], stdout=subprocess.DEVNULL, check=False).returncode:
                skip("root may write anywhere, and setpriv is not there")
            os.chown(self.directory, 65534, 65534)
            for name in (self.scratch, self.cwd):
                os.chown(name, 65534, 65534)
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        else:
            command = []
        if subprocess.run([*command, "test", "-x", ROOFMARK], check=False).returncode:
            skip("an ordinary user can't reach the build directory")
        done = subprocess.run([*command, *self.command(TARGET, "nested", "3")], cwd=self.cwd, env=self.environment,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(os.listdir(self.cwd), [])
        self.assertEqual(os.listdir(self.scratch), ["out.roofmark.json"])

    def test_full_disk(self):
        small = os.path.join(self.directory, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], stderr=subprocess.DEVNULL,
                          check=False).returncode:
            skip("a small file system can only be mounted as root")
        try:
            with open(os.path.join(small, "filler"), "wb") as file, contextlib.suppress(OSError):
                file.write(b"x" * (1 << 20))
            self.environment["TMPDIR"] = small
            done = self.record(TARGET, "nested", "4", options=("-o", os.path.join(small, "p.json")), expect=4)
            self.assertIn(b"No space left", done.stderr)
            went = [line for line in done.stderr.decode().splitlines() if "went to" in line]
            self.assertEqual(len(went), 1, done.stderr)
            path = went[0].split("went to ")[1].split(":")[0]
            with open(path, encoding="utf-8") as file:
                self.assertEqual(self.region("outer", profile=json.load(file))["visits"], 1)
            os.unlink(path)
        finally:
            subprocess.run(["umount", "-l", small], check=True)

    def test_closed_descriptors(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            left = 7 & ~sum(1 << fd for fd in closed)
            redirections = " ".join(f"{fd}<&-" for fd in closed)
            command = " ".join(f"'{word}'" for word in self.command(TARGET, "descriptors"))
            done = subprocess.run(["sh", "-c", f"exec {command} {redirections}"], cwd=self.cwd, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=PATIENCE, check=False)
            self.assertEqual(done.returncode, left, done.stderr)
        self.assertEqual(self.region("outer")["visits"], 1)

    def test_locale_with_decimal_commas(self):
        known = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, check=False).stdout.decode().lower()
        if "de_de.utf8" not in known:
            skip("no locale de_DE.UTF-8 here")
        self.environment["LC_ALL"] = "de_DE.UTF-8"
        self.record(TARGET, "nested")
        self.assertGreater(self.region("outer")["wall_s"]["value"], 0)

    def test_no_runtime(self):
        self.environment["ROOFMARK_PREFIX"] = self.scratch
        self.record(TARGET, "nested", "6", expect=6)
        profile = self.profile()
        self.assertEqual(len(profile["regions"]), 1)
        self.assertIn("regions", [missing["quantity"] for missing in profile["regions"][0]["missing"]])


class Shortage(Case):
    """Little of what a process needs, and a recorder that is killed: nothing is left lying about."""

    def tearDown(self):
        self.assertEqual(self.left(), [])
        super().tearDown()

    def left(self):
        """What recordings have left in the places where they work."""
        return [os.path.join(place, name) for place in (self.scratch, self.cwd) for name in os.listdir(place)
                if name.startswith(("roofmark-", ".roofmark-"))]

    def test_a_limit_on_the_sizes_of_files(self):
        command = self.command(TARGET, "nested", "3", counters="none")
        done = self.limited("-f 2000", *command)  # in blocks of 512 bytes
        self.assertNotIn(b"Regions are not timed", done.stderr)
        self.assertGreater(self.region("outer")["wall_s"]["value"], 0)
        done = self.limited("-f 100", *command)
        self.assertIn(b"Regions are not timed", done.stderr)
        self.assertIn(b"ulimit -f unlimited", done.stderr)

    def limited(self, limit, *command):
        """Runs a command under a `ulimit`; nothing where not even `--version` can be had."""
        shell = ["sh", "-c", f"ulimit {limit}; exec \"$@\"", "sh"]
        options = {"cwd": self.cwd, "env": self.environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "timeout": PATIENCE, "check": False}
        if subprocess.run([*shell, ROOFMARK, "--version"], **options).returncode:
            return None
        return subprocess.run([*shell, *command], **options)

    def assert_line_or_end(self, done, end=3):
        """Either it did not start, and one line says why, or it ended as the program, or as it should."""
        if done.returncode == 127 and b"error while loading shared libraries" in done.stderr:
            return  # the program's own loader found no room for its libraries
        self.assertIn(done.returncode, (end, 125), done.stderr)
        self.assertNotIn(b"terminate called", done.stderr)
        self.assertNotIn(b"std::", done.stderr)
        if done.returncode == 125:
            lines = done.stderr.decode().splitlines()
            self.assertTrue(lines[-1].startswith("roofmark: "), lines)

    def test_few_descriptors(self):
        for descriptors in range(4, 20):
            done = self.limited(f"-n {descriptors}", *self.command(TARGET, "nested", "3", counters="auto"))
            if done is None:
                continue
            self.assert_line_or_end(done)
            self.assertEqual(self.left(), [], f"with {descriptors} descriptors")

    def test_little_memory(self):
        ends = []
        for kib in range(8000, 64000, 1000):
            done = self.limited(f"-v {kib}", *self.command(TARGET, "nested", "3"))
            if done is None:
                continue
            self.assert_line_or_end(done)
            self.assertEqual(self.left(), [], f"with {kib} KiB")
            ends.append(done.returncode)
        if not ends:
            skip("this build needs more address space than an ordinary one")
        self.assertEqual(ends[-1], 3)

    def test_little_memory_for_other_commands(self):
        self.record(TARGET, "many", options=("-o", "many.json"))
        for kib in range(8000, 64000, 4000):
            for command in (["report", "many.json", "--format", "html"], ["report", "many.json", "--format", "json"]):
                done = self.limited(f"-v {kib}", ROOFMARK, *command)
                if done is not None:
                    self.assert_line_or_end(done, end=0)

    def test_what_a_killed_recorder_left_goes_with_the_next(self):
        running = self.start(TARGET, "open", "600000")
        self.assertEqual(running.stdout.readline(), b"ready\n")
        program, = self.children(running.pid)
        running.kill()
        running.wait(timeout=PATIENCE)
        try:
            self.assertEqual(len(self.left()), 1)
            # One that lives, beside it.
            other = self.start(TARGET, "signal")
            self.assertEqual(other.stdout.readline(), b"ready\n")
            alive = self.left()
            self.assertEqual(len(alive), 1)
            self.record(TARGET, "nested", options=("-o", "next.json"))
            self.assertEqual(self.left(), alive)
            other.send_signal(signal.SIGTERM)
            _, errors = other.communicate(timeout=PATIENCE)
            self.assertEqual(other.returncode, signal.SIGTERM, errors)
            self.assertEqual(self.region("waiting")["visits"], 1)
        finally:
            os.kill(program, signal.SIGKILL)
            running.communicate(timeout=PATIENCE)


class Programs(Case):
    def test_unannotated(self):
        self.record("sh", "-c", "exit 2", expect=2)
        regions = self.profile()["regions"]
        self.assertEqual([region["path"] for region in regions], [[]])
        self.assertGreater(regions[0]["wall_s"]["value"], 0)
        missing = {entry["quantity"]: entry for entry in regions[0]["missing"]}
        self.assertIn("annotate", missing["regions"]["fix"])

    def test_threads(self):
        self.record(TARGET, "threads")
        thread = self.region("parallel", "thread")
        self.assertEqual((thread["visits"], thread["threads"]), (4, 4))
        self.assertGreaterEqual(thread["thread_s"]["value"], thread["wall_s"]["value"] * 0.999)

    def test_fork(self):
        self.record(TARGET, "fork")
        self.assertEqual(self.region("parent")["visits"], 1)
        self.assertEqual(self.region("parent", "child")["visits"], 1)

    def test_exec(self):
        self.record(TARGET, "exec", expect=5)
        self.assertEqual(self.region("outer")["visits"], 2)
        self.assertIn("unclosed", self.region("replaced")["flags"])

    def test_a_grandchild_that_ends_inside_a_region_has_a_range_of_times(self):
        for way in ("_exit", "quick_exit", "abort", "kill", "exec"):
            self.record(TARGET, "lost", way, options=("-o", "lost.json"),
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            profile = self.profile("lost.json")
            lost = self.region("parent", "child", "lost", profile=profile)
            self.assertEqual(lost["visits"], 1, way)
            self.assertIn("unclosed", lost["flags"], way)
            self.assertNotIn("too_small", lost["flags"], way)
            for quantity in ("wall_s", "thread_s"):
                time_s = lost[quantity]
                self.assertGreaterEqual(time_s.get("high", time_s["value"]), 0.06, way)
                self.assertLessEqual(time_s.get("low", time_s["value"]), 0.06 + 2, way)
                self.assertEqual("high" in time_s, way not in ("_exit", "quick_exit"), way)
                self.assertEqual(time_s["source"], "estimated" if "high" in time_s else "measured", way)
            self.assertGreaterEqual(self.region(profile=profile)["wall_s"]["value"],
                                    lost["wall_s"].get("high", lost["wall_s"]["value"]), way)

    def test_markers_in_a_static_program_without_a_runtime_are_told(self):
        program = os.path.join(os.path.dirname(TARGET), "cli_static_markers")
        for name in (program, shutil.copy(program, self.cwd)):
            if name != program:
                subprocess.run(["strip", name], check=True)
            done = self.record(name)
            self.assertIn(b"holds markers that were not seen", done.stderr)
            self.assertIn(b"roofmark::runtime_static", done.stderr)
            notes = self.profile(max(os.listdir(self.cwd), key=lambda n: n.endswith(".json") and os.path.getmtime(
                os.path.join(self.cwd, n))))["notes"]
            self.assertEqual(len([note for note in notes if "holds markers" in note]), 1)

    def test_many_regions(self):
        self.record(TARGET, "many")
        self.assertEqual(len(self.profile()["regions"]), 10001)

    def test_names_of_any_bytes(self):
        self.record(TARGET, "names")
        names = [region["path"][0] for region in self.profile()["regions"] if region["path"]]
        self.assertEqual(names, ['a"b', "</script>", "line\nbreak", "\ufffd\ufffd", "\u00e9", "a/b"])


class CountedPass(Case):
    def setUp(self):
        super().setUp()
        probe = self.record(TARGET, "nested", counters="auto")
        if b"Nothing is counted" in probe.stderr:
            skip(probe.stderr.decode())
        os.unlink(os.path.join(self.cwd, "out.roofmark.json"))

    def test_counts_per_region(self):
        done = self.record(TARGET, "nested", "3", counters="auto", expect=3)
        self.assertIn(b"Counting in a second run", done.stderr)
        inner = self.region("outer", "inner")
        self.assertEqual(inner["flop"]["f64"]["value"], 600000)
        self.assertEqual(inner["flop"]["f64"]["source"], "counted")
        self.assertEqual(inner["missing"], [])
        self.assertEqual([p["purpose"] for p in self.profile()["passes"]], ["time", "counts"])
        self.assertEqual(self.profile()["passes"][1]["coverage"], 1)
        self.assert_clean()

    def test_files_are_those_of_the_first_run(self):
        log = os.path.join(self.cwd, "log")
        done = self.record(TARGET, "write", log, "created", counters="auto")
        if b"refuses a private overlay" in done.stderr:
            skip(done.stderr.decode())
        with open(log, encoding="ascii") as file:
            self.assertEqual(file.read(), "once\n")
        # The second run found the first one's file, took another way out, and that is said.
        self.assertEqual([p["exit_status"] for p in self.profile()["passes"]], [0, 4])
        self.assertTrue(any("status" in note for note in self.profile()["notes"]), self.profile()["notes"])

    def test_stdin_is_replayed(self):
        text = b"".join(b"%d\n" % i for i in range(100))
        done = self.record(TARGET, "copy", counters="auto", stdin=None, input=text)
        self.assertEqual(done.stdout, text)
        self.assertEqual(self.region("line")["visits"], 100)
        self.assertNotIn("visits_differ", self.region("line")["flags"])
        self.assertEqual(self.profile()["passes"][1]["coverage"], 1)

    def test_inherited_descriptors_are_not_written_twice(self):
        path = os.path.join(self.cwd, "inherited")
        with open(path, "w", encoding="ascii") as file:
            self.record("sh", "-c", f"echo once >&{file.fileno()}", counters="auto", pass_fds=(file.fileno(),))
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "once\n")

    def test_once(self):
        self.record(TARGET, "nested", counters="auto", options=("--once",))
        self.assertEqual([p["purpose"] for p in self.profile()["passes"]], ["time"])
        self.assertIn("--once", self.region("outer")["missing"][0]["reason"])

    def test_a_budget_is_a_number_of_seconds(self):
        for text in ("nan", "inf", "0", "-1", "1e999", "3k"):
            done = self.record(TARGET, "nested", options=(f"--budget={text}",), expect=125)
            self.assertIn(b"not a number of seconds", done.stderr)

    def test_budget(self):
        done = self.record(TARGET, "open", "9000", counters="auto", options=("--budget", "6"), expect=0)
        self.assertIn(b"expected", done.stderr)
        profile = self.profile()
        self.assertIn("ended after 6", profile["passes"][1]["note"])
        self.assertEqual(self.region("outer", "inner")["flop"]["f64"]["value"], 600000)
        opened = self.region("open")
        self.assertNotIn("flop", [name for name, value in opened.items() if name == "flop" and value])
        self.assertIn("flop", [missing["quantity"] for missing in opened["missing"]])

    def test_a_budget_that_is_too_small_serves_the_slowest_paths_first(self):
        done = self.record(TARGET, "phases", counters="auto", options=("--budget", "8", "--full-cache"))
        self.assertIn(b"slowest paths come first (solve/spmv: ", done.stderr)
        notes = self.profile()["notes"]
        self.assertTrue([note for note in notes if "slowest paths come first" in note], notes)
        missing = {missing["quantity"]: missing for missing in self.region("setup")["missing"]}
        self.assertIn("passed over", missing["flop"]["reason"])
        self.assertIn("--budget", missing["flop"]["fix"])

    def test_a_path_that_is_told_is_printable(self):
        done = self.record(TARGET, "phases", "\x1b[31m\n", counters="auto", options=("--budget", "4", "--full-cache"))
        self.assertIn("slowest paths come first (solve/\ufffd[31m\\n: ", done.stderr.decode())

    def test_a_budget_that_is_large_enough_serves_all(self):
        done = self.record(TARGET, "nested", counters="auto")
        self.assertNotIn(b"slowest paths", done.stderr)
        self.assertEqual(self.region("outer")["missing"], [])

    def test_interrupt_keeps_the_times(self):
        running = self.start(TARGET, "open", "4000", counters="auto")
        self.assertEqual(running.stdout.readline(), b"ready\n")
        # A line about the files comes before it where no private overlay can be had.
        said = b""
        while b"Counting in a second run" not in said:
            line = running.stderr.readline()
            self.assertTrue(line, said)
            said += line
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 0, errors)
        self.assertGreater(self.region("open")["wall_s"]["value"], 3.9)
        self.assertIn("interrupted", self.profile()["passes"][1]["note"])

    # Ends at once when it runs first, and never where it finds what its first run left.
    ENDLESS = 'test -e mark && { sleep 1000 & wait; }; : > mark; exec "$0" nested'

    def until_it_counts(self, *target, options=()):
        """A recording whose counted run is about to be started, or runs."""
        running = self.start(*target, counters="auto", options=options)
        said = b""
        while b"Counting in a second run" not in said:
            line = running.stderr.readline()
            self.assertTrue(line, said)
            said += line
        return running

    def test_a_killed_recorder_leaves_the_timed_run(self):
        for options in ((), ("-o", "mine.json")):
            running = self.until_it_counts("sh", "-c", self.ENDLESS, TARGET, options=options)
            running.kill()
            running.communicate(timeout=PATIENCE)
            profile = self.profile(options[-1] if options else "out.roofmark.json")
            self.assertEqual(self.region("outer", profile=profile)["visits"], 1)
            self.assertGreater(self.region("outer", profile=profile)["wall_s"]["value"], 0)
            self.assertEqual([p["purpose"] for p in profile["passes"]], ["time"])
            self.assertTrue([note for note in profile["notes"] if "counted run did not end" in note], profile["notes"])
            missing = {entry["quantity"]: entry["reason"] for entry in self.region("outer", profile=profile)["missing"]}
            self.assertIn("Roofmark itself was ended", missing["flop"])
            os.unlink(os.path.join(self.cwd, "mark"))
        # The next recordings remove what these left, with what runs there: the first one that finds it without an
        # owner. A child that was being started when its recorder was killed holds it until it is the program.
        deadline = time.monotonic() + PATIENCE
        while os.listdir(self.scratch) and time.monotonic() < deadline:
            self.record("true", options=("-o", "/dev/null"))
        self.assert_clean()
        self.assertEqual(self.running_with(self.scratch), [])

    def test_a_pipe_gets_one_document_with_counts(self):
        for output in ("/dev/stdout", "/proc/self/fd/1"):
            done = self.record("sh", "-c", 'exec "$0" nested', TARGET, counters="auto", options=("-o", output))
            profile = json.loads(done.stdout)
            self.assertEqual([p["purpose"] for p in profile["passes"]], ["time", "counts"])
            self.assertFalse([note for note in profile["notes"] if "did not end" in note], profile["notes"])

    def test_what_was_kept_is_replaced_by_the_whole(self):
        self.record(TARGET, "nested", counters="auto", options=("-o", "mine.json"))
        self.assertEqual(os.listdir(self.cwd), ["mine.json"])
        profile = self.profile("mine.json")
        self.assertEqual([p["purpose"] for p in profile["passes"]], ["time", "counts"])
        self.assertFalse([note for note in profile["notes"] if "did not end" in note], profile["notes"])

    def test_a_program_that_was_interrupted_is_not_run_again(self):
        running = self.start(TARGET, "signal", counters="auto")
        self.assertEqual(running.stdout.readline(), b"ready\n")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=PATIENCE)
        self.assertEqual(len(self.profile()["passes"]), 1)
        self.assertIn("--budget", self.region("waiting")["missing"][0]["fix"])

    def test_by_another_name(self):
        """Both runs know a program that was started by a link or a script by the file that is executed."""
        link, script = os.path.join(self.cwd, "a link"), os.path.join(self.cwd, "script")
        os.symlink(TARGET, link)
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!{TARGET} nested\n")
        os.chmod(script, 0o755)
        for command in ([link, "nested"], [script], ["sh", "-c", '"$0" nested; :', link]):
            self.record(*command, counters="emulated", options=("-o", "named.json"))
            regions = self.profile("named.json")["regions"]
            # Every region has its time and its counts, so no row is there twice.
            for region in regions:
                self.assertIn("f64", region.get("flop", {}), (command, region["path"]))
                self.assertIn("wall_s", region, (command, region["path"]))


class Reasons(Case):
    """Programs that can't be recorded as others are: the true reason, and what to do."""

    def setUp(self):
        super().setUp()
        probe = self.record(TARGET, "nested", counters="auto")
        if b"Nothing is counted" in probe.stderr:
            skip(probe.stderr.decode())
        os.unlink(os.path.join(self.cwd, "out.roofmark.json"))

    def why(self, quantity, *path):
        region = self.region(*path)
        missing = {entry["quantity"]: entry for entry in region["missing"]}
        self.assertIn(quantity, missing)
        self.assertTrue(missing[quantity]["fix"], missing)
        self.assertNotIn("\n", missing[quantity]["reason"])
        return missing[quantity]["reason"]

    def copy_of_target(self):
        path = os.path.join(self.cwd, "program")
        shutil.copy(TARGET, path)
        return path

    def test_a_program_that_removes_itself(self):
        program = self.copy_of_target()
        done = self.record(program, "unlink", counters="auto")
        self.assertIn("removed during the timed run", self.why("flop", "outer"))
        told = [line for line in done.stderr.decode().splitlines() if "Nothing is counted" in line]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn(program, told[0])

    def test_a_program_that_changes_its_root(self):
        jail = os.path.join(self.cwd, "jail")
        os.mkdir(jail)
        done = self.record(TARGET, "chroot", jail, counters="auto", expect=None)
        if done.returncode == 3:
            skip("this user can't change the root")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("changed its root directory", self.why("flop", "outer"))
        self.assertFalse([note for note in self.profile()["notes"] if "killed" in note])

    def test_a_program_that_limits_the_files_it_writes(self):
        self.record(TARGET, "limited", counters="auto")
        for region in self.profile()["regions"]:
            if not region.get("flop"):
                self.assertIn("a limit on their sizes", " ".join(entry["reason"] for entry in region["missing"]))

    def test_what_can_not_be_emulated_is_told_at_once(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            if " avx512f" not in file.read():
                skip("this processor has no AVX-512")
        source = os.path.join(self.cwd, "wide.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('int main(void) { __asm__ volatile("vaddpd %zmm0, %zmm0, %zmm0"); return 0; }')
        program = os.path.join(self.cwd, "wide")
        if subprocess.run(["cc", "-o", program, source], capture_output=True, check=False).returncode:
            skip("there is no compiler")
        done = self.record(program, counters="auto")
        told = [line for line in done.stderr.decode().splitlines() if "AVX-512" in line]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("Not all is counted", told[0])

    def test_a_place_without_proc(self):
        without = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        if subprocess.run([*without, "true"], capture_output=True, check=False).returncode != 0:
            skip("this user can't hide /proc")
        done = subprocess.run([*without, *self.command(TARGET, "nested", counters="auto")], cwd=self.cwd, capture_output=True,
                              env=self.environment, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(b"was not built", done.stderr)
        self.assertIsNotNone(self.region("outer", "inner"))

    def test_a_program_that_gains_rights(self):
        if os.geteuid() != 0:
            skip("only root can give a file away")
        if os.statvfs(self.cwd).f_flag & os.ST_NOSUID:
            skip("set-user-ID bits have no effect here")
        os.chmod(self.directory, 0o755)
        for owner, group, mode, bit in ((65534, 0, 0o4755, "set-user-ID"), (0, 65534, 0o2755, "set-group-ID")):
            program = self.copy_of_target()
            os.chown(program, owner, group)
            os.chmod(program, mode)
            done = self.record(program, "nested", "4", counters="auto", options=("-o", "out.roofmark.json"), expect=4)
            self.assertIn(f"gains rights by the {bit} bit", self.why("regions"))
            self.assertIn(f"by the {bit} bit, which the emulator can't give", self.why("flop"))
            self.assertIn(program, done.stderr.decode())
            os.unlink(program)

    def test_a_process_that_is_left_in_the_background(self):
        mark = os.path.join(self.cwd, "mark")
        with open(mark, "w", encoding="ascii"):
            pass
        try:
            self.record(TARGET, "daemon", mark, counters="auto")
            # That of the timed run lives on, and that of the counted run does not.
            self.assertEqual(self.running_with(mark), [TARGET.encode()])
        finally:
            os.unlink(mark)
        notes = self.profile()["notes"]
        self.assertTrue([note for note in notes if "left running (" in note and "in the foreground" in note], notes)
        self.assertTrue([note for note in notes if "in the counted run (1 process)" in note], notes)
        background = self.region("background")
        self.assertIn("unclosed", background["flags"])
        self.assertEqual(background["visits"], 1)
        self.assertEqual(self.region("outer")["missing"], [])
        self.assert_clean()

    def test_no_room_for_the_emulator(self):
        done = subprocess.run(["sh", "-c", "ulimit -v 30000; exec \"$@\"", "sh", *self.command(TARGET, "nested", "3", counters="auto")],
                              cwd=self.cwd, env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=PATIENCE, check=False)
        if done.returncode != 3:
            skip("this build needs more address space than an ordinary one")
        self.assertRegex(self.why("flop", "outer"), "address space|memory")
        self.assertEqual(self.region("outer")["missing"][0]["fix"], "ulimit -v unlimited")


class Terminal(Case):
    """A target in front of a terminal: it may read it, and Ctrl-C reaches it once."""

    def in_terminal(self, *target, send=b"", wait_for=b""):
        pid, master = pty.fork()
        if pid == 0:
            os.chdir(self.cwd)
            os.execve(ROOFMARK, self.command(*target), self.environment)
        seen = b""
        with contextlib.suppress(OSError):
            while True:
                seen += os.read(master, 4096)
                if send and wait_for in seen:
                    os.write(master, send)
                    send = b""
        os.close(master)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen

    def test_the_terminal_can_be_read(self):
        status, seen = self.in_terminal("sh", "-c", "echo ready; read line < /dev/tty; echo got $line",
                                        send=b"hello\n", wait_for=b"ready")
        self.assertEqual(status, 0, seen)
        self.assertIn(b"got hello", seen)

    def test_interrupt_from_the_terminal(self):
        status, seen = self.in_terminal(TARGET, "signal", send=b"\x03", wait_for=b"ready")
        self.assertEqual(status, signal.SIGINT, seen)
        self.assertEqual(self.region("waiting")["visits"], 1)


class Machine(Case):
    """Whose caches the counted run models, and what ends the measurement of a machine."""

    MIB = 1 << 20

    def machine(self, l3_confirmed=None, l3_shared_by=1):
        fixture = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "nested.roofmark.json")
        with open(fixture, encoding="utf-8") as file:
            machine = json.load(file)["machine"]
        sizes = {"L1": 32 << 10, "L2": 256 << 10, "L3": 32 * self.MIB}
        machine["topology"]["caches"] = [
            {"level": level, "bytes": size, "ways": 8, "line_bytes": 64, "shared_by": 1} for level, size in sizes.items()]
        machine["topology"]["caches"][2]["shared_by"] = l3_shared_by
        if l3_confirmed:
            machine["topology"]["caches"][2]["confirmed_bytes"] = l3_confirmed
        path = os.path.join(self.directory, "machine.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(machine, file)
        return path

    def command(self, *target, counters="none", options=()):
        return [ROOFMARK, "record", "--counters", counters, *options, "--", *target]

    def read_bytes(self, *options, processes=()):
        """What a region reads from memory that walks 8 MiB four times."""
        self.record(TARGET, "walk", *processes, counters="emulated", options=("--full-cache", "-o", "walk.json", *options))
        return self.region("walk", profile=self.profile("walk.json"))["self"]["bytes"]["DRAM"]["read"]

    def test_the_usable_part_of_a_cache_is_modelled(self):
        walked = 8 * self.MIB
        reported = self.read_bytes("--machine", self.machine())
        self.assertLess(abs(reported["value"] - walked), 0.05 * walked)
        self.assertFalse([text for text in reported.get("caveats", []) if "L3" in text])
        usable = self.read_bytes("--machine", self.machine(l3_confirmed=2 * self.MIB))
        self.assertLess(abs(usable["value"] - 4 * walked), 0.05 * 4 * walked)
        label = "L3 of 2 MiB (32 MiB reported)"
        self.assertIn(label, usable["caveats"])
        profile = self.profile("walk.json")
        self.assertIn(label, profile["passes"][1]["note"])
        self.assertTrue([note for note in profile["notes"] if label in note], profile["notes"])

    def test_processes_that_run_at_once_have_a_part_of_the_cache_each(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("on one processor no two processes run at once")
        # Each of them alone would read its 8 MiB once, into an L3 of 12 MiB; into a half of it, in nearly all of four walks.
        processes, walked = 12, 8 * self.MIB
        machine = self.machine(l3_confirmed=12 * self.MIB, l3_shared_by=2)
        read = self.read_bytes("--machine", machine, processes=(str(processes),))
        self.assertGreater(read["value"], 3 * walked * processes, self.profile("walk.json")["notes"])
        self.assertTrue([text for text in read["caveats"] if "12 MiB among" in text and "32 MiB reported" in text], read)
        notes = self.profile("walk.json")["notes"]
        self.assertTrue([note for note in notes if "simulated by itself" in note], notes)
        # One after the other they have all of it.
        script = 'for i in 1 2 3; do "$0" walk; done'
        self.record("sh", "-c", script, TARGET, counters="emulated", options=("--full-cache", "-o", "walk.json", "--machine", machine))
        read = self.region("walk", profile=self.profile("walk.json"))["self"]["bytes"]["DRAM"]["read"]
        self.assertLess(read["value"], 1.5 * 3 * walked)
        self.assertFalse([text for text in read.get("caveats", []) if "among" in text], read)

    def test_without_ceilings_the_file_still_describes_the_caches(self):
        usable = self.read_bytes("--no-machine", "--machine", self.machine(l3_confirmed=2 * self.MIB))
        self.assertIn("L3 of 2 MiB (32 MiB reported)", usable["caveats"])
        self.assertFalse(self.profile("walk.json").get("machine", {}).get("ceilings"))

    def test_sizes_that_nobody_confirmed_are_said_to_be_so(self):
        self.read_bytes("--no-machine")
        notes = self.profile("walk.json")["notes"]
        self.assertTrue([note for note in notes if "kernel reports" in note], notes)

    def test_an_interrupted_measurement_keeps_the_times(self):
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.directory, "cache")
        # Whoever holds this name calibrates: the command has to wait, and can be interrupted there.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
            try:
                lock.bind("\0roofmark-calibration")
            except OSError:
                skip("another calibration runs")
            running = self.start(TARGET, "open", "10", counters="emulated")
            self.assertEqual(running.stdout.readline(), b"ready\n")
            while self.children(running.pid):
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, 0, errors)
        self.assertIn(b"ceilings are not known: the measurement was interrupted", errors)
        self.assertEqual(len(self.profile()["passes"]), 1)
        self.assertIn("interrupted", self.region("open")["missing"][0]["reason"])


    def test_who_ended_the_program_does_not_wait_for_a_measurement(self):
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.directory, "cache")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as lock:
            try:
                lock.bind("\0roofmark-calibration")
            except OSError:
                skip("another calibration runs")
            running = self.start(TARGET, "signal")
            self.assertEqual(running.stdout.readline(), b"ready\n")
            running.send_signal(signal.SIGTERM)
            _, errors = running.communicate(timeout=PATIENCE)
            # While the lock is held nothing could have been measured.
        self.assertEqual(running.returncode, signal.SIGTERM, errors)
        self.assertIn(b"ceilings are not known: the measurement was interrupted", errors)
        self.assertEqual(self.region("waiting")["visits"], 1)


class Repeat(Case):
    """Several timed runs in one recording."""

    def test_times_of_every_run(self):
        done = self.record(TARGET, "nested", "0", counters="auto", options=("--repeat", "3"))
        region = self.region("outer")
        self.assertEqual(len(region["runs_wall_s"]), 3)
        times = sorted(region["runs_wall_s"])
        self.assertEqual([region["wall_s"]["low"], region["wall_s"]["value"], region["wall_s"]["high"]], times)
        self.assertEqual(region["missing"], [])
        self.assertTrue([note for note in self.profile()["notes"] if "timed in 3 runs" in note])
        self.assertEqual(done.returncode, 0)

    def test_a_run_that_fails_is_the_last(self):
        done = self.record(TARGET, "nested", "4", options=("--repeat", "5"), expect=4)
        self.assertIn(b"Run 1 of 5 ended with status 4", done.stderr)
        self.assertNotIn("runs_wall_s", self.region("outer"))

    def test_every_run_reads_the_same_input(self):
        path = os.path.join(self.directory, "input")
        with open(path, "w", encoding="utf-8") as file:
            file.write("one\ntwo\n")
        with open(path, encoding="utf-8") as file:
            done = self.record("cat", options=("--repeat", "2"), stdin=file)
        self.assertEqual(done.stdout, b"one\ntwo\n" * 2)

    def test_a_pipe_can_be_read_once(self):
        done = subprocess.run(self.command("cat", options=("--repeat", "2")), cwd=self.cwd, env=self.environment,
                              input=b"x", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"is a pipe", done.stderr)
        self.assertEqual(done.stderr.count(b"\n"), 1)


class Run(Case):
    """`roofmark run` with a machine that somebody else measured."""

    def setUp(self):
        super().setUp()
        fixture = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "nested.roofmark.json")
        with open(fixture, encoding="utf-8") as file:
            machine = json.load(file)["machine"]
        path = os.path.join(self.directory, "machine.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(machine, file)
        self.environment["ROOFMARK_MACHINE_FILE"] = path

    def command(self, *target, counters="none", options=()):
        return [ROOFMARK, "run", "--counters", counters, *options, "--", *target]

    def test_a_page_never_replaces_another(self):
        # The profile was named and is replaced; the page was not.
        for _ in range(2):
            self.record(TARGET, "nested", "0", options=("-o", "mine.json"))
        self.assertEqual(sorted(os.listdir(self.cwd)), ["mine-2.html", "mine.html", "mine.json"])

    def test_report_page_and_status(self):
        done = self.record(TARGET, "nested", "9", expect=9)
        self.assertEqual(done.stdout, b"")
        report = done.stderr.decode()
        for word in ("outer", "inner", "out.roofmark.html"):
            self.assertIn(word, report)
        self.assertEqual(sorted(os.listdir(self.cwd)), ["out.roofmark.html", "out.roofmark.json"])
        with open(os.path.join(self.cwd, "out.roofmark.html"), encoding="utf-8") as file:
            self.assertIn("inner", file.read())
        profile = self.profile()
        self.assertTrue(profile["machine"]["ceilings"])
        self.assertEqual(self.region("outer", profile=profile)["rooflines"][0]["verdict"], "undetermined")
        again = subprocess.run([ROOFMARK, "report", "out.roofmark.json"], cwd=self.cwd, env=self.environment,
                               stdout=subprocess.PIPE, check=True)
        self.assertIn(b"inner", again.stdout)

    def test_room_for_the_profile_but_not_for_the_page(self):
        small = os.path.join(self.directory, "small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], stderr=subprocess.DEVNULL,
                          check=False).returncode:
            skip("a small file system can only be mounted as root")
        try:
            probe = self.record(TARGET, "nested", options=("-o", "probe.json"))
            sizes = {name: os.path.getsize(os.path.join(self.cwd, name)) for name in ("probe.json", "probe.html")}
            # A profile is replaced by another beside it.
            room = sizes["probe.json"] * 2 + 8192
            if room - sizes["probe.json"] > sizes["probe.html"]:
                skip(f"the page is not larger than a profile: {sizes}")
            with open(os.path.join(small, "filler"), "wb") as file:
                file.write(b"x" * ((1 << 20) - room // 4096 * 4096))
            path = os.path.join(small, "p.json")
            done = self.record(TARGET, "nested", "4", options=("-o", path), expect=4)
            self.assertEqual(sorted(os.listdir(small)), ["filler", "p.json"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(self.region("outer", profile=json.load(file))["visits"], 1)
            said = [line for line in done.stderr.decode().splitlines() if "The page went to" in line]
            self.assertEqual(len(said), 1, done.stderr)
            self.assertIn("No space left", said[0])
            with open(said[0].split("went to ")[1].split(":")[0], encoding="utf-8") as file:
                self.assertIn("inner", file.read())
            self.assertNotIn("could not be written", probe.stderr.decode())
        finally:
            subprocess.run(["umount", "-l", small], check=True)

    def test_output_stays_the_programs_own(self):
        self.assertEqual(self.record(TARGET, "count").stdout, b"2\n")

    def test_a_machine_file_that_is_none(self):
        self.environment["ROOFMARK_MACHINE_FILE"] = "/dev/null"
        done = self.record(TARGET, "nested", "8", expect=8)
        self.assertIn(b"ceilings are not known", done.stderr)
        self.assertIn(b"inner", done.stderr)
        self.environment["ROOFMARK_MACHINE_FILE"] = self.cwd
        done = self.record(TARGET, "nested", "8", expect=8)
        self.assertIn(b"the machine file can't be read", done.stderr)

    def test_a_reader_that_went_away(self):
        shut, held = os.pipe()
        os.close(shut)
        done = subprocess.run(self.command(TARGET, "nested", "7"), cwd=self.cwd, env=self.environment,
                              stdin=subprocess.DEVNULL, stderr=held, timeout=PATIENCE, check=False)
        os.close(held)
        self.assertEqual(done.returncode, 7)
        self.assertEqual(self.region("outer")["visits"], 1)


if __name__ == "__main__":
    ROOFMARK, TARGET = (os.path.abspath(path) for path in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
