#!/usr/bin/env python3
"""Makes the wrappers of one library pack: generate.py packs.json PACK OUT.c OUT.map

A wrapper has the types of the call that it stands in for, so that every argument goes through unchanged: what
gfortran hides behind the visible arguments (the lengths of characters) and the upper halves of integers too, which
are those of an ILP64 library that keeps the plain names.
"""

import json
import re
import sys

REAL = {"s": "float", "d": "double", "c": "float", "z": "double"}
SCALAR = {"s": "float", "d": "double", "c": "float _Complex", "z": "double _Complex"}
BYTES = {"s": 4, "d": 8, "c": 8, "z": 16}

# NumPy and SciPy carry OpenBLAS under names of their own; 64 is ILP64, where Fortran's underscore comes first.
FORTRAN = [("{}_", 32), ("{}_64_", 64), ("scipy_{}_", 32), ("scipy_{}_64_", 64)]
CBLAS = [("cblas_{}", 32), ("cblas_{}64_", 64), ("cblas_{}_64", 64), ("scipy_cblas_{}", 32), ("scipy_cblas_{}64_", 64)]
# LAPACK's interface of C, and the half of it that leaves the workspace to the caller.
LAPACKE = [("LAPACKE_{}", 32), ("LAPACKE_{}64_", 64), ("LAPACKE_{}_64", 64), ("scipy_LAPACKE_{}", 32),
           ("scipy_LAPACKE_{}64_", 64)]
FFTW = {"s": "fftwf_", "d": "fftw_", "l": "fftwl_"}

# What a formula calls a flag, by the argument: the letter and the value in CBLAS that make it true.
FLAGS = {"side": ("left", "L", 141), "trans": ("notrans", "N", 111), "diag": ("unit", "U", 132)}
JOBS = ("jobz", "jobu", "jobvt", "jobvl", "jobvr")
NO_SHAPE = ("lda", "ldb", "ldc", "ldu", "ldvt", "ldvl", "ldvr", "incx", "incy", "lwork", "liwork", "lrwork")


def arguments_of(routine):
    return [tuple((word + "/a").split("/")[:2]) for word in routine["arguments"].split()]


