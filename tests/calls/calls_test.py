#!/usr/bin/env python3
"""--functions: calls of functions in unmodified programs as regions.

usage: calls_test.py ROOFMARK SUPPORT PROGRAMS LIBRARIES GROUP [emulated] [zlib]    (PROGRAMS: their folder; LIBRARIES: Roofmark's)
"""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

roofmark, support, programs, libraries, group, *there = sys.argv[1:]
programs = os.path.abspath(programs)
sys.path.insert(0, support)
from recording import PATIENCE_S, Recording  # noqa: E402

for variable in ("LD_AUDIT", "ROOFMARK_FUNCTIONS"):
    os.environ.pop(variable, None)
OURS = "*@libcalls_library*"
emulated = "emulated" in there


def path(name):
    return os.path.join(programs, name)


class Case(unittest.TestCase):
    def bare(self, *command, **environment):
        return subprocess.run([path(command[0]), *command[1:]], capture_output=True, check=False, timeout=PATIENCE_S,
                              env={**os.environ, **environment})

    def record(self, *command, functions=(OURS,), counters="none", expect=0, options=(), **environment):
        globs = [word for glob in functions for word in ("--functions", glob)]
        return Recording(roofmark, [path(command[0]), *command[1:]], counters=counters, options=[*globs, *options], expect=expect,
                         **environment)

    def same(self, run, *command, **environment):
        """The program did what it does alone."""
        alone = self.bare(*command, **environment)
        self.assertEqual(run.output, alone.stdout.decode())


class Arguments(Case):
    visits = {(name,): 3 for name in ("many", "give_large", "give_mixed", "give_doubles", "third", "square", "half", "text_of",
                                      "last_act", "factorial", "add", "set_error", "see_error")} | {("last_act", "add"): 3}

    def check(self, run):
        visits = run.visits()
        for wide in ("wide_sum", "wide_product", "widest_product"):
            visits.pop((wide,), None)
        # A compiler may call itself through the loader.
        visits = {at: count for at, count in visits.items() if at[:2] != ("factorial", "factorial")}
        self.assertEqual(visits, self.visits)

    def test_every_argument_and_result_is_bit_for_bit_what_it_was(self):
        for program in ("calls_lazy", "calls_now", "calls_stripped"):
            run = self.record(program, "arguments", WIDEST="1")
            self.same(run, program, "arguments", WIDEST="1")
            self.check(run)

    def test_with_counters_in_the_markers_too(self):
        """The long form of each marker: counters are read."""
        run = self.record("calls_now", "arguments", counters="perf", WIDEST="1")
        self.same(run, "calls_now", "arguments", WIDEST="1")

    def test_a_stripped_library(self):
        run = self.record("calls_lazy", "arguments", LD_LIBRARY_PATH=path("stripped"))
        self.same(run, "calls_lazy", "arguments")

    def test_what_gave_the_region_and_its_cost_is_said(self):
        run = self.record("calls_now", "arguments")
        function = run.region("add")["function"]
        self.assertEqual((function["object"], function["timed_by"]), (path("libcalls_library.so"), "redirection"))
        self.assertGreater(function["cost_s"], 0)
        self.assertNotIn("counted_by", function)


