#!/usr/bin/env python3
"""libroofmark-cupti.so in a program, on the fake driver and CUPTI: see README.md here."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, REAL = os.path.abspath(sys.argv[1]), sys.argv[2] if sys.argv[2] != "-" else None
FAKES = os.path.join(BUILD, "tests", "fake_gpu")
PLUGIN = os.path.join(BUILD, "lib", "libroofmark-cupti.so")
RUNTIME = os.path.join(BUILD, "lib", "libroofmark-runtime.so")
READERS = os.path.join(BUILD, "lib", "libroofmark-readers.so")
PROGRAM = os.path.join(BUILD, "tests", "gpu_program")
NVTX_PROGRAM = os.path.join(BUILD, "tests", "gpu_nvtx_program")
READER = os.path.join(BUILD, "tests", "cupti_read_results")
WAIT_S = 60  # for what other processes do: a limit, never a measure


class Run:
    """One run of the program under a plan; what it left."""

    def __init__(self, directory, arguments, plan, environment=(), data="", markers=True, killed_when=None, program=PROGRAM):
        self.directory = directory
        results = os.path.join(directory, "results")
        os.makedirs(results, exist_ok=True)
        os.makedirs(os.path.join(directory, "recording"), exist_ok=True)
        lines = ["roofmark-gpu-plan/1", f"results {results}"] + plan
        with open(os.path.join(directory, "plan"), "w") as file:
            file.write("\n".join(lines) + f"\nend {len(lines)}\n")
        with open(os.path.join(directory, "data.tsv"), "w") as file:
            file.write(data)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("FAKE_", "CUDA_", "ROOFMARK_"))}
        env.update(LD_LIBRARY_PATH=FAKES, ROOFMARK_CUPTI_LIBRARY=os.path.join(FAKES, "libfakecupti.so"),
                   CUDA_INJECTION64_PATH=PLUGIN, ROOFMARK_GPU_PLAN=os.path.join(directory, "plan"),
                   FAKE_GPU_DATA=os.path.join(directory, "data.tsv"), FAKE_GPU_CLOCK="virtual")
        if markers:
            env.update(LD_PRELOAD=RUNTIME, ROOFMARK_RECORDING=os.path.join(directory, "recording"))
        if REAL:
            env["FAKE_REAL_CUPTI"] = REAL
        env.update(environment)
        process = subprocess.Popen([program] + arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if killed_when is not None:
            end = time.monotonic() + WAIT_S
            while not killed_when(self.read(results)):
                if time.monotonic() > end or process.poll() is not None:
                    break
                time.sleep(0.02)
            process.kill()
        try:
            self.out, self.err = process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        self.status = process.returncode
        self.files = self.read(results)
        self.left = sorted(os.listdir(results))
        for name in self.left:
            if name.endswith(".jsonl"):
                read = subprocess.run([READER, os.path.join(results, name)], stdout=subprocess.PIPE, text=True)
                if read.stdout != "whole\n":
                    raise AssertionError(read.stdout)

    @staticmethod
    def read(results):
        files = []
        for name in sorted(os.listdir(results)):
            if name.endswith(".jsonl"):
                with open(os.path.join(results, name)) as file:
                    files.append([json.loads(line) for line in file])
        return files

    def rows(self, key, file=0):
        return [line for line in self.files[file][1:] if key in line]

    def path(self, number):
        return self.rows("names")[number]["names"]

    def by_path(self, key):
        return {(row[key], "/".join(self.path(row["path"]))): row for row in self.rows(key)}

    def problems(self):
        return [row["problem"] for row in self.rows("problem")]

    def end(self, file=0):
        return self.files[file][-1]


METRICS = {  # in each chip, and the HW set takes one pass except on GA100
    "sass": ["smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"],
    "hw": ["gpu__time_duration.sum", "sm__cycles_elapsed.max", "lts__t_bytes.sum", "l1tex__t_bytes.sum"],
}
DATA = """triad\ttime_ns\t151000
triad\tgpu__time_duration.sum\t151000
triad\tlts__t_bytes.sum\t402653184
triad\tsmsp__sass_thread_inst_executed_op_dfma_pred_on.sum\t16777216
triad\tsm__cycles_elapsed.max\t250000
dgemm\ttime_ns\t4500000
dgemm\tsmsp__sass_thread_inst_executed_op_dfma_pred_on.sum\t6.87e10
dgemm\tlts__t_bytes.sum\tnan
forever\ttime_ns\t-1
"""
ACTIVITY = ["kind activity"]


def counters(name="sass", chips=("GH100",), replay="user", metrics=None, ranges=1000):
    plan = ["kind counters", f"set {name}", f"replay {replay}", f"limit ranges {ranges}"]
    for chip in chips:
        plan += [f"chip {chip}"] + [f"metric {m}" for m in (metrics or METRICS[name])]
    return plan


class Plugin(unittest.TestCase):
    def run_it(self, arguments, plan=ACTIVITY, environment=(), **more):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        more.setdefault("data", DATA)
        return Run(directory.name, arguments, plan, dict(environment), **more)

    def quiet(self, run, status=0, out=""):
        """The program is as without us."""
        self.assertEqual((run.status, run.out, run.err), (status, out, ""))

    # ---- Times

    def test_kernels_are_below_the_regions_that_launched_them(self):
        run = self.run_it(["enter=solve", "device=0", "launch=triad*3", "enter=inner", "launch=dgemm*2@1", "leave", "sync", "leave",
                           "launch=triad", "print=done", "exit=7"])
        self.quiet(run, 7, "done\n")
        kernels = run.by_path("kernel")
        self.assertEqual(set(kernels), {("triad", "solve"), ("dgemm", "solve/inner"), ("triad", "")})
        self.assertEqual(kernels["triad", "solve"]["sum_ns"], 3 * 151000)
        self.assertEqual(kernels["dgemm", "solve/inner"]["max_ns"], 4500000)
        busy = {"/".join(run.path(row["busy"])): row["ns"] for row in run.rows("busy")}
        # Two streams that begin at the same moment: the longer one hides the other.
        self.assertEqual(busy, {"solve": 9000000, "solve/inner": 9000000, "": 9000000})
        hosts = {"/".join(run.path(row["host"])): row for row in run.rows("host")}
        self.assertEqual(hosts["solve"]["launches"], 3)
        self.assertEqual(hosts["solve"]["waits"], 1)
        self.assertEqual(hosts["solve/inner"]["launches"], 2)
        self.assertEqual(len(run.rows("launch")), 6)
        self.assertEqual(run.end()["end"], "exit")
        self.assertEqual(run.end()["launches_of_unknown_path"], 0)
        self.assertEqual(run.problems(), [])
        self.assertEqual(run.files[0][0]["markers"], 1)

    def test_times_are_the_hosts_monotonic_clock(self):
        before = time.monotonic_ns()
        run = self.run_it(["device=0", "launch=triad*2", "sync"], environment={"FAKE_GPU_CLOCK": "host"})
        after = time.monotonic_ns()
        header, (kernel,), launches = run.files[0][0], run.rows("kernel"), run.rows("launch")
        self.assertLessEqual(before, header["begin_ns"])
        self.assertLessEqual(header["begin_ns"], launches[0]["called_ns"])
        for launch in launches:
            self.assertLessEqual(launch["called_ns"], launch["start_ns"])
        self.assertLessEqual(kernel["last_ns"], after)

    def test_a_cupti_that_keeps_its_own_clock_is_moved_to_ours_and_told(self):
        before = time.monotonic_ns()
        run = self.run_it(["device=0", "launch=triad", "sync"], environment={"FAKE_CUPTI_FAIL": "cuptiActivityRegisterTimestampCallback=15"})
        (kernel,) = run.rows("kernel")
        second = 10**9  # what two readings of two clocks may lie apart, on any machine
        self.assertLess(abs(kernel["first_ns"] - before), 60 * second)
        self.assertEqual([p["name"] for p in run.problems()], ["own_clock"])

    def test_calls_through_the_runtime_have_its_numbers(self):
        run = self.run_it(["device=0", "enter=solve", "launch=triad*5", "graph=triad*2", "leave"], environment={"FAKE_CUDA_RUNTIME": "1"})
        self.assertEqual(run.by_path("kernel")["triad", "solve"]["launches"], 7)
        self.assertEqual(run.end()["launches_of_unknown_path"], 0)
        self.assertEqual(run.rows("host")[0]["launches"], 6)

    def test_threads_graphs_copies_and_failed_launches(self):
        run = self.run_it(["device=0", "enter=solve", "thread=triad*2", "graph=triad*4", "launch=fails", "copy=HtoD:1600", "copy=DtoH:160",
                           "copy=DtoD:16", "copy=set:32", "copy=set:32", "leave"])
        kernels = run.by_path("kernel")
        self.assertEqual(kernels["triad", "solve/worker"]["launches"], 2)
        self.assertEqual(kernels["triad", "solve"]["launches"], 4)
        self.assertEqual(kernels["triad", "solve"]["graph_launches"], 4)
        self.assertNotIn(("fails", "solve"), kernels)
        copies = {row["copy"]: (row["count"], row["bytes"], row["ns"]) for row in run.rows("copy")}
        self.assertEqual(copies, {"HtoD": (1, 1600, 100), "DtoH": (1, 160, 10), "DtoD": (1, 16, 1), "set": (2, 64, 4)})
        host = {"/".join(run.path(row["host"])): row for row in run.rows("host")}
        # One launch of the graph: what it was made of, and what failed, is none.
        self.assertEqual(host["solve"]["launches"], 1)
        self.assertEqual(host["solve"]["waits"], 2)

    def test_several_devices_and_contexts(self):
        run = self.run_it(["device=0", "launch=triad", "device=1", "launch=triad*2", "copy=PtoP:1600"],
                          environment={"FAKE_GPU_CHIPS": "GH100,GA100,GB20B"})
        devices = run.rows("uuid")
        self.assertEqual([d["chip"] for d in devices], ["GH100", "GA100"])
        self.assertEqual([d["uuid"] for d in devices], ["GPU-fa000000-0000-0000-0000-00000000000" + n for n in "12"])
        self.assertEqual({(k["device"], k["launches"]) for k in run.rows("kernel")}, {(0, 1), (1, 2)})
        (copy,) = run.rows("copy")
        self.assertEqual((copy["device"], copy["peer"]), (1, 0))

    def test_a_mig_instance_is_named_one(self):
        run = self.run_it(["device=0", "launch=triad"], environment={"FAKE_GPU_MIG": "1"})
        (device,) = run.rows("uuid")
        self.assertEqual((device["mig"], device["uuid"][:4]), (1, "MIG-"))

    def test_without_markers_kernels_have_the_empty_path(self):
        run = self.run_it(["enter=solve", "device=0", "launch=triad", "leave"], markers=False)
        self.assertEqual(set(run.by_path("kernel")), {("triad", "")})
        self.assertEqual(run.files[0][0]["markers"], 0)

    @unittest.skipUnless(os.path.exists(NVTX_PROGRAM) and os.path.exists(READERS), "no NVTX header, or its reader is not built")
    def test_ranges_of_nvtx_are_regions_that_launch(self):
        environment = {"NVTX_INJECTION64_PATH": READERS, "LD_PRELOAD": READERS + ":" + RUNTIME}
        for plan, key in ((ACTIVITY, "kernel"), (counters(), "range")):
            with self.subTest(key):
                run = self.run_it([], plan, environment, program=NVTX_PROGRAM)
                self.quiet(run)
                self.assertEqual(set(run.by_path(key)), {("before", ""), ("triad", "step"), ("triad", "step/inside"), ("dgemm", "step/library:solve")})

    def test_a_hundred_thousand_kernels_are_summed_in_bounded_memory(self):
        many, limit = 100000, 200
        run = self.run_it(["device=0", f"launch=triad*{many}", f"distinct=k%{many // 10}"],
                          ACTIVITY + [f"limit kernels {limit}", "limit launches 50"])
        self.quiet(run)
        kernels = run.by_path("kernel")
        self.assertEqual(kernels["triad", ""]["launches"], many)
        self.assertEqual(kernels["triad", ""]["sum_ns"], many * 151000)
        self.assertEqual(sum(k["launches"] for k in kernels.values()), many + many // 10)
        self.assertEqual(kernels["(other kernels)", ""]["launches"], many // 10 - limit + 1)
        self.assertEqual(len(run.rows("launch")), 50)
        self.assertEqual(run.end()["launches_left_out"], many + many // 10 - 50)
        self.assertEqual([row["ns"] for row in run.rows("busy")], [many * 151000 + many // 10 * 1000])

    def test_dropped_records_are_told(self):
        run = self.run_it(["device=0", "launch=triad"], environment={"FAKE_CUPTI_DROPPED": "17"})
        self.assertEqual(run.end()["records_dropped"], 17)

    # ---- Ends

    def test_a_kernel_that_never_ends_is_told_at_exit(self):
        run = self.run_it(["device=0", "launch=triad*2", "launch=forever", "exit=0"])
        self.quiet(run)
        self.assertEqual(run.rows("kernel")[0]["launches"], 2)
        self.assertEqual(run.end()["launches_unfinished"], 1)

    def test_a_killed_program_keeps_what_it_had(self):
        seen = lambda files: files and any("kernel" in line for line in files[0])
        run = self.run_it(["device=0", "enter=solve", "launch=triad*3", "print=launched", "sleep=600000"], killed_when=seen)
        self.assertEqual(run.status, -signal.SIGKILL)
        self.assertEqual(run.by_path("kernel")["triad", "solve"]["launches"], 3)
        self.assertEqual(run.end()["end"], "snapshot")

    def test_killed_while_a_kernel_never_ends_keeps_the_calls(self):
        seen = lambda files: files and any("host" in line for line in files[0][1:])
        run = self.run_it(["device=0", "launch=triad*3", "launch=forever", "sync"], killed_when=seen, environment={"FAKE_GPU_CLOCK": "host"})
        self.assertEqual(run.status, -signal.SIGKILL)
        # CUPTI keeps a buffer in which something still runs: no kernel is there, all launches are.
        self.assertEqual(run.rows("host")[0]["launches"], 4)
        self.assertEqual(run.end()["end"], "snapshot")

    def test_exit_paths(self):
        for how, ends in (("exit=5", "exit"), ("quick_exit=5", "exit"), ("_exit=5", "snapshot")):
            with self.subTest(how):
                run = self.run_it(["device=0", "launch=triad", how])
                self.quiet(run, 5)
                self.assertEqual(run.end()["end"], ends)
                if ends == "exit":
                    self.assertEqual(run.rows("kernel")[0]["launches"], 1)
                self.assertFalse([name for name in run.left if name.endswith(".new")])
        run = self.run_it(["device=0", "launch=triad", "destroy"])
        self.quiet(run)
        self.assertEqual(run.rows("kernel")[0]["launches"], 1)

    def test_a_process_that_forks_after_the_driver_began(self):
        for plan in (ACTIVITY, counters()):
            for how in ("exit", "_exit"):
                with self.subTest((plan[0], how)):
                    run = self.run_it(["device=0", "launch=triad*2", f"fork={how}", "launch=triad", "exit=1"], plan)
                    # The child's launches are refused by the driver, as without us; it says so.
                    self.quiet(run, 1, "cuLaunchKernel: error 3\n" * 2 + "child 3\n")
                    self.assertEqual(len(run.files), 1)
                    (row,) = run.rows("kernel" if plan is ACTIVITY else "range")
                    self.assertEqual(row["launches"], 3)

    def test_exec_after_fork_is_a_process_of_its_own(self):
        run = self.run_it(["device=0", "launch=triad*2", "fork=exec", "exit=1"])
        self.assertEqual((run.status, run.err), (1, ""))
        self.assertEqual(len(run.files), 2)
        launches = {row["kernel"]: row["launches"] for file in (0, 1) for row in run.rows("kernel", file)}
        self.assertEqual(launches, {"triad": 2, "after_exec": 2})

    def test_launches_of_destructors_and_exit_handlers_belong_to_their_regions(self):
        # Freed memory is overwritten: whoever still looks there dies.
        for plan, key in ((ACTIVITY, "kernel"), (counters(), "range")):
            with self.subTest(key):
                run = self.run_it(["device=0", "enter=solve", "launch=triad*2", "leave", "at_end=dgemm*3", "exit=6"], plan,
                                  {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"})
                self.quiet(run, 6)
                rows = run.by_path(key)
                self.assertEqual({k: rows[k]["launches"] for k in rows}, {("triad", "solve"): 2, ("dgemm", "at_end"): 3})
                self.assertEqual(run.end()["end"], "exit")

    def test_a_disk_that_hangs_does_not_hold_the_programs_end(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        results = os.path.join(directory.name, "results")
        # More than a pipe holds.
        run = Run(directory.name, ["device=0", "launch=triad*5000", f"hang_results={results}", "exit=4"], ACTIVITY, data=DATA)
        self.quiet(run, 4)
        self.assertEqual(run.end()["end"], "snapshot")

    def test_memory_that_ran_out_is_told_and_what_is_known_is_kept(self):
        for plan, key in ((ACTIVITY, "kernel"), (counters(ranges=2), "range")):
            with self.subTest(key):
                run = self.run_it(["device=0", "launch=triad*2", "launch=triad", "sleep=1", "starve"] + ["distinct=another_kernel_of_a_rather_long_name%3000", "thread=triad"] +
                                  ["feed", "launch=dgemm", "thread=triad", "exit=5"], plan,
                                  {"LD_PRELOAD": os.path.join(FAKES, "libfake_no_memory.so") + ":" + RUNTIME})
                self.quiet(run, 5)
                self.assertEqual([p["name"] for p in run.problems()], ["internal"])
                self.assertEqual(run.end()["end"], "snapshot")
                rows = {row[key]: row["launches"] for row in run.rows(key)}
                if key == "range":
                    self.assertEqual(rows, {"triad": 2})
                else:
                    self.assertGreaterEqual(run.rows("host")[0]["launches"], 3)

    # ---- Counters

    def test_kernel_counts_of_several_chips(self):
        for chip in ("GH100", "GA100", "GB100", "GB20B"):
            with self.subTest(chip):
                run = self.run_it(["device=0", "enter=solve", "launch=triad*3", "enter=inner", "launch=dgemm", "leave", "leave"],
                                  counters("sass", ("GA100", "GB100", "GB20B", "GH100")), {"FAKE_GPU_CHIPS": chip})
                self.quiet(run)
                self.assertEqual(run.problems(), [])
                self.assertEqual(run.rows("uuid")[0]["chip"], chip)
                ranges = run.by_path("range")
                name = METRICS["sass"][0]
                self.assertEqual(set(ranges), {("triad", "solve"), ("dgemm", "solve/inner")})
                self.assertEqual(ranges["triad", "solve"]["launches"], 3)
                self.assertEqual(ranges["triad", "solve"]["metrics"][name], 3 * 16777216)
                self.assertEqual(ranges["dgemm", "solve/inner"]["metrics"][name], 6.87e10)
                self.assertEqual(run.files[0][0]["set"], "sass")

    def test_a_value_that_is_not_there_is_no_zero(self):
        run = self.run_it(["device=0", "launch=dgemm*2", "launch=triad"], counters("hw"))
        ranges = {row["range"]: row for row in run.rows("range")}
        self.assertEqual(ranges["dgemm"]["lacking"], ["lts__t_bytes.sum"])
        self.assertNotIn("lts__t_bytes.sum", ranges["dgemm"]["metrics"])
        self.assertEqual(ranges["triad"]["metrics"]["lts__t_bytes.sum"], 402653184)
        self.assertEqual(ranges["triad"]["metrics"]["sm__cycles_elapsed.max"], 250000)

    def test_more_launches_than_ranges_are_counted_in_stretches(self):
        run = self.run_it(["device=0", "launch=triad*2500", "launch=dgemm*3"], counters(ranges=1000))
        ranges = {row["range"]: row["launches"] for row in run.rows("range")}
        self.assertEqual(ranges, {"triad": 2500, "dgemm": 3})
        self.assertEqual(run.end()["ranges_dropped"], 0)
        self.assertEqual(run.problems(), [])

    def test_graphs_are_left_out_with_the_reason_and_move_nothing(self):
        run = self.run_it(["device=0", "launch=triad*2", "graph=dgemm*3", "launch=dgemm", "graph=dgemm", "launch=fails", "launch=triad"], counters())
        ranges = {row["range"]: row["launches"] for row in run.rows("range")}
        self.assertEqual(ranges, {"triad": 3, "dgemm": 1})
        (problem,) = run.problems()
        self.assertEqual((problem["name"], problem["count"]), ("graph_launch", 2))

    def test_launching_threads_are_told_apart(self):
        run = self.run_it(["device=0", "enter=solve"] + ["thread=triad*50", "launch=dgemm*2"] * 3 + ["leave"], counters())
        ranges = run.by_path("range")
        self.assertEqual(ranges["triad", "solve/worker"]["launches"], 150)
        self.assertEqual(ranges["dgemm", "solve"]["launches"], 6)

    def test_several_devices_are_counted_each(self):
        run = self.run_it(["device=0", "launch=triad", "device=1", "launch=triad*2", "device=0", "launch=dgemm", "destroy"],
                          counters(chips=("GB100", "GH100")), {"FAKE_GPU_CHIPS": "GH100,GB100"})
        ranges = {(row["range"], row["device"]): row["launches"] for row in run.rows("range")}
        self.assertEqual(ranges, {("triad", 0): 1, ("triad", 1): 2, ("dgemm", 0): 1})

    def test_a_stretch_that_cupti_counted_otherwise_is_left_out(self):
        run = self.run_it(["device=0", "launch=triad*5", "launch=dgemm"], counters(), {"FAKE_CUPTI_LOSES": "1"})
        self.quiet(run)
        self.assertEqual(run.rows("range"), [])
        self.assertEqual([p["name"] for p in run.problems()], ["launches_differ"])

    def test_a_set_of_several_passes_needs_replay(self):
        if not REAL:
            self.skipTest("the number of passes comes from the real libcupti")
        sets = METRICS["hw"] + METRICS["sass"]
        run = self.run_it(["device=0", "launch=triad*2"], counters("both", metrics=sets))
        self.quiet(run)
        self.assertEqual(run.rows("range"), [])
        (problem,) = run.problems()
        self.assertEqual((problem["name"], problem["fix"]), ("needs_passes", "--replay kernel"))
        run = self.run_it(["device=0", "launch=triad*2"], counters("both", metrics=sets, replay="kernel"))
        self.assertEqual(run.problems(), [])
        self.assertEqual(run.rows("range")[0]["launches"], 2)

    def test_metrics_that_the_chip_has_not_spoil_no_others(self):
        run = self.run_it(["device=0", "launch=triad"], counters("hw", metrics=["nonsense", "lts__t_bytes.sum", "more_nonsense"]))
        (problem,) = run.problems()
        self.assertEqual(problem["name"], "metric_unknown")
        self.assertIn("nonsense, more_nonsense", problem["reason"])
        self.assertEqual(run.rows("range")[0]["metrics"], {"lts__t_bytes.sum": 402653184})
        run = self.run_it(["device=0", "launch=triad"], counters(chips=("GA100",)))
        self.assertEqual([p["name"] for p in run.problems()], ["chip_not_planned"])
        self.assertIn("GH100", run.problems()[0]["reason"])

    def test_mps_is_named(self):
        run = self.run_it(["device=0", "launch=triad"], counters(), {"FAKE_GPU_MPS": "1"})
        self.quiet(run)
        self.assertEqual([p["name"] for p in run.problems()], ["mps"])

    def test_a_thread_that_waits_for_ever_does_not_hold_the_programs_end(self):
        run = self.run_it(["device=0", "launch=triad*2", "background=forever", "sleep=100", "exit=4"], counters(), {"FAKE_GPU_CLOCK": "host"})
        self.quiet(run, 4)
        self.assertEqual(run.end()["end"], "exit")

    # ---- What fails

    CODES = (1, 7, 10, 12, 15, 26, 27, 33, 35, 38, 39, 40, 41, 42, 43, 44, 45, 46, 999)

    def test_each_error_has_its_sentence_and_the_program_runs(self):
        sentences = set()
        for code in self.CODES:
            with self.subTest(code):
                run = self.run_it(["device=0", "launch=triad", "print=done", "exit=3"], counters(),
                                  {"FAKE_CUPTI_FAIL": f"cuptiProfilerGetCounterAvailability={code}"})
                self.quiet(run, 3, "done\n")
                self.assertEqual(run.rows("range"), [])
                (problem,) = run.problems()
                self.assertEqual((problem["call"], problem["code"]), ("cuptiProfilerGetCounterAvailability", code))
                self.assertRegex(problem["name"], "^CUPTI_ERROR_")
                self.assertEqual(problem["device"], 0)
                sentences.add(problem["reason"])
        self.assertEqual(len(sentences), len(self.CODES))

    def test_any_call_may_fail_in_a_run_for_counters(self):
        calls = ["cuptiSubscribe", "cuptiEnableCallback", "cuptiGetDeviceId", "cuptiProfilerInitialize", "cuptiProfilerDeviceSupported",
                 "cuptiDeviceGetChipName", "cuptiProfilerHostInitialize", "cuptiProfilerHostGetMetricProperties", "cuptiProfilerHostConfigAddMetrics",
                 "cuptiProfilerHostGetConfigImageSize", "cuptiProfilerHostGetConfigImage", "cuptiProfilerHostGetNumOfPasses", "cuptiRangeProfilerEnable",
                 "cuptiRangeProfilerGetCounterDataSize", "cuptiRangeProfilerCounterDataImageInitialize", "cuptiRangeProfilerSetConfig",
                 "cuptiRangeProfilerStart", "cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData", "cuptiRangeProfilerGetCounterDataInfo",
                 "cuptiProfilerHostEvaluateToGpuValues"]
        for call in calls:
            with self.subTest(call):
                run = self.run_it(["device=0", "launch=triad*3", "print=done"], counters(), {"FAKE_CUPTI_FAIL": f"{call}=999"})
                self.quiet(run, 0, "done\n")
                self.assertEqual(run.rows("range"), [])
                self.assertEqual([(p["call"], p["code"]) for p in run.problems()], [(call, 999)])
                self.assertEqual(run.end()["end"], "exit")

    def test_a_later_stretch_may_fail_and_the_earlier_ones_stay(self):
        for call in ("cuptiRangeProfilerStart@2", "cuptiRangeProfilerStop@2", "cuptiRangeProfilerSetConfig@2"):
            with self.subTest(call):
                run = self.run_it(["device=0", "launch=triad*25"], counters(ranges=10), {"FAKE_CUPTI_FAIL": f"{call}=26"})
                self.quiet(run)
                self.assertEqual([row["launches"] for row in run.rows("range")], [10])
                self.assertEqual([p["code"] for p in run.problems()], [26])

    def test_a_set_config_that_does_not_like_kernel_replay_is_asked_for_user_replay(self):
        run = self.run_it(["device=0", "launch=triad*3"], counters(), {"FAKE_CUPTI_FAIL": "cuptiRangeProfilerSetConfig@1=7"})
        self.assertEqual(run.problems(), [])
        self.assertEqual(run.rows("range")[0]["launches"], 3)

    def test_what_a_device_is_not_supported_for(self):
        for lacks, code in (("vgpu", 33), ("vgpu-disabled", 40), ("cc", 41), ("cmp", 42), ("wsl", 45), ("sli", 44), ("arch", 27)):
            with self.subTest(lacks):
                run = self.run_it(["device=0", "launch=triad"], counters(), {"FAKE_CUPTI_UNSUPPORTED": lacks})
                self.quiet(run)
                self.assertEqual([p["code"] for p in run.problems()], [code])

    def test_any_call_may_fail_in_a_run_for_times(self):
        for call, code, kernels in (("cuptiSubscribe", 39, 0), ("cuptiActivityRegisterCallbacks", 15, 0), ("cuptiActivityEnable@1", 27, 0),
                                    ("cuptiActivityEnable@2", 27, 1), ("cuptiDeviceGetChipName", 46, 1)):
            with self.subTest(call):
                run = self.run_it(["device=0", "launch=triad*3", "copy=HtoD:16", "exit=2"], environment={"FAKE_CUPTI_FAIL": f"{call}={code}"})
                self.quiet(run, 2)
                self.assertEqual(len(run.rows("kernel")), kernels)
                self.assertEqual([p["code"] for p in run.problems()], [code])
        run = self.run_it(["device=0", "launch=triad*3"], environment={"FAKE_CUPTI_FAIL": "cuptiActivityFlushAll=999"})
        self.quiet(run)
        self.assertEqual([p["call"] for p in run.problems()], ["cuptiActivityFlushAll"])

    def test_cupti_is_missing_or_another(self):
        missing = {"ROOFMARK_CUPTI_LIBRARY": "/nonexistent/libcupti.so"}
        other = {"FAKE_CUPTI_VERSION": "28"}
        empty = {"ROOFMARK_CUPTI_LIBRARY": os.path.join(FAKES, "libcuda.so.1")}
        for plan in (ACTIVITY, counters()):
            for environment, name in ((missing, "no_cupti"), (other, "cupti_other_major"), (empty, "cupti_too_old")):
                with self.subTest((plan[0], name)):
                    run = self.run_it(["device=0", "launch=triad", "print=done", "exit=3"], plan, environment)
                    self.quiet(run, 3, "done\n")
                    (problem,) = run.problems()
                    self.assertEqual(problem["name"], name)
                    self.assertIn(environment.get("ROOFMARK_CUPTI_LIBRARY", "libfakecupti.so"), problem["reason"])
                    self.assertEqual(run.end()["end"], "exit")

    def test_no_device_and_no_kernels(self):
        run = self.run_it(["device=0"], environment={"FAKE_GPU_CHIPS": ""})
        self.assertEqual(run.err, "")
        self.assertIn("cuInit: error 100", run.out)
        self.assertEqual(run.rows("kernel"), [])
        run = self.run_it(["print=no GPU used"])
        self.quiet(run, 0, "no GPU used\n")
        self.assertEqual(run.files, [])  # the driver was never initialised

    def test_without_a_plan_or_with_a_spoilt_one_nothing_happens(self):
        for file in ("", "/nonexistent", "/dev/null", PROGRAM):
            with self.subTest(file):
                run = self.run_it(["device=0", "launch=triad", "print=done"], environment={"ROOFMARK_GPU_PLAN": file})
                self.quiet(run, 0, "done\n")
                self.assertEqual(run.files, [])

    def test_a_directory_that_cannot_be_written_harms_nothing(self):
        run = self.run_it(["device=0", "launch=triad", "print=done"], ["kind activity"])
        with open(os.path.join(run.directory, "plan"), "w") as file:
            file.write("roofmark-gpu-plan/1\nkind activity\nresults /nonexistent/directory\nend 3\n")
        again = subprocess.run([PROGRAM, "device=0", "launch=triad", "print=done"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=WAIT_S,
                               env=dict(os.environ, LD_LIBRARY_PATH=FAKES, CUDA_INJECTION64_PATH=PLUGIN,
                                        ROOFMARK_CUPTI_LIBRARY=os.path.join(FAKES, "libfakecupti.so"),
                                        ROOFMARK_GPU_PLAN=os.path.join(run.directory, "plan")))
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "done\n", ""))

    # ---- The library itself

    def test_it_needs_no_library_of_cuda_and_shows_one_symbol(self):
        needed = subprocess.run(["readelf", "-d", PLUGIN], stdout=subprocess.PIPE, text=True, check=True).stdout
        libraries = set(re.findall(r"\(NEEDED\).*\[(.*?)\]", needed))
        self.assertTrue(libraries)
        for library in libraries:
            self.assertRegex(library, r"^(libc|libm|libdl|libpthread|libgcc_s|ld-linux[-a-z0-9_]*)\.so\.\d+$")
        symbols = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual([line.split()[-1] for line in symbols.splitlines()], ["InitializeInjection"])
        wanted = subprocess.run(["nm", "-D", "--undefined-only", PLUGIN], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIsNone(re.search(r"\b(cu[A-Z]|cuda|cupti|NVPW)", wanted))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