class Wrapper:
    """One exported function."""

    def __init__(self, symbol, routine, name, letter, style, bits):
        self.symbol, self.routine, self.name = symbol, routine, name
        self.letter, self.style, self.bits = letter, style, bits
        self.arguments = arguments_of(routine)
        self.is_complex = letter in "cz"

    def parameters(self):
        made = []
        if self.style == "cblas" and self.routine["level"] > 1:
            made.append(("word", "order"))
        for name, kind in self.arguments:
            c_type = "const void*"
            if self.style != "fortran" and kind in "fn":
                c_type = "word"
            elif self.style == "cblas" and (kind == "r" or (kind == "s" and not self.is_complex)):
                c_type = REAL[self.letter]
            made.append((c_type, f"arg_{name}"))
        if self.style == "fortran":
            made += [("size_t", f"length_{name}") for name, kind in self.arguments if kind == "f"]
        if self.is_sub():
            made.append(("void*", "result"))
        return made

    def is_sub(self):
        """CBLAS gives complex results through a pointer."""
        return self.style == "cblas" and self.is_complex and self.routine.get("returns") == "scalar"

    def returned(self):
        returns = self.routine.get("returns", "none")
        if returns == "none" or self.is_sub():
            return "void"
        return {"scalar": SCALAR.get(self.letter), "real": REAL.get(self.letter), "double": "double",
                "index": "word", "plan": "void*"}[returns]

    def value(self, name, kind):
        read = f"pack_int{self.bits}"
        if self.style == "fortran":
            return f"{read}_at(arg_{name})"
        return f"(int{self.bits}_t)arg_{name}"

    def letter_is(self, name, letter):
        return f"pack_letter(arg_{name}, '{letter}')"

    def variables(self):
        """What formulas refer to: what is read of the arguments before the call, which may change what they point to,
        and what is made of that after it, so that the clock at the region's entry does not wait for it."""
        lines = []
        after = [f"const double w = {BYTES[self.letter]};", f"const int complex = {int(self.is_complex)};"]
        names = ["w", "complex"]
        jobs = []
        for name, kind in self.arguments:
            if kind == "n":
                lines.append(f"const int{self.bits}_t size_{name} = {self.value(name, kind)};")
                after.append(f"const double {name} = pack_size(size_{name});")
                names.append(name)
            elif kind == "f" and name in JOBS:
                jobs.append(f"!({self.letter_is(name, 'N')})")
            elif kind == "f" and name in FLAGS:
                word, letter, value = FLAGS[name]
                test = f"(int)arg_{name} == {value}" if self.style == "cblas" else self.letter_is(name, letter)
                lines.append(f"const int {word} = {test};")
                names.append(word)
            elif name == "beta":
                by_value = self.style == "cblas" and (kind == "r" or not self.is_complex)
                size = BYTES[self.letter] if kind == "s" else BYTES[self.letter] // (2 if self.is_complex else 1)
                test = "arg_beta == 0" if by_value else f"pack_is_zero(arg_beta, {size})"
                lines.append(f"const int beta0 = {test};")
                names.append("beta0")
        if jobs:
            lines.append(f"const int vectors = {' || '.join(jobs)};")
            names.append("vectors")
        return lines, after + ["".join(f"(void){name};" for name in names)]

    def flop(self):
        if "flop" in self.routine:
            return self.routine["flop"]
        weights = (6, 2) if self.is_complex else (1, 1)
        return f"{weights[0]} * ({self.routine['muls']}) + {weights[1]} * ({self.routine['adds']})"

    def enter(self):
        shape = self.routine.get("shape", "").split() or [
            name for name, kind in self.arguments if kind == "n" and name not in NO_SHAPE]
        values = ", ".join(self.value(name, "n") for name in shape)
        return f"PACK_ENTER(api, routine_{self.name}, {values})"

    def before(self):
        return self.variables()[0]

    def work(self):
        return ["struct pack_work work;", "{"] + ["  " + line for line in self.variables()[1]] + [
            f"  work.flop = {self.flop()};", f"  work.bytes = {self.routine['bytes']};", "}"]

    def after(self):
        return []

    def lines(self):
        parameters = self.parameters()
        declared = ", ".join(f"{c_type} {name}" for c_type, name in parameters)
        passed = ", ".join(name for _, name in parameters)
        returned = self.returned()
        keep = "" if returned == "void" else f"const {returned} answer = ".replace("const void*", "void* const")
        function = f"{returned} (*)({', '.join(c_type for c_type, _ in parameters)})"
        yield f"PACK_EXPORT {returned} {self.symbol}({declared}) {{"
        yield f'  static struct pack_function it = {{0, "{self.symbol}"}};'
        yield f"  typedef {function.replace('(*)', 'function', 1)};"
        yield f"  function* const real = (function*)pack_real(&it, __builtin_return_address(0));"
        yield "  volatile uintptr_t mark;"
        query = [f"{self.value(name, 'n')} == -1" for name in self.routine.get("query", "").split()]
        yield f"  const roofmark_api* const api = {' || '.join(query) + ' ? 0 : ' if query else ''}pack_connects(&mark);"
        if returned == "void":
            yield f"  if (api == 0) {{ real({passed}); return; }}"
        else:
            yield f"  if (api == 0) return real({passed});"
        for line in self.before():
            yield "  " + line
        yield f"  const roofmark_token token = {self.enter()};"
        yield "  pack_begin(&mark, token);"
        yield f"  {keep}real({passed});"
        for line in self.work():
            yield "  " + line
        yield "  pack_end(&mark, token, &work);"
        for line in self.after():
            yield "  " + line
        if keep:
            yield "  return answer;"
        yield "}"


class LapackeWrapper(Wrapper):
    """Fortran's arguments by value, behind the layout of the matrices. Most libraries call Fortran's names from here,
    whose wrappers then find themselves inside of this call; some have the whole of LAPACK bound inside."""

    def __init__(self, symbol, routine, name, letter, bits, has_workspace):
        super().__init__(symbol, routine, name, letter, "lapacke", bits)
        own = ("info",) if has_workspace else ("info", "work", "lwork", "rwork", "lrwork", "iwork", "liwork")
        self.arguments = [(argument, kind) for argument, kind in self.arguments if argument not in own]
        if not has_workspace:
            self.routine = dict(routine, query="")
            if routine["name"] == "gesvd":
                self.arguments.append(("superb", "a"))

    def parameters(self):
        return [("word", "layout")] + super().parameters()

    def returned(self):
        return "word"

    def letter_is(self, name, letter):
        return f"((char)arg_{name} & ~0x20) == '{letter}'"


