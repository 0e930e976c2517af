#!/usr/bin/env python3
"""The microkernels compile for each architecture, spill nothing, and each has the kernels that it should.

usage: compile_test.py NVCC KERNELS_CU MICROKERNELS_CPP
Exit 77: skipped.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

EVERYWHERE = {"fma_f64", "fma_f32", "fma_f16", "read_hbm", "copy", "triad", "read_l2", "read_l1", "read_shared"}
AMPERE = EVERYWHERE | {"fma_bf16", "mma_f16", "mma_bf16", "mma_tf32", "mma_i8"}
KERNELS = {
    "sm_80": AMPERE | {"mma_f64"},
    "sm_90a": AMPERE | {"mma_f64_k16", "mma_fp8", "mma_fp8_e5m2", "wgmma_f16", "wgmma_bf16", "wgmma_tf32", "wgmma_fp8", "wgmma_fp8_e5m2", "wgmma_i8"},
    "sm_100a": AMPERE | {"fma_f32x2", "tcgen05_f16", "tcgen05_bf16", "tcgen05_tf32", "tcgen05_fp8", "tcgen05_fp8_e5m2", "tcgen05_i8"},
    "sm_103": AMPERE | {"fma_f32x2"},
    "sm_100": AMPERE | {"fma_f32x2"},  # of which PTX is kept, for later 10.x
    "sm_120": AMPERE | {"mma_fp8", "mma_fp8_e5m2"},
}


def main():
    nvcc, source, table = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).read_text(encoding="utf-8")
    if not nvcc or nvcc.endswith("NOTFOUND"):
        print("skipped: there is no nvcc; -DROOFMARK_CUDA_ROOT names a CUDA")
        return 77
    failures = 0

    def check(holds, what):
        nonlocal failures
        if not holds:
            print("FAILED:", what)
            failures += 1

    listed = set(re.findall(r'(?:Microkernel\{|of_\w+\()"(\w+)"', table))
    check(listed == set().union(*KERNELS.values()), f"the table lists {listed ^ set().union(*KERNELS.values())}")
    codes = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split()
    for architecture, expected in KERNELS.items():
        if architecture.rstrip("a") not in codes:
            print(f"{architecture}: not tested, this nvcc does not know it")
            continue
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([nvcc, "-std=c++17", "-O3", "-cubin", "-allow-unsupported-compiler", "-arch=" + architecture,
                                   "-Xptxas", "-v", "-o", folder + "/kernels.cubin", str(source)],
                                  capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            check(done.returncode == 0, f"{architecture}: {said[:2000]}")
            compiled = set(re.findall(r"Compiling entry function '(\w+)'", said))
            check(compiled == expected, f"{architecture}: other kernels than expected: {compiled ^ expected}")
            spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", said)
            check(len(spills) == 2 * len(expected) and set(spills) == {"0"}, f"{architecture}: registers are spilt: {said[:2000]}")
            # ptxas says so where wgmma instructions wait for one another.
            check("serialized" not in said, f"{architecture}: wgmma instructions are serialised")
            registers = {int(count) for count in re.findall(r"Used (\d+) registers", said)}
            check(registers and max(registers) <= 168, f"{architecture}: {max(registers, default=0)} registers")
            print(f"{architecture}: {len(compiled)} kernels, at most {max(registers, default=0)} registers")
    return 1 if failures else 0


sys.exit(main())
