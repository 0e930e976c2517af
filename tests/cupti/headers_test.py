#!/usr/bin/env python3
"""What is compiled against CUPTI's headers compiles against each that is here, and against what CUDA 12.6 has of them.

usage: headers_test.py COMPILER SOURCE CUPTI_INCLUDE CUDA_INCLUDE
ROOFMARK_CUPTI_HEADERS names further folders with cupti_range_profiler.h, by colons: of other toolkits, or of unpacked packages of
one. Nothing is fetched.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

compiler, source, cupti, cuda = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
TARGET = source / "collectors" / "cupti" / "target"
failures = []


def sources():
    """Those that see CUPTI's headers: through cupti_library.hpp, cuda_driver.hpp, or by themselves."""
    plug_in = ("activity_run.cpp", "counter_run.cpp", "counter_session.cpp", "injection.cpp", "libraries.cpp", "recorder.cpp")
    return [*(TARGET / name for name in plug_in), source / "collectors" / "cupti" / "host_api.cpp",
            source / "tests" / "cupti" / "fake" / "fake_cupti.cpp"]


def compiled(file, include, *options):
    """What the compiler says; empty: nothing."""
    folders = dict.fromkeys((str(include), str(include if (include / "cuda.h").exists() else cuda)))
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-D_GNU_SOURCE", "-DROOFMARK_HAVE_CUPTI", "-Wall", "-Wextra",
                           "-Wconversion", "-Werror", "-I", source, "-I", source / "libprofiler", "-I", source / "libprofiler" / "include",
                           *(word for folder in folders for word in ("-isystem", folder)), *options, file],
                          capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr[:3000] or "the compiler failed"


def check(name, include, *options):
    for file in sources():
        said = compiled(file, include, *options)
        if said:
            failures.append(name)
            print(f"FAILED: {name}: {file.name}\n{said}")
    print(f"{name}: {include}", flush=True)


def version_of(include):
    for line in (include / "cupti_version.h").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("#define CUPTI_API_VERSION"):
            return line.split()[-1]
    return "?"


folders = [cupti]
for folder in sorted(pathlib.Path("/usr/local").glob("cuda-*")):
    for place in ("include", "extras/CUPTI/include"):
        folders.append(folder / place)
folders += [pathlib.Path(folder) for folder in os.environ.get("ROOFMARK_CUPTI_HEADERS", "").split(":") if folder]
seen = set()
for folder in folders:
    if not (folder / "cupti_range_profiler.h").exists() or folder.resolve() in seen:
        continue
    seen.add(folder.resolve())
    check("version " + version_of(folder), folder)

older = source / "tests" / "cupti" / "headers_of_12_6.h"
check("as of 12.6", cupti, "-include", str(older))
# It does leave out what came later.
with tempfile.TemporaryDirectory() as folder:
    later = pathlib.Path(folder) / "later.cpp"
    for word in ("CUpti_ActivityKernel10 record;", "int code = CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED;"):
        later.write_text(f"#include <cupti_activity.h>\n{word}\n", encoding="utf-8")
        if "poisoned" not in compiled(later, cupti, "-include", str(older)):
            failures.append("poison")
            print("FAILED: headers_of_12_6.h has", word)

sys.exit(1 if failures else 0)