class FftwWrapper(Wrapper):
    """What a plan does and moves is kept from when it was made."""

    def variables(self):
        lines = [f"const double w = {dict(s=4, d=8, l=16)[self.letter]};"]
        formula = self.routine["points"] + self.routine["bytes"]
        used = lambda name: re.search(rf"\b{name}\b", formula)
        for name, kind in self.arguments:
            if kind == "n" and used(name):
                whole = name in ("rank", "howmany_rank")
                value = self.value(name, kind)
                lines.append(f"const int {name} = {value};" if whole else f"const double {name} = pack_size({value});")
            elif kind == "a" and used(name):
                lines.append(f"const void* const {name} = arg_{name};")
        return lines

    def enter(self):
        return f"api->enter(&routine_{self.name}.site)"

    def before(self):
        if self.routine["name"].startswith("execute"):
            return ["const struct pack_work work = pack_plan_work(arg_plan);"]
        forget = ["pack_forget_plan(arg_plan);"] if self.routine["name"] == "destroy_plan" else []
        return forget + ["const struct pack_work work = {0, 0};"]

    def work(self):
        return []

    def after(self):
        if "bytes" not in self.routine:
            return []
        return ["if (answer != 0) {"] + ["  " + line for line in self.variables()] + [
            f"  const struct transforms t = {self.routine['points']};",
            f"  pack_keep_plan(answer, {'2.5' if self.routine.get('real') else '5'} * t.howmany * t.points * log2_of(t.points), "
            f"{self.routine['bytes']});", "}"]


def wrappers_of(pack):
    for routine in pack["routines"]:
        for letter in routine.get("types", "sdl" if "fftw" in pack["symbols"] else ""):
            name = routine.get("names", {}).get(letter, letter + routine["name"])
            if "fortran" in pack["symbols"]:
                for pattern, bits in FORTRAN:
                    yield Wrapper(pattern.format(name), routine, name, letter, "fortran", bits)
            if "cblas" in pack["symbols"]:
                is_sub = letter in "cz" and routine.get("returns") == "scalar"
                for pattern, bits in CBLAS:
                    yield Wrapper(pattern.format(name + ("_sub" if is_sub else "")), routine, name, letter, "cblas", bits)
            if "lapacke" in pack["symbols"]:
                for pattern, bits in LAPACKE:
                    yield LapackeWrapper(pattern.format(name), routine, name, letter, bits, False)
                    yield LapackeWrapper(pattern.format(name + "_work"), routine, name, letter, bits, True)
            if "fftw" in pack["symbols"]:
                symbol = FFTW[letter] + routine["name"]
                yield FftwWrapper(symbol, routine, symbol, letter, "c", 32)


def main():
    table, name, source, exports = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        pack = json.load(file)["packs"][name]
    wrappers = list(wrappers_of(pack))
    symbols = [wrapper.symbol for wrapper in wrappers]
    if len(set(symbols)) != len(symbols):
        sys.exit(f"{table}: two routines of the pack {name} have one name")
    with open(source, "w", encoding="utf-8") as out:
        out.write(f"/* Made by generate.py of packs.json: the pack {name}. */\n")
        out.write('#include "pack.h"\n#include "formulas.h"\n\n')
        for routine in sorted({wrapper.name for wrapper in wrappers}):
            out.write(f'static struct pack_routine routine_{routine} = PACK_ROUTINE("{routine}");\n')
        for wrapper in wrappers:
            out.write("\n" + "\n".join(wrapper.lines()) + "\n")
    with open(exports, "w", encoding="utf-8") as out:
        out.write("{\n  global:\n" + "".join(f"    {symbol};\n" for symbol in symbols) + "  local:\n    *;\n};\n")


if __name__ == "__main__":
    main()