class Ways(Case):
    """The ways out of a call that are no return, and those in that are no call."""

    def test_longjmp_ends_the_calls_that_it_leaves(self):
        run = self.record("calls_now", "jumps")
        self.same(run, "calls_now", "jumps")
        visits = run.visits()
        self.assertEqual(visits[("add",)], 3)  # outside of what was left
        self.assertEqual(sum(count for at, count in visits.items() if at[-1] == "jump_out"), 3)
        self.assertEqual([at for at in visits if "unclosed" in run.flags(*at) or "mismatched" in run.flags(*at)], [])

    def test_calls_that_are_left_unseen_end_with_the_next_one_and_are_flagged(self):
        run = self.record("calls_now", "unseen", counters="emulated" if emulated else "none")
        self.same(run, "calls_now", "unseen")
        self.assertEqual(run.visits(), {("call_back",): 3, ("add",): 3})
        self.assertIn("mismatched", run.flags("call_back"))
        self.assertNotIn("mismatched", run.flags("add"))

    def test_exceptions_end_the_calls_that_they_leave(self):
        run = self.record("calls_cpp", functions=["work::*@libcalls_cpp*"])
        self.same(run, "calls_cpp")
        visits = run.visits()
        self.assertEqual(visits[("work::rethrow",)], 10)
        self.assertEqual(visits[("work::catch_inside",)], 10)
        self.assertEqual(visits[("work::catch_inside", "work::rethrow")], 10)
        self.assertEqual(visits[("work::Solver::run",)], 10)
        self.assertEqual([at for at in visits if {"mismatched", "unclosed"} & set(run.flags(*at))], [])

    def test_signal_handlers_call_and_jump(self):
        run = self.record("calls_now", "signals")
        self.same(run, "calls_now", "signals")
        self.assertEqual(run.visits(), {("call_back",): 400, ("call_back", "add"): 400, ("half",): 200})

    def test_a_threads_first_call_is_in_a_handler_that_interrupts_malloc(self):
        run = self.record("calls_now", "early")
        self.same(run, "calls_now", "early")
        self.assertEqual(sum(count for at, count in run.visits().items() if at[-1] == "half"), 100)

    def test_stacks_that_take_turns(self):
        run = self.record("calls_now", "contexts")
        self.same(run, "calls_now", "contexts")
        # What runs on one stack stands inside what is open on the other: flagged, no crash.
        self.assertIn("mismatched", [flag for at in run.visits() for flag in run.flags(*at)])

    def test_calls_nested_deeper_than_there_is_room_for(self):
        run = self.record("calls_now", "deep")
        self.same(run, "calls_now", "deep")
        self.assertIn("512 deep", run.messages)

    def test_libraries_that_come_and_go(self):
        run = self.record("calls_lazy", "libraries", path("libcalls_plugin.so"), functions=["plugin_*"])
        self.same(run, "calls_lazy", "libraries", path("libcalls_plugin.so"))
        self.assertEqual(run.visits(), {("plugin_twice",): 50, ("plugin_twice", "plugin_once"): 100})


class Ends(Case):
    """Functions that never return."""

    def test_exit_keeps_its_status(self):
        run = self.record("calls_now", "exit", expect=5)
        self.assertEqual(run.flags("end_program").count("unclosed"), 1)

    def test_a_crash_inside_is_the_programs(self):
        for what, signal, function in (("crash", 11, "crash"), ("abort", 6, "give_up")):
            run = self.record("calls_now", what, expect=-signal)
            self.assertIn("unclosed", run.flags(function))

    def test_an_exception_that_nobody_catches(self):
        run = self.record("calls_cpp", "uncaught", functions=["*@libcalls_cpp*"], expect=-6)
        self.assertIn("what():  refused 103", run.messages)
        self.assertIn("unclosed", run.flags("work::Solver::refuse"))


class Processes(Case):
    def test_threads_end_inside_calls_and_are_cancelled_there(self):
        run = self.record("calls_now", "threads")
        self.same(run, "calls_now", "threads")
        visits = run.visits()
        self.assertEqual(visits[("add",)], 4000)
        self.assertIn(("end_thread",), visits)
        self.assertIn("unclosed", run.flags("end_thread"))

    def test_forks_in_a_thread_while_another_calls(self):
        run = self.record("calls_now", "forks")
        self.same(run, "calls_now", "forks")
        self.assertEqual(run.visits()[("half",)], 20)


