#!/usr/bin/env python3
"""Eight ranks of STREAM's triad are one point under the node's roof, near the bandwidth of its memory.

usage: stream_bench.py ROOFMARK SOURCES openmpi|mpich
Measures the machine first. Prints the share of the roof; fails below 0.85 or with another verdict.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RANKS, LEAST = 8, 0.85


def main():
    roofmark, sources = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    mpi = sys.argv[3]
    launcher = [f"mpirun.{mpi}"] + (["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else [])
    if shutil.which(launcher[0]) is None:
        print(f"SKIPPED triad of {RANKS} ranks | there is no {launcher[0]}")
        return 0
    own = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory(prefix="roofmark-stream-") as name:
        folder = pathlib.Path(name)
        subprocess.run([f"mpicc.{mpi}", "-O3", "-march=native", "-mno-avx512f", "-I", sources / "libprofiler/include",
                        sources / "tests/mpi/stream.c", "-o", folder / "stream", "-ldl"], check=True)
        subprocess.run([roofmark, "record", "-o", folder / "p.json", "--", *launcher, "-n", str(RANKS),
                        folder / "stream", "4000000", "5"], env=own, check=True)
        profile = json.loads((folder / "p.json").read_text())
    triad = next(region for region in profile["regions"] if region["path"] == ["triad"])
    roofline = triad["rooflines"][0]
    bandwidth = roofline["levels"]["DRAM"]
    best = max(ceiling["interface_bytes_per_s"] for ceiling in profile["machine"]["ceilings"]
               if ceiling.get("level") == "DRAM" and ceiling.get("pattern") == "triad")
    share = bandwidth["achieved_bytes_per_s"] / best
    print(f"triad of {RANKS} ranks: {roofline['verdict']} {roofline.get('verdict_detail', '')}; wall "
          f"{triad['wall_s']}; roof {roofline.get('fraction')}, as written {roofline.get('fraction_as_written')}")
    print(f"RATIO triad of {RANKS} ranks, {mpi}, by the roof as written | {roofline.get('fraction_as_written', 0):.3f} | >= {LEAST}")
    print(f"RATIO triad of {RANKS} ranks, {mpi}, bandwidth by the measured triad's | {share:.3f} | >= {LEAST}")
    good = (roofline["verdict"] == "memory" and roofline.get("verdict_detail") == "DRAM"
            and roofline.get("fraction_as_written", 0) >= LEAST and triad["ranks"]["count"] == RANKS)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
