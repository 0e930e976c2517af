#!/usr/bin/env python3
"""usage: ceilings_likwid.py ROOFMARK [ALTERNATIONS]

Holds the ceilings of one core against likwid-bench's best in the same minutes: likwid, roofmark, likwid, ...
The promise is 0.98 of likwid's best. Memory is compared with pages of equal size: likwid's are small ones.
"""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BOUND = 0.98
PR_SET_THP_DISABLE = 41

# likwid's kernel: (what of ours it is compared with, working set in kB, iterations for some 20 ms)
FLOPS = {
    "peakflops": ("f64", "scalar", "muladd"), "peakflops_sp": ("f32", "scalar", "muladd"),
    "peakflops_sse": ("f64", "sse", "muladd"), "peakflops_sp_sse": ("f32", "sse", "muladd"),
    "peakflops_avx": ("f64", "avx2", "muladd"), "peakflops_sp_avx": ("f32", "avx2", "muladd"),
    "peakflops_avx_fma": ("f64", "avx2", "fma"), "peakflops_sp_avx_fma": ("f32", "avx2", "fma"),
    "peakflops_avx512": ("f64", "avx512", "muladd"), "peakflops_sp_avx512": ("f32", "avx512", "muladd"),
    "peakflops_avx512_fma": ("f64", "avx512", "fma"), "peakflops_sp_avx512_fma": ("f32", "avx512", "fma"),
}
# Pattern: likwid's kernels for it, the best of which counts. Its `stream` is a[i] = b[i] + s * c[i].
CACHED = {"read": ["load_avx", "load_avx512"], "copy": ["copy_avx", "copy_avx512"],
          "triad": ["stream_avx_fma", "stream_avx512_fma"]}
MEMORY = {"read": ["load_avx", "load_avx512"], "triad": ["stream_avx_fma", "stream_avx512_fma"],
          "write_nt": ["store_mem_avx", "store_mem_avx512"], "triad_nt": ["stream_mem_avx_fma", "stream_mem_avx512"]}


def small_pages():
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


def roofmark(command, small):
    with tempfile.TemporaryDirectory() as store:
        environment = dict(os.environ, XDG_CACHE_HOME=store)
        started = time.monotonic()
        out = subprocess.run([command, "machine", "--json", "--refresh"], env=environment, check=True,
                             stdout=subprocess.PIPE, preexec_fn=small_pages if small else None).stdout
        return json.loads(out), time.monotonic() - started


def undisturbed():
    """A real-time priority where one may have it: likwid's windows are long, and on a busy machine it would be no match."""
    if shutil.which("chrt") and subprocess.run(["chrt", "-f", "1", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return ["chrt", "-f", "1"]
    return []


def likwid(kernel, kilobytes, iterations):
    done = subprocess.run(PREFIX + ["likwid-bench", "-t", kernel, "-w", f"N:{kilobytes}kB:1", "-i", str(iterations)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    flop = re.search(r"^MFlops/s:\s+([\d.]+)", done.stdout, re.M)
    bytes_ = re.search(r"^MByte/s:\s+([\d.]+)", done.stdout, re.M)
    if done.returncode or not flop or not bytes_:
        return None
    return float(flop.group(1)) * 1e6, float(bytes_.group(1)) * 1e6


def ours(document, kind, **wanted):
    found = [c for c in document["ceilings"] if c["kind"] == kind and c["scope"] == "core"
             and not c.get("sustained") and all(c[k] == v for k, v in wanted.items())]
    return max((c["value"] if kind == "compute" else c["program_bytes_per_s"] for c in found), default=None)


def ratio(name, mine, theirs, broken):
    print(f"RATIO {name} | {mine / theirs:.3f} | >= {BOUND}", flush=True)
    if mine < BOUND * theirs:
        broken.append(name)


PREFIX = undisturbed()


def main():
    command, alternations = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    if not shutil.which("likwid-bench"):
        print("SKIPPED ceilings against likwid | likwid-bench is not installed")
        return 77
    document, seconds = roofmark(command, small=False)
    print(f"RATIO seconds of a whole calibration | {seconds:.1f} | <= 20")
    broken = [] if seconds <= 20 else ["seconds"]
    available = subprocess.run(["likwid-bench", "-a"], stdout=subprocess.PIPE, text=True).stdout.split()
    isas = {c["isa"] for c in document["ceilings"]}
    caches = {c["level"]: c.get("confirmed_bytes", c["bytes"]) for c in document["topology"]["caches"]}
    # As large as ours: half of L1, a quarter of L2, four times L2 but less than half of L3.
    sizes = {"L1": caches.get("L1", 0) / 2, "L2": caches.get("L2", 0) / 4,
             "L3": min(4 * caches.get("L2", 0), caches.get("L3", 0) / 2)}
    memory_bytes = min(4 * max(caches.values(), default=2 ** 26), 2 ** 29)

    best = {}  # name: likwid's best, and the best of ours in between

    def see(name, theirs, mine):
        old = best.get(name, (0, 0))
        best[name] = (max(old[0], theirs or 0), max(old[1], mine or 0))

    def runnable(kernel):
        return kernel in available and ("avx512" not in kernel or "avx512" in isas) and ("avx" not in kernel or "avx2" in isas)

    for _ in range(alternations):
        for kernel, (precision, isa, op) in FLOPS.items():
            if not runnable(kernel) or isa not in isas:
                continue
            result = likwid(kernel, 16, 30000)
            if result:
                see(f"{kernel} / {precision} {isa} {op}", result[0],
                    ours(document, "compute", precision=precision, isa=isa, op=op))
        for level, size in sizes.items():
            for pattern, kernels in CACHED.items():
                for kernel in filter(runnable, kernels if size else []):
                    kilobytes = max(int(size / 1000), 1)
                    result = likwid(kernel, kilobytes, max(int(1.2e6 / kilobytes), 3))
                    wanted = {"isa": "avx512" if "avx512" in kernel else "avx2"} if level == "L1" else {}
                    if result:
                        see(f"{level} {pattern}{' ' + wanted['isa'] if wanted else ''}", result[1],
                            ours(document, "bandwidth", level=level, pattern=pattern, **wanted))
        small, _ = roofmark(command, small=True)
        level = next((c["level"] for c in small["ceilings"] if c["kind"] == "bandwidth" and not c["level"].startswith("L")), None)
        for pattern, kernels in MEMORY.items():
            for kernel in filter(runnable, kernels if level else []):
                result = likwid(kernel, int(memory_bytes / 1000), 2)
                if result:
                    see(f"{level} {pattern}, small pages", result[1],
                        ours(small, "bandwidth", level=level, pattern=pattern))
        document, _ = roofmark(command, small=False)
    for name, (theirs, mine) in best.items():
        if theirs and mine:
            ratio(name, mine, theirs, broken)
    if broken:
        print("below the bound:", ", ".join(broken))
    return 1 if broken else 0


sys.exit(main())
