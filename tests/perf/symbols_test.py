#!/usr/bin/env python3
"""The counting unit goes into the target's runtime: it needs the C library alone.

usage: symbols_test.py NM OBJECT...
"""
import subprocess
import sys

allowed = {
    "close", "fcntl", "getrlimit", "ioctl", "memchr", "memcmp", "memcpy", "memset", "mmap", "munmap", "read", "setrlimit", "strlen", "syscall",
    "sysconf", "vsnprintf", "__errno_location", "_GLOBAL_OFFSET_TABLE_", "__udivti3",  # 128-bit division: in libgcc.a
    "__vsnprintf_chk", "__read_chk", "fcntl64", "getrlimit64", "setrlimit64",
}

nm, objects = sys.argv[1], sys.argv[2:]
assert objects
defined, needed = set(), set()
for name in objects:
    for line in subprocess.run([nm, name], check=True, capture_output=True, text=True).stdout.splitlines():
        *_, kind, symbol = line.split()
        (needed if kind in "Uw" else defined).add(symbol)
assert any("open_group" in symbol for symbol in defined), defined
surplus = sorted(needed - defined - allowed)
if surplus:
    sys.exit(f"the counting unit needs more than the C library: {' '.join(surplus)}")
