#!/usr/bin/env python3
"""Writes a library of 2100 functions and a program that calls each of them once."""
import pathlib
import sys

COUNT = 2100
folder = pathlib.Path(sys.argv[1])
names = [f"numerous_{i}" for i in range(COUNT)]
folder.joinpath("numerous.c").write_text("".join(f"int {name}(int a);\nint {name}(int a) {{ return a + {i}; }}\n"
                                                 for i, name in enumerate(names)))
folder.joinpath("numerous_program.c").write_text(
    "#include <stdio.h>\n" + "".join(f"int {name}(int a);\n" for name in names) +
    "int main(void) {\n  long sum = 0;\n" + "".join(f"  sum += {name}(1);\n" for name in names) +
    '  printf("%ld\\n", sum);\n  return 0;\n}\n')