class Names(Case):
    def test_a_glob_that_matches_nothing_is_one_line(self):
        run = self.record("calls_now", "arguments", functions=["no_such_*", OURS])
        lines = [line for line in run.messages.splitlines() if "no_such_*" in line]
        self.assertEqual(len(lines), 1, run.messages)
        self.assertTrue(any("no_such_*" in note for note in run.notes))
        self.assertEqual(run.visits()[("add",)], 3)

    def test_a_glob_that_matches_everything(self):
        """The C library and the unwinder too: the program goes on as it was."""
        for program, what in (("calls_now", "arguments"), ("calls_lazy", "jumps"), ("calls_now", "threads"), ("calls_now", "forks")):
            run = self.record(program, what, functions=["*"])
            self.same(run, program, what)
            # A thread's calls stand below what its creator has open, which may be pthread_join().
            self.assertIn("add", [at[-1] for at in run.visits()])
        run = self.record("calls_cpp", functions=["*"])
        self.same(run, "calls_cpp")

    def test_more_functions_than_there_can_be(self):
        run = self.record("calls_numerous_program", functions=["numerous_*"])
        self.same(run, "calls_numerous_program")
        self.assertGreater(len(run.visits()), 2000)
        (line,) = [line for line in run.messages.splitlines() if "more functions match" in line]
        self.assertIn("2047", line)

    def test_libraries_are_told_apart(self):
        run = self.record("calls_now", "arguments", functions=["*@libno*"])
        self.assertEqual(run.visits(), {})
        run = self.record("calls_now", "arguments", functions=["ad?@libcalls*", "see_*"])
        self.assertEqual(run.visits(), {("add",): 6, ("see_error",): 3})

    def test_cpp_names(self):
        run = self.record("calls_cpp", functions=["work::twice", "work::Solver::Solver"])
        self.assertEqual(run.visits(), {("work::Solver::Solver",): 1, ("work::twice<double>",): 10})

    def test_of_several_programs(self):
        command = "; ".join(f"{path(program)} {what}" for program, what in (("calls_now", "arguments"), ("calls_lazy", "arguments"),
                                                                          ("calls_cpp", "")))
        run = Recording(roofmark, ["sh", "-c", command], options=["--functions", OURS, "--functions", "work::*@libcalls_cpp*"])
        for at in run.visits():
            self.assertIn("function", run.region(*at), at)
        self.assertEqual(run.visits()[("add [calls_lazy]",)], 3)
        self.assertEqual(run.visits()[("work::Solver::run [calls_cpp]",)], 10)

    def test_a_bad_option_is_one_line(self):
        done = subprocess.run([roofmark, "record", "--functions", "@libm", "--", "true"], capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("GLOB", done.stderr)

    def test_a_static_program_is_named_as_the_reason(self):
        run = self.record("calls_static", functions=["no_such"])
        self.same(run, "calls_static")
        self.assertIn("statically linked", run.messages)


@unittest.skipUnless(emulated, "no emulator was built")
class Counted(Case):
    def test_flop_of_functions_are_exact(self):
        run = self.record("calls_now", "flop", counters="emulated")
        self.same(run, "calls_now", "flop")
        self.assertEqual(run.visits(), {("multiply_add",): 10})
        self.assertEqual(run.flop("multiply_add"), 10 * 1000 * 3)
        self.assertEqual(run.region("multiply_add")["function"]["counted_by"], "redirection")

    def test_both_runs_have_the_same_visits(self):
        for what in ("arguments", "jumps", "signals"):
            run = self.record("calls_now", what, counters="emulated")
            self.same(run, "calls_now", what)
            self.assertEqual([at for at in run.visits() if "visits_differ" in run.flags(*at)], [], what)
        run = self.record("calls_cpp", functions=["work::*"], counters="emulated")
        self.assertEqual([at for at in run.visits() if "visits_differ" in run.flags(*at)], [])


class Beside(Case):
    def test_another_user_of_the_auditing_interface(self):
        other = path("libcalls_other_audit.so")
        alone = self.bare("calls_now", "arguments", LD_AUDIT=other).stdout.decode()
        self.assertNotEqual(alone, self.bare("calls_now", "arguments").stdout.decode())
        run = self.record("calls_now", "arguments", LD_AUDIT=other)
        self.assertEqual(run.output, alone)
        self.assertEqual(run.visits()[("half",)], 3)

    def test_annotations_and_functions_nest(self):
        run = self.record("calls_now", "arguments", options=["--annotations", "none"])
        self.assertEqual(run.visits()[("last_act", "add")], 3)


class Preloaded(Case):
    def test_without_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            variables = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=16384",
                         "LD_PRELOAD": f"{libraries}/libroofmark-preload.so:{libraries}/libroofmark-functions.so",
                         "LD_AUDIT": f"{libraries}/libroofmark-audit.so", "ROOFMARK_FUNCTIONS": f"see_*,ad?{OURS[1:]}",
                         "ROOFMARK_DIRECTORY": folder}
            done = self.bare("calls_now", "arguments", **variables)
            self.assertEqual(done.stdout, self.bare("calls_now", "arguments").stdout)
            report = subprocess.run([roofmark, "report", folder, "--format", "json"], capture_output=True, text=True, check=True)
            regions = {tuple(region["path"]): region for region in json.loads(report.stdout)["regions"]}
            self.assertEqual(regions[("add",)]["visits"], 6)
            self.assertEqual(regions[("add",)]["function"]["timed_by"], "redirection")

    def test_not_told_what_it_does_nothing(self):
        done = self.bare("calls_now", "arguments", LD_PRELOAD=f"{libraries}/libroofmark-functions.so",
                         LD_AUDIT=f"{libraries}/libroofmark-audit.so", ROOFMARK_FUNCTIONS="*")
        self.assertEqual(done.stdout, self.bare("calls_now", "arguments").stdout)


