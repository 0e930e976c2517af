#!/usr/bin/env python3
"""Other tools' annotations as regions: exact visits, nesting and FLOPs, in the timed and in the counted run, and the tools left whole.

usage: readers_test.py ROOFMARK SUPPORT PROGRAMS READERS GROUP [EMULATED]      (SUPPORT: tests/support; PROGRAMS: their folder)
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

roofmark, support, programs, readers, group, *emulated = sys.argv[1:]
sys.path.insert(0, support)
from recording import Recording  # noqa: E402

VARIABLES = ("NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64", "KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY", "ROOFMARK_ANNOTATIONS",
             "OMP_TOOL_LIBRARIES", "OMP_NUM_THREADS", "OMP_SCHEDULE")
for variable in VARIABLES:
    os.environ.pop(variable, None)


def path(name):
    return os.path.join(programs, name)


class Case(unittest.TestCase):
    def record(self, *command, annotations=None, counters="none", **environment):
        options = [] if annotations is None else ["--annotations", annotations]
        return Recording(roofmark, [path(command[0]), *command[1:]], counters=counters, options=options, **environment)

    def bare(self, *command, **environment):
        return subprocess.run([path(command[0]), *command[1:]], capture_output=True, text=True, check=True,
                              env={**os.environ, **environment})

    def check(self, command, visits, flop, annotations=None, flagged=(), output=None):
        """The same regions in both runs, and each with its own FLOPs."""
        if not emulated:
            print("skipped: the counted run, no emulator was built")
        run = self.record(*command, annotations=annotations, counters="emulated" if emulated else "none")
        self.assertEqual(run.visits(), visits)
        for region in run.paths():
            bad = {"mismatched", "unclosed", "visits_differ"} & set(run.flags(*region))
            self.assertEqual(bool(bad), region in flagged, (region, bad))
            if emulated and region in flop:
                self.assertEqual(run.flop(*region), flop[region], region)
        if output is not None:
            self.assertEqual(run.output, output)
        return run


class Nvtx(Case):
    wide = ("solve ö", "weit ö € 😀")
    visits = {("solve ö",): 1, wide: 3, ("solve ö", "ex"): 1, ("A:registered",): 1, ("A:registered", "B ß:wide"): 1,
              ("A:again",): 1, ("started",): 1, ("started", "inside"): 1, ("B ß:of domain",): 1, ("library",): 1, ("around",): 1,
              ("around", "crossing"): 1, ("around", "crossing", "worker"): 1}
    flop = {wide: 600, ("solve ö",): 600, ("solve ö", "ex"): 0, ("A:registered", "B ß:wide"): 20, ("started", "inside"): 20,
            ("library",): 20, ("around", "crossing", "worker"): 200}

    def test_ranges_are_regions(self):
        depths = "0" + " 1 1" * 4 + " 0\n-1\n1 tools\n"
        # A range that ends in another thread than began it is flagged.
        self.check(["nvtx_program"], self.visits, self.flop, flagged={("around", "crossing")}, output=depths)
        self.check(["nvtx_program"], self.visits, self.flop, annotations="nvtx", flagged={("around", "crossing")}, output=depths)

    def test_not_asked_for_nothing_is_attached(self):
        none = "-2" + " -2 -2" * 4 + " -2\n-2\n0 tools\n"
        for annotations in ("none", "itt,likwid"):
            run = self.record("nvtx_program", annotations=annotations)
            self.assertEqual((run.visits(), run.output), ({}, none))

    def test_another_tool_keeps_its_ranges(self):
        other = path("libreader_nvtx_other_tool.so")
        run = self.record("nvtx_program", NVTX_INJECTION64_PATH=other)
        self.assertEqual(run.visits(), {})
        self.assertIn("the other tool has it", run.messages)
        (note,) = [note for note in run.notes if "NVTX_INJECTION64_PATH" in note]
        self.assertIn(other, note)
        self.assertIn(note, run.messages)

    def test_ranges_deeper_than_a_page(self):
        run = self.record("nvtx_program", "deep", counters="emulated" if emulated else "none")
        paths = [tuple("odd" if i % 2 else "even" for i in range(depth)) for depth in range(1, 301)]
        self.assertEqual(run.visits(), {at: 2 for at in paths})

    def test_threads_leave_nothing(self):
        run = self.record("nvtx_program", "many threads")
        self.assertEqual(run.visits(), {("short",): 2100})
        self.assertLess(int(run.output.split()[0]), 2000, run.output)  # a page each would be 8000

    def test_a_forked_child_ends_no_region_of_its_parent(self):
        run = self.record("nvtx_program", "fork", counters="emulated" if emulated else "none")
        self.assertEqual(run.visits(), {("before",): 1, ("before", "child"): 1, ("alone",): 1})
        if emulated:
            self.assertEqual(run.flop("before", "child"), 200)

    def test_without_a_recording_nvtx_does_nothing(self):
        done = self.bare("nvtx_program", NVTX_INJECTION64_PATH=readers)
        self.assertTrue(done.stdout.endswith("0 tools\n"), done.stdout)


class Itt(Case):
    frame = ("Solver domain",)
    visits = {frame: 2, (*frame, "assemble ä"): 1, (*frame, "assemble ä", "element"): 3, ("assemble ä",): 1,
              ("assemble ä", "element"): 1, (*frame, "0x1234"): 1, (*frame, "task"): 1, ("event of old",): 1, ("worker",): 1}
    flop = {frame: 600, (*frame, "assemble ä", "element"): 600, ("assemble ä",): 0, ("event of old",): 20, ("worker",): 200}

    def test_tasks_frames_and_events_are_regions(self):
        for annotations in ("auto", "itt"):
            self.check(["itt_program"], self.visits, self.flop, annotations=annotations, output="collected, the rest is as without\n")

    def test_not_asked_for(self):
        run = self.record("itt_program", annotations="nvtx")
        self.assertEqual((run.visits(), run.output), ({}, "not collected\n"))

    def test_another_collector_keeps_it(self):
        run = self.record("itt_program", INTEL_LIBITTNOTIFY64="/nowhere/libcollector.so")
        self.assertEqual((run.visits(), run.output), ({}, "not collected\n"))
        self.assertTrue(any("/nowhere/libcollector.so" in note for note in run.notes), run.notes)

    def test_without_a_recording(self):
        self.assertEqual(self.bare("itt_program", INTEL_LIBITTNOTIFY64=readers).stdout, "not collected\n")


class Likwid(Case):
    visits = {("copy loop",): 3, ("copy loop", "inner ö"): 3, ("pool",): 1, ("pool", "team"): 2}
    flop = {("copy loop",): 660, ("copy loop", "inner ö"): 60, ("pool", "team"): 400}

    def test_markers_are_regions_and_the_library_still_gets_them(self):
        alone = self.bare("likwid_program").stdout
        self.assertEqual(alone.count("likwid_markerStartRegion"), 9)
        for annotations in ("auto", "likwid"):
            run = self.check(["likwid_program"], self.visits, self.flop, annotations=annotations)
            self.assertEqual(sorted(run.output.splitlines()), sorted(alone.splitlines()))

    def test_not_asked_for_the_library_gets_them(self):
        alone = self.bare("likwid_program").stdout
        for annotations in ("none", "papi"):
            run = self.record("likwid_program", annotations=annotations)
            self.assertEqual(run.visits(), {})
            self.assertEqual(sorted(run.output.splitlines()), sorted(alone.splitlines()))


class Papi(Case):
    visits = {("computation",): 2, ("computation", "sub region"): 2}
    flop = {("computation",): 440, ("computation", "sub region"): 40}

    def test_regions_of_a_library_that_is_loaded_for_a_plugin_alone(self):
        command = ["papi_program", path("libreader_papi_plugin.so")]
        alone = self.bare(*command).stdout
        self.assertEqual(alone.count("PAPI_hl_region_end"), 4)
        for annotations in ("auto", "papi"):
            self.check(command, self.visits, self.flop, annotations=annotations, output=alone)
        run = self.record(*command, annotations="likwid")
        self.assertEqual((run.visits(), run.output), ({}, alone))


class Caliper(Case):
    main = ("main ö",)
    visits = {main: 1, (*main, "main loop"): 1, (*main, "main loop", "kernel"): 3, (*main, "a phase"): 1, (*main, "a phase", "halo"): 1,
              ("my phase=setup",): 1, ("my phase=setup", "setup_grid"): 1, ("initialised",): 1, ("solve",): 1,
              ("solve", "in a scope"): 2}
    flop = {main: 600, (*main, "main loop", "kernel"): 600, ("my phase=setup", "setup_grid"): 20, ("solve", "in a scope"): 400}

    def test_regions(self):
        alone = self.bare("caliper_program").stdout
        self.assertEqual(alone.count("cali_begin_region"), 7)
        for annotations in ("auto", "caliper"):
            self.check(["caliper_program"], self.visits, self.flop, annotations=annotations, output=alone)
        run = self.record("caliper_program", annotations="itt")
        self.assertEqual((run.visits(), run.output), ({}, alone))


class Kokkos(Case):
    step = ("time step",)
    visits = {step: 1, (*step, "update x"): 3, (*step, "Kokkos::norm<double>"): 1, (*step, "prefix ∑"): 1, (*step, "Kokkos::fence"): 1,
              ("phase",): 2, ("deep_copy to <- from",): 1}
    flop = {step: 640, (*step, "update x"): 600, (*step, "Kokkos::fence"): 0, ("phase",): 40}

    def test_kernels_and_regions(self):
        for annotations in ("auto", "kokkos"):
            self.check(["kokkos_program"], self.visits, self.flop, annotations=annotations, output="with a tool\n")

    def test_another_tool_keeps_them(self):
        for annotations in ("auto", "kokkos"):
            run = self.record("kokkos_program", annotations=annotations, KOKKOS_TOOLS_LIBS="/nowhere/libkp.so")
            self.assertEqual((run.visits(), run.output), ({}, "without a tool\n"))
            self.assertTrue(any("/nowhere/libkp.so" in note for note in run.notes), run.notes)


class Cyg(Case):
    descend = [("main", *["descend"] * depth) for depth in (1, 2, 3)]
    visits = {("main",): 1, ("main", "leaf"): 3, ("main", "function_of_library"): 1, ("main", "in_thread"): 1,
              ("main", "in_thread", "leaf"): 1, **{at: 1 for at in descend}, **{(*at, "leaf"): 1 for at in descend}}
    flop = {("main", "leaf"): 600, ("main", "function_of_library"): 20, ("main", "in_thread", "leaf"): 200, descend[0]: 60,
            ("main",): 880}

    def test_functions_are_regions(self):
        self.check(["cyg_program"], self.visits, self.flop, annotations="cyg", output="ran\n")

    def test_names_of_c_plus_plus(self):
        step, attempt = ("main", "grid::Solver<double>::step(int)"), ("main", "grid::attempt()")
        visits = {("main",): 1, step: 3, ("main", "grid::scale(int)"): 1, ("main", "grid::scale(double)"): 1, attempt: 1,
                  (*attempt, "grid::fail()"): 1}
        # An exception leaves a function as a return does.
        self.check(["cyg_cpp"], visits, {step: 600, ("main", "grid::scale(int)"): 20, attempt: 20}, annotations="cyg")

    def test_not_by_itself(self):
        for annotations in (None, "none"):
            run = self.record("cyg_program", annotations=annotations)
            self.assertEqual((run.visits(), run.output), ({}, "ran\n"))
            (missing,) = [missing for missing in run.region()["missing"] if missing["quantity"] == "regions"]
            self.assertIn("-finstrument-functions", missing["reason"])
            self.assertIn("--annotations cyg", missing["fix"])

    def test_a_stripped_program_has_places_for_names(self):
        run = self.record("cyg_stripped", annotations="cyg", counters="emulated" if emulated else "none")
        self.assertEqual(len(run.paths()), len(self.visits))
        (main,) = [at[0] for at in run.paths() if len(at) == 1]
        self.assertRegex(main, r"^cyg_stripped\+0x[0-9a-f]+$")
        # The library has kept its names.
        self.assertEqual(run.region(main, "function_of_library")["visits"], 1)
        self.assertEqual(sorted(run.visits().values()), sorted(self.visits.values()))
        for region in run.paths():
            self.assertNotIn("visits_differ", run.flags(*region))

    def test_another_tools_hooks_are_called_too(self):
        other = path("libreader_cyg_other_tool.so")
        calls = sum(self.visits.values())
        for annotations in ("auto", "cyg"):
            with tempfile.TemporaryDirectory() as folder:
                script = pathlib.Path(folder, "both")
                script.write_text(f'#!/bin/sh\nLD_PRELOAD="$LD_PRELOAD:{other}" exec {path("cyg_program")}\n')
                script.chmod(0o755)
                run = Recording(roofmark, [str(script)], options=["--annotations", annotations])
            self.assertEqual(run.output, f"ran\nthe other tool saw {calls} and {calls}\n")
            self.assertEqual(run.visits(), self.visits if annotations == "cyg" else {})


class OpenMp(Case):
    """Each parallel construct is a region of every thread of its team, whatever the schedule."""

    threads = 3

    def check_runtime(self, program, name):
        os.environ["OMP_NUM_THREADS"] = str(self.threads)
        run = self.record(program, annotations="openmp", counters="emulated" if emulated else "none")
        self.assertEqual(run.output, "1\n")
        below = {region: visits for region, visits in run.visits().items() if region != ("solve",)}
        self.assertEqual(sorted(below.values()), [self.threads] * 5 + [2 * self.threads], below)
        inside = [region for region in below if region[0] == "solve"]
        self.assertEqual(len(inside), 1, "the construct in a region is below it")
        self.assertEqual(below[inside[0]], 2 * self.threads)
        for region in below:
            self.assertRegex(region[-1], name)
            self.assertFalse({"mismatched", "unclosed", "visits_differ"} & set(run.flags(*region)), region)
        if emulated:
            # 3000 elements twice; what a runtime computes for a guided schedule comes on top.
            self.assertEqual(run.flop(*inside[0]), 12000)
            counted = sorted(run.flop(*region) for region in below if region not in inside)
            self.assertEqual(counted[0], 3000 + (self.threads if "gcc" in program else 3), counted)
            self.assertEqual(counted[1:4], [6000] * 3, counted)
            self.assertLess(counted[4], 6100)

    def test_gcc(self):
        if not os.path.exists(path("openmp_gcc")):
            self.skipTest("skipped: the compiler is not GCC")
        self.check_runtime("openmp_gcc", r"^(plain|dynamic|guided|at_run_time|sections|sum)\._omp_fn\.\d+$")

    def test_tools_interface(self):
        if not os.path.exists(path("openmp_llvm")):
            self.skipTest("skipped: clang, or its OpenMP runtime, is not installed")
        self.check_runtime("openmp_llvm", r"^openmp_llvm\+0x[0-9a-f]+$")

    def test_a_trace_has_the_names_and_regions_of_the_profile(self):
        if not os.path.exists(path("openmp_names")):
            self.skipTest("skipped: the compiler is not GCC, or has no OpenMP for C++")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "trace.json")
            run = Recording(roofmark, [path("openmp_names")], options=["--annotations", "openmp", "--trace", str(file)],
                            OMP_NUM_THREADS=str(self.threads))
            events = [event for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X"]
        loops = {region: visits for region, visits in run.visits().items() if len(region) == 2}
        self.assertEqual(sorted(visits for visits in loops.values()), [2 * self.threads, 3 * self.threads], loops)
        for region in loops:
            self.assertIn("grid::smooth<double>", region[-1])
        # Of each thread, in whichever region its team worked: by the path that the profile has.
        slices = collections.Counter((event["name"], event["args"].get("region")) for event in events)
        self.assertEqual(slices, {(region[-1], "/".join(region)): visits for region, visits in run.visits().items()})
        for event in events:
            self.assertTrue(event["args"]["verdict"], event)

    def test_only_where_it_is_asked_for(self):
        for program in ("openmp_gcc", "openmp_llvm"):
            if os.path.exists(path(program)):
                self.assertEqual(self.record(program).visits(), {("solve",): 1})

    def test_another_tool_keeps_the_interface(self):
        if not os.path.exists(path("openmp_llvm")):
            self.skipTest("skipped: clang, or its OpenMP runtime, is not installed")
        run = self.record("openmp_llvm", annotations="openmp", OMP_TOOL_LIBRARIES="/nowhere/libtool.so")
        self.assertEqual(run.visits(), {("solve",): 1})


class Together(Case):
    def test_several_in_one_process(self):
        deepest = ("range", "marker", "own", "innermost")
        visits = {deepest[:depth]: 2 for depth in range(1, 5)}
        self.check(["together_program"], visits, {region: 400 for region in visits})
        run = self.record("together_program", annotations="likwid")
        self.assertEqual(run.visits(), {("marker",): 2, ("marker", "own"): 2})

    def test_several_in_one_run(self):
        # By one shell: each process its own regions, which bear the program's name behind theirs.
        each = [(Nvtx, "nvtx_program", ()), (Itt, "itt_program", ()), (Likwid, "likwid_program", ()),
                (Papi, "papi_program", (path("libreader_papi_plugin.so"),)), (Caliper, "caliper_program", ()),
                (Kokkos, "kokkos_program", ())]
        script = "; ".join(" ".join((path(program), *arguments)) for _, program, arguments in each)
        seen = Recording(roofmark, ["/bin/sh", "-c", script]).visits()
        expected = {}
        for number, (case, program, _) in enumerate(each):
            behind = "" if number == 0 else f" [{program}]"
            expected.update({(region[0] + behind, *region[1:]): visits for region, visits in case.visits.items()})
        self.assertEqual(seen, expected)

    def test_unknown_names_are_refused_before_the_program_runs(self):
        for wrong in ("", "nvtx,", "vtune", "nvtx,,itt", "NVTX", "auto,nvtx"):
            done = subprocess.run([roofmark, "record", "--annotations", wrong, "--", path("cyg_program")], capture_output=True, text=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0, wrong)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn("caliper", done.stderr)

    def test_what_it_exports_and_needs(self):
        symbols = subprocess.run(["nm", "-D", "--defined-only", readers], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[-1] for line in symbols.splitlines()}
        known = re.compile(r"InitializeInjectionNvtx2|__itt_api_init|likwid_marker(Start|Stop)Region|PAPI_hl_region_(begin|end)|"
                           r"cali_(begin|end)_(region|phase|comm_region|byname)|cali_(begin_string|begin_string_byname|end|safe_end_string)|"
                           r"_ZN4cali(8Function|15ScopeAnnotation)(C1EPKc|D1Ev)|kokkosp_\w+|__cyg_profile_func_(enter|exit)|GOMP_parallel\w*|ompt_start_tool")
        self.assertEqual([name for name in exported if not known.fullmatch(name)], [])
        self.assertGreater(len(exported), 30)
        dynamic = subprocess.run(["readelf", "-d", readers], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
        self.assertEqual([name for name in needed if not re.match(r"libc\.|libdl\.|libpthread\.|ld-linux", name)], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], group])
