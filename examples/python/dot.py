#!/usr/bin/env python3
"""A dot product by the interpreter: the FLOPs of the C version, and what surrounds each of them.

  usage: dot.py [--expect] [n = 200000] [repetitions = 2]

Closed forms for n elements and one repetition:
  FLOP    2 n       one multiply, one add, each a scalar instruction of the interpreter's
Bytes have none: each element is an object, and the interpreter reads its own code and stack for it.
"""
import json
import pathlib
import sys

try:
    import roofmark
except ImportError:  # neither installed nor on PYTHONPATH: as the build tree has it
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "share" / "roofmark" / "python"))
    import roofmark


@roofmark.region("dot")
def dot(x, y):
    # Whole numbers: arithmetic of floats would itself be counted as this region's work.
    roofmark.declare(flop=2 * len(x), bytes=16 * len(x))
    total = 0.0
    for a, b in zip(x, y):
        total += a * b
    return total


def main():
    arguments = sys.argv[1:]
    expect = arguments[:1] == ["--expect"]
    given = [int(argument) for argument in arguments[expect:]]
    n, repetitions = given + [200000, 2][len(given):]
    if expect:
        print(json.dumps({"path": "dot", "precision": "f64", "visits": repetitions, "flop": 2 * n * repetitions}))
        return 0
    x = [1.0 for _ in range(n)]
    y = [0.5 for _ in range(n)]
    total = 0.0
    for _ in range(repetitions):
        total += dot(x, y)
    print(f"sum = {total:g} ({0.5 * n * repetitions:g} is right)")
    return 0 if total == 0.5 * n * repetitions else 1


if __name__ == "__main__":
    sys.exit(main())