class Real(Case):
    @unittest.skipUnless("openmp" in there, "the compiler has no OpenMP")
    def test_beside_libraries_with_thread_local_variables(self):
        """All preloads and the auditing library have to find room for theirs."""
        run = self.record("calls_openmp")
        self.same(run, "calls_openmp")
        self.assertEqual(sum(count for at, count in run.visits().items() if at[-1] == "add"), 100)

    @unittest.skipUnless("zlib" in there, "zlib is not there")
    def test_zlib(self):
        run = self.record("calls_zlib", functions=["deflate@libz*", "crc32@libz*", "deflateEnd@libz*"])
        self.same(run, "calls_zlib")
        self.assertEqual(run.visits(), {("deflate",): 3, ("deflateEnd",): 1, ("crc32",): 1})

    def test_the_c_library_of_an_interpreter(self):
        python = shutil.which("python3")
        command = [python, "-c", "import math; print(sum(math.sin(i) for i in range(1000)))"]
        alone = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        run = Recording(roofmark, command, options=["--functions", "sin@libm*"])
        self.assertEqual(run.output, alone)
        self.assertEqual(run.visits(), {("sin",): 1000})


@unittest.skipUnless("symbols" in there, "Roofmark was built without elfutils")
class Executable(Case):
    """Functions of the executable: by uprobes and entry detection, each where it can be had."""
    visits = {("own_outer",): 3, ("own_outer", "own_wait"): 3, ("own_outer", "own_triad"): 6, ("own_triad",): 1, ("own_wait",): 1}

    def own(self, program, *words, functions=("own_outer", "own_wait", "own_triad"), **more):
        run = self.record(program, *words, functions=functions, **more)
        self.same(run, program, *words)
        self.timed = "not timed" not in run.messages
        if not self.timed:
            self.assertRegex(run.messages, "functions of the executable are not timed: .*(root|uprobes|probe)")
        return run

    def test_regions_and_their_times(self):
        for program in ("calls_own_dynamic", "calls_own_static"):
            run = self.own(program)
            if not self.timed:
                continue
            self.assertEqual(run.visits(), self.visits, program)
            function = run.region("own_outer", "own_wait")["function"]
            self.assertEqual(function["timed_by"], "uprobes")
            self.assertGreater(function["cost_s"], 0)
            self.assertGreaterEqual(run.region("own_outer", "own_wait")["wall_s"]["value"], 3 * 0.003 * 0.9)

    @unittest.skipUnless(emulated, "no emulator was built")
    def test_flop_of_the_same_regions(self):
        for program in ("calls_own_dynamic", "calls_own_static"):
            run = self.own(program, counters="emulated")
            self.assertEqual(run.flop("own_outer", "own_triad"), 6 * 1000 * 3)
            self.assertEqual(run.flop("own_triad"), 10 * 3)
            self.assertEqual(run.region("own_triad")["function"]["counted_by"], "entry detection")
            # The counted run's entries, where the timed run could see none.
            self.assertEqual(run.visits(), self.visits)
            self.assertEqual({region.get("visits_source") for path, region in run.regions.items() if path},
                             {None if self.timed else "counted"})
            self.assertEqual([at for at in run.paths() if "visits_differ" in run.flags(*at)], [])

    @unittest.skipUnless(emulated, "no emulator was built")
    def test_recursion_and_jumps(self):
        run = self.own("calls_own_dynamic", functions=["own_recursion"], counters="emulated")
        self.assertEqual(len(run.paths()), 4)
        run = self.own("calls_own_dynamic", "jump", functions=["own_jump", "own_wait"], counters="emulated")
        self.assertIn(("own_wait",), run.paths())
        self.assertEqual(len([at for at in run.paths() if at[-1] == "own_wait"]), 1)

    def test_a_function_that_is_called_too_often_is_let_go(self):
        run = self.own("calls_own_dynamic", "often", functions=["own_often", "own_wait"])
        if self.timed and "were lost" not in run.messages:  # on a machine too busy to keep up
            self.assertIn("own_often was called more than 20000 times", run.messages)
            self.assertEqual(run.visits(), {("own_wait",): 1})

    @unittest.skipUnless(emulated, "no emulator was built")
    def test_recordings_of_one_file_at_a_time(self):
        """A probe is a breakpoint in whatever executes the file: a counted program would meet it."""
        with concurrent.futures.ThreadPoolExecutor(4) as several:
            runs = [several.submit(self.record, "calls_own_dynamic", functions=("own_triad",), counters="emulated") for _ in range(8)]
        for run in runs:
            self.assertEqual(run.result().flop("own_triad"), (6 * 1000 + 10) * 3)

    def test_a_file_that_others_count_is_not_probed(self):
        with open(path("calls_own_dynamic"), "rb") as program:
            fcntl.flock(program, fcntl.LOCK_SH)
            run = self.record("calls_own_dynamic", functions=("own_triad",))
        self.same(run, "calls_own_dynamic")
        self.assertRegex(run.messages, "not timed: .*(another recording|root|uprobes)")

    def test_without_symbols_there_are_no_names(self):
        run = self.record("calls_own_stripped", functions=["own_*"])
        self.same(run, "calls_own_stripped")
        self.assertIn("no such function", run.messages)

    def test_too_many_are_one_line(self):
        run = self.record("calls_own_static", functions=["*"])
        self.same(run, "calls_own_static")
        self.assertEqual(len([line for line in run.messages.splitlines() if "at most 64" in line]), 1, run.messages)

    def test_a_static_c_program_has_no_exceptions(self):
        # Its C library brings the unwinder in.
        with open(path("calls_own_static"), "rb") as program:
            self.assertIn(b"_Unwind_RaiseException", program.read())
        self.assertNotIn("exceptions", self.own("calls_own_static").messages)
        run = self.record("calls_static_cpp", functions=["main"])
        self.same(run, "calls_static_cpp")
        self.assertIn("exceptions", run.messages)

    def test_each_glob_that_matches_nothing_is_told(self):
        for program in ("calls_own_dynamic", "calls_own_static"):
            run = self.record(program, functions=["own_outer", "no_such_function", "nor_this@libm*"])
            for glob in ("no_such_function", "nor_this@libm*"):
                lines = [line for line in run.messages.splitlines() if f"'{glob}'" in line]
                self.assertEqual(len(lines), 1, run.messages)
            self.assertNotIn("'own_outer'", run.messages)

    def test_programs_that_switch_stacks_are_not_put_at_risk(self):
        run = self.record("calls_now", "contexts", functions=["main"])
        self.same(run, "calls_now", "contexts")
        self.assertIn("switching of stacks", run.messages)

    def test_exceptions_are_not_put_at_risk(self):
        run = self.record("calls_cpp", functions=["main"])
        self.same(run, "calls_cpp")
        self.assertIn("exceptions", run.messages)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], group])
