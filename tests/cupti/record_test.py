#!/usr/bin/env python3
"""usage: record_test.py BUILD SOURCE [CUPTI]: `roofmark record` of a program whose GPU, driver and CUPTI are stand-ins (README.md); CUPTI: NVIDIA's, whose host half
then plans the metrics of the stand-in, as it does with a GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

build, source = map(pathlib.Path, sys.argv[1:3])
real = sys.argv[3] if len(sys.argv) > 3 and sys.argv[3] != "-" else None
sys.path.insert(0, str(source / "tests" / "support"))
from schema import Schema, Validator, missing, parse  # noqa: E402

roofmark, program = build / "bin" / "roofmark", build / "tests" / "gpu_program"
fakes = build / "tests" / "fake_gpu"
plug_in = build / "lib" / "libroofmark-cupti.so"
for needed in (roofmark, program, plug_in, fakes / "libfakecupti.so"):
    if not needed.exists():
        print(f"skipped: {needed} was not built (CUPTI's headers are needed)")
        sys.exit(77)

failures = []
SASS = "smsp__sass_thread_inst_executed_op_"
# Of one launch: 2 * 1000 + 10 FLOPs in f64, 300 + 20 in f32 of adds, bytes by the names of both kinds of chips.
DATA = ["time_ns 1000000", f"{SASS}dfma_pred_on.sum 1000", f"{SASS}dadd_pred_on.sum 10", f"{SASS}fadd_pred_on.sum 320",
        "dram__bytes_read.sum 4096", "dram__bytes_write.sum 1024", "dram__bytes_op_read.sum 4096", "dram__bytes_op_write.sum 1024",
        "lts__t_bytes.sum 8192", "sm__cycles_elapsed.avg.per_second 1500000000", "dram__cycles_elapsed.avg.per_second 2500000000"]


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    runs = 0

    def record(chip, *arguments, options=(), data=DATA, program=program, **variables):
        """The profile, and what was said."""
        global runs
        runs += 1
        table = folder / f"data-{runs}.tsv"
        table.write_text("".join("triad\t" + "\t".join(line.split(" ")) + "\n" for line in data))
        output = folder / f"{runs}.json"
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80", "HOME": str(folder), "TMPDIR": str(folder),
                       "ROOFMARK_MACHINE_FILE": str(source / "tests" / "examples" / "small_caches.machine.json"),
                       "LD_LIBRARY_PATH": str(fakes), "ROOFMARK_CUPTI_LIBRARY": str(fakes / "libfakecupti.so"),
                       "FAKE_REAL_CUPTI": real, "FAKE_GPU_CHIPS": chip, "FAKE_GPU_DATA": str(table), "FAKE_GPU_CLOCK": "virtual"}
        environment.update(variables)
        environment = {name: value for name, value in environment.items() if value is not None}
        # Hardware counters are not what is asked here, and no emulation takes their place.
        done = subprocess.run([roofmark, "record", "--counters", "perf", "-o", output, *options, "--", program, *arguments],
                              capture_output=True, env=environment, cwd=folder, timeout=300)
        if output.is_dir():  # of a rank, in a folder for all
            output, = output.iterdir()
        profile = parse(output.read_text(encoding="utf-8")) if output.exists() else None
        return profile, done

    def kernels(profile):
        return {"/".join(region["path"]): region for region in profile["regions"] if "kernel" in region}

    PROGRAM = ("device=0", "enter=solve", "launch=triad*10", "leave", "copy=HtoD:1600", "sync", "print=done", "exit=3")
    for chip in ("GH100", "GA100", "GB100", "GB20B"):
        profile, done = record(chip, *PROGRAM)
        expect(done.returncode == 3 and done.stdout == b"done\n", f"{chip}: {done.returncode} {done.stdout} {done.stderr}")
        found = kernels(profile)
        expect(list(found) == ["solve/triad"], f"{chip}: {list(found)}")
        if "solve/triad" not in found:
            print(done.stderr.decode(), profile["notes"])
            continue
        triad = found["solve/triad"]
        expect(triad["visits"] == 10, f"{chip}: {triad['visits']} launches")
        expect(abs(triad["wall_s"]["value"] - 0.01) < 1e-9, f"{chip}: {triad['wall_s']}")
        expect(triad["flop"]["f64"]["value"] == 20100, f"{chip}: {triad['flop']}")
        expect(triad["flop"]["f32"]["value"] == 3200, f"{chip}: {triad['flop']}")
        expect(triad["flop"]["f64"]["scope"] == "device", f"{chip}: {triad['flop']}")
        expect("tensor" not in triad, f"{chip}: the probe saw no tensor work, and there is none")
        if chip != "GB20B":
            expect(triad["bytes"]["HBM"]["read"]["value"] == 40960 and triad["bytes"]["HBM"]["write"]["value"] == 10240, f"{chip}: {triad['bytes']}")
        else:
            hbm = triad["bytes"].get("HBM", {})
            expect("read" not in hbm and all(one["source"] == "estimated" for one in hbm.values()), f"{chip}: no counter of memory there: {hbm}")
        locus = triad["rooflines"][0]["locus"]
        expect(locus == "gpu:" + triad["kernel"]["device"], f"{chip}: {locus}")
        gpu = profile["machine"]["gpus"][0]
        expect(gpu["uuid"] == triad["kernel"]["device"] and gpu["chip"] == chip, f"{chip}: {gpu}")
        expect(not triad["flags"], f"{chip}: {triad['flags']}")
        whole = next(region for region in profile["regions"] if not region["path"])
        copies = whole["gpu"][0]["copies"]["HtoD"]
        expect((copies["count"], copies["bytes"]) == (1, 1600) and abs(copies["time_s"] - 1e-7) < 1e-12, f"{chip}: {copies}")
        expect(whole["gpu"][0]["flop"]["f64"]["value"] == 20100 and not whole["flop"], f"{chip}: the host's FLOPs are not the GPU's")
        solve = next(region for region in profile["regions"] if region["path"] == ["solve"])
        expect([line["locus"] for line in solve["rooflines"]] == ["cpu", locus], f"{chip}: {solve['rooflines']}")
        purposes = [entry["note"] for entry in profile["passes"] if entry["purpose"] == "gpu"]
        expect(purposes[0] == "times of kernels" and any("sass" in note for note in purposes) and any("hw" in note for note in purposes),
               f"{chip}: {purposes}")
        expect(not any("tensor" in note for note in purposes), f"{chip}: {purposes}")
        if Validator is not None:
            errors = Schema(source / "docs" / "profile.schema.json").errors(profile)
            expect(not errors, f"{chip}: schema: {errors}")
        for output in ("text", "json", "csv", "html", "svg", "markdown", "openmetrics", "hatchet"):
            shown = subprocess.run([roofmark, "report", "--format", output, folder / f"{runs}.json"], capture_output=True, timeout=60,
                                   env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
            expect(shown.returncode == 0 and b"triad" in shown.stdout or output == "svg", f"{chip} {output}: {shown.stderr}")
            if output == "text":
                text = shown.stdout.decode()
                expect(all(len(line) <= 80 for line in text.splitlines()), f"{chip}: a line is too long\n{text}")
                expect("> triad" in text and "\nGPU\n" in text, f"{chip}: {text}")
            if output == "html":
                expect(b'id="gpu"' in shown.stdout and b"solve/triad" in shown.stdout, f"{chip}: the page has its kernels")
    if Validator is None:
        print("not held to the schema:", missing)

    tensor = DATA + ["sm__inst_executed_pipe_tensor.sum 7", "sm__ops_path_tensor_src_bf16_dst_fp32.sum 123456"]
    profile, done = record("GH100", *PROGRAM, data=tensor)
    triad = kernels(profile)["solve/triad"]
    expect(triad.get("tensor", {}).get("bf16", {}).get("value") == 1234560, f"tensor: {triad.get('tensor')} {triad['missing']}")
    expect("bf16" not in triad["flop"] and triad["flop"]["f64"]["value"] == 20100, "tensor operations are no FLOPs of the vector units")

    # What fails is said once, and the program runs all the same.
    for name, variables, words in (
            ("not allowed", {"FAKE_CUPTI_FAIL": "cuptiProfilerGetCounterAvailability=35"}, "administrators"),
            ("busy", {"FAKE_CUPTI_FAIL": "cuptiProfilerGetCounterAvailability=26"}, ""),
            ("no CUPTI", {"ROOFMARK_CUPTI_LIBRARY": "/nowhere/libcupti.so"}, "")):
        profile, done = record("GH100", *PROGRAM, **variables)
        expect(done.returncode == 3 and done.stdout == b"done\n", f"{name}: {done.returncode} {done.stdout}")
        notes = [note for note in profile["notes"] if note.startswith("GPU: ")]
        expect(len(notes) >= 1 and len(notes) == len(set(notes)), f"{name}: {notes}")
        found = kernels(profile)
        if "ROOFMARK_CUPTI_LIBRARY" not in variables:
            triad = found["solve/triad"]
            expect(abs(triad["wall_s"]["value"] - 0.01) < 1e-9 and not triad["flop"], f"{name}: timed, not counted")
            reasons = [entry["reason"] for entry in triad["missing"] if entry["quantity"] == "flop"]
            expect(len(reasons) == 1, f"{name}: {triad['missing']}")
            expect(triad["rooflines"][0]["verdict"] == "undetermined", f"{name}: {triad['rooflines'][0]}")

    # Without a driver, and where it is not wanted, nothing changes and nothing is said.
    for name, options, variables in (("off", ("--gpu", "off"), {}), ("no driver", (), {"ROOFMARK_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})):
        profile, done = record("GH100", *PROGRAM, options=options, **variables)
        expect(done.returncode == 3 and not kernels(profile) and "gpus" not in profile["machine"], name)
        expect(not any("GPU" in note for note in profile["notes"]) and b"GPU" not in done.stderr, f"{name}: {done.stderr}")
    # A program that has nothing to do with CUDA is not run again.
    output = folder / "true.json"
    done = subprocess.run([roofmark, "record", "--counters", "perf", "--no-machine", "-o", output, "--", "/bin/true"], capture_output=True,
                          env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(fakes), "HOME": str(folder)}, timeout=60)
    expect(not any(entry["purpose"] == "gpu" for entry in json.loads(output.read_text())["passes"]), "/bin/true uses no GPU")
    # Only one run: kernels are timed in it.
    profile, done = record("GH100", *PROGRAM, options=("--once",))
    triad = kernels(profile).get("solve/triad")
    expect(triad is not None and triad["visits"] == 10 and not triad["flop"], f"--once: {profile['notes']}")
    expect(not any(entry["purpose"] == "gpu" for entry in profile["passes"]), "--once: no further run")
    # Ranges of NVTX, by NVIDIA's own header, are the regions that launch; without a GPU they are regions all the same.
    nvtx = build / "tests" / "gpu_nvtx_program"
    if nvtx.exists():
        regions = {(), ("step",), ("step", "inside"), ("step", "library:solve")}
        for name, variables in (("NVTX", {}), ("NVTX without a GPU", {"ROOFMARK_CUDA_LIBRARY": "/nowhere/libcuda.so.1"})):
            profile, done = record("GH100", program=nvtx, **variables)
            expect(done.returncode == 0, f"{name}: {done.returncode} {done.stderr}")
            host = {tuple(region["path"]) for region in profile["regions"] if "kernel" not in region}
            expect(host == regions, f"{name}: {host}")
            expected = set() if variables else {"before", "step/triad", "step/inside/triad", "step/library:solve/dgemm"}
            expect(set(kernels(profile)) == expected, f"{name}: {list(kernels(profile))}")
    else:
        print("not tested: NVTX by its own header, which is not here")

    # Ranks of a job, of which two have one GPU: each device's kernels are added up, and devices stay apart.
    for rank in range(3):
        profile, done = record("GH100,GH100", f"device={rank % 2}", *PROGRAM[1:], FAKE_GPU_CLOCK="virtual", OMPI_COMM_WORLD_RANK=str(rank),
                               OMPI_COMM_WORLD_SIZE="3", OMPI_COMM_WORLD_LOCAL_RANK=str(rank), OMPI_COMM_WORLD_LOCAL_SIZE="3")
        expect(profile is not None and kernels(profile)["solve/triad"]["visits"] == 10, f"rank {rank}: {done.stderr}")
    merged = subprocess.run([roofmark, "merge", "-o", folder / "job.json", *(folder / f"{runs - rank}.json" for rank in (2, 1, 0))],
                            capture_output=True, timeout=60)
    expect(merged.returncode == 0, f"merge: {merged.stderr}")
    job = parse((folder / "job.json").read_text(encoding="utf-8"))
    found = kernels(job)
    expect(sorted(region["visits"] for region in found.values()) == [10, 20] and list(found)[0] == "solve/triad [GPU 0]", f"merge: {list(found)}")
    solve = next(region for region in job["regions"] if region["path"] == ["solve"])
    both, own = sorted(solve["gpu"], key=lambda share: -share["launches"])
    expect(abs(both["busy_s"]["high"] - 0.02) < 1e-9 and abs(both["busy_s"]["low"] - 0.01) < 1e-9 and "idle_s" not in both, f"merge: {both}")
    expect(abs(own["busy_s"]["value"] - 0.01) < 1e-9 and "idle_s" in own and own["calls"]["launches"] == 10, f"merge: {own}")
    expect(solve["gpu_calls"]["launches"] == 30, f"merge: {solve['gpu_calls']}")
    expect(len(job["machine"]["gpus"]) == 2 and any("2 ranks used" in note for note in job["notes"]), f"merge: {job['notes']}")
    if Validator is not None:
        errors = Schema(source / "docs" / "profile.schema.json").errors(job)
        expect(not errors, f"merge: schema: {errors}")

sys.exit(1 if failures else 0)
