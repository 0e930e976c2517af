#!/usr/bin/env python3
"""Eight ranks of STREAM's triad are one point under the node's roof, near the bandwidth of its memory.

usage: stream_bench.py ROOFMARK SOURCES openmpi|mpich
A barrier lets eight ranks on two cores go one after the other, as each is scheduled: 0.07 to 0.13 s of the region's time, whatever its length. So
the triad is repeated until it takes over a second, as STREAM's own rule (far longer than a tick of the clock) asks.
Each attempt measures the machine anew beside the job's run, since what others do with a shared machine changes both; the best of a few attempts
holds. Prints the share of the roof; fails below 0.85 or with another verdict.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

RANKS, LEAST = 8, 0.85
ELEMENTS, REPETITIONS = 4000000, 50
ATTEMPTS = 3


def attempt(roofmark, launcher, folder, number):
    """The region's roofline, and its bandwidth by the measured triad's."""
    own = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               XDG_CACHE_HOME=str(folder / f"cache-{number}"))
    own.pop("ROOFMARK_MACHINE_FILE", None)
    file = folder / f"p-{number}.json"
    subprocess.run([roofmark, "record", "-o", file, "--", *launcher, "-n", str(RANKS), folder / "stream", str(ELEMENTS), str(REPETITIONS)],
                   env=own, check=True)
    profile = json.loads(file.read_text())
    triad = next(region for region in profile["regions"] if region["path"] == ["triad"])
    roofline = triad["rooflines"][0]
    best = max(ceiling["interface_bytes_per_s"] for ceiling in profile["machine"]["ceilings"]
               if ceiling.get("level") == "DRAM" and ceiling.get("pattern") == "triad")
    share = roofline["levels"]["DRAM"]["achieved_bytes_per_s"] / best
    print(f"triad of {RANKS} ranks: {roofline['verdict']} {roofline.get('verdict_detail', '')}; wall "
          f"{triad['wall_s']}; roof {roofline.get('fraction')}, as written {roofline.get('fraction_as_written')}; "
          f"bandwidth by the measured triad's {share:.3f}; load {os.getloadavg()[0]:.1f}", flush=True)
    good = (roofline["verdict"] == "memory" and roofline.get("verdict_detail") == "DRAM" and triad["ranks"]["count"] == RANKS)
    return (roofline.get("fraction_as_written") or 0), share, good


def main():
    roofmark, sources = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    mpi = sys.argv[3]
    launcher = [f"mpirun.{mpi}"] + (["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else [])
    if shutil.which(launcher[0]) is None:
        print(f"SKIPPED triad of {RANKS} ranks | there is no {launcher[0]}")
        return 0
    with tempfile.TemporaryDirectory(prefix="roofmark-stream-") as name:
        folder = pathlib.Path(name)
        subprocess.run([f"mpicc.{mpi}", "-O3", "-march=native", "-mno-avx512f", "-I", sources / "libprofiler/include",
                        sources / "tests/mpi/stream.c", "-o", folder / "stream", "-ldl"], check=True)
        best = (0, 0, False)
        for number in range(ATTEMPTS):
            # One with another verdict holds nothing, however large its share.
            best = max(best, attempt(roofmark, launcher, folder, number), key=lambda one: (one[2], one[0]))
            if best[0] >= LEAST and best[2]:
                break
    fraction, share, good = best
    print(f"RATIO triad of {RANKS} ranks, {mpi}, by the roof as written | {fraction:.3f} | >= {LEAST}")
    print(f"RATIO triad of {RANKS} ranks, {mpi}, bandwidth by the measured triad's | {share:.3f} | >= {LEAST}")
    return 0 if good and fraction >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
