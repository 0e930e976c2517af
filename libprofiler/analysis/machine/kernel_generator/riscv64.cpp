// RISC-V: scalar D and F (RV64GC), and the vector extension 1.0 at the length the machine has.
#include <fmt/format.h>

#include "program.hpp"

namespace roofmark::kernels {
namespace {

// Scalars: ft0..ft11, fa0..fa7 and fs registers are f0..f31; f8, f9, f18..f27 belong to the caller,
// so the accumulators are the other ones.
constexpr unsigned scalar_accumulators[] = {0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 28, 29};
constexpr unsigned shrink = 30, small = 31;

std::string reg(bool vector, unsigned index) {
  if (vector) return fmt::format("v{}", index);
  return fmt::format("f{}", index < 16 ? scalar_accumulators[index] : index);
}

/// The ABI names of f0..f31, which assemblers want.
std::string abi(unsigned number) {
  if (number < 8) return fmt::format("ft{}", number);
  if (number < 10) return fmt::format("fs{}", number - 8);
  if (number < 18) return fmt::format("fa{}", number - 10);
  if (number < 28) return fmt::format("fs{}", number - 16);
  return fmt::format("ft{}", number - 20);
}

std::string scalar(unsigned index) {
  return abi(index < 16 ? scalar_accumulators[index] : index);
}

void apply(Program& p, bool vector, bool f64, const std::string& operation, unsigned accumulator) {
  const unsigned by = operation == "add" ? small : shrink;
  if (vector) {
    const std::string acc = reg(true, accumulator);
    if (operation == "fma")
      return p.line(fmt::format("vfmadd.vv {}, v{}, v{}", acc, shrink, small));
    if (operation == "sqrt") return p.line(fmt::format("vfsqrt.v {}, v{}", acc, shrink));
    return p.line(fmt::format("vf{}.vv {}, {}, v{}", operation, acc, acc, by));
  }
  const std::string acc = scalar(accumulator);
  const char* type = f64 ? "d" : "s";
  if (operation == "fma")
    return p.line(fmt::format("fmadd.{} {}, {}, {}, {}", type, acc, acc, abi(shrink), abi(small)));
  if (operation == "sqrt") return p.line(fmt::format("fsqrt.{} {}, {}", type, acc, abi(shrink)));
  p.line(fmt::format("f{}.{} {}, {}, {}", operation, type, acc, acc, abi(by)));
}

Row open(Program& p, bool vector, bool f64, const std::string& operation,
         const std::string& variant, unsigned accumulators) {
  Row row;
  row.isa = vector ? "rvv" : "scalar";
  row.symbol =
      fmt::format("roofmark_k_{}_{}_{}_{}", row.isa, f64 ? "f64" : "f32", operation, variant);
  row.kind = "compute";
  row.precision = f64 ? "f64" : "f32";
  row.encoding = vector ? "rvv" : "rv64d";
  row.operation = operation;
  row.width_bits = vector ? vector_length : 0;
  row.accumulators = accumulators;
  row.flop_per_lane = operation == "fma" ? 2 : 1;
  p.begin_function(row.symbol);
  for (const unsigned constant : {shrink, small})
    p.line(fmt::format(
        "fl{} {}, {}(a1)", f64 ? "d" : "w", abi(constant),
        constant == shrink ? (f64 ? shrink_f64 : shrink_f32) : (f64 ? small_f64 : small_f32)));
  if (vector) {
    p.line(fmt::format("vsetvli t0, zero, e{}, m1, ta, ma", f64 ? 64 : 32));
    p.line(fmt::format("vfmv.v.f v{}, {}", shrink, abi(shrink)));
    p.line(fmt::format("vfmv.v.f v{}, {}", small, abi(small)));
    for (unsigned i = 0; i < accumulators; ++i)
      p.line(fmt::format("vfmv.v.f v{}, {}", i, abi(shrink)));
  } else {
    for (unsigned i = 0; i < accumulators; ++i)
      p.line(fmt::format("fmv.{} {}, {}", f64 ? "d" : "s", scalar(i), abi(shrink)));
  }
  p.line(".p2align 3");
  p.label("1");
  return row;
}

void close(Program& p, Row row, unsigned instructions) {
  p.line("addi a0, a0, -1");
  p.line("bnez a0, 1b");
  p.line("ret");
  p.end_function(row.symbol);
  row.instructions = instructions;
  p.add(row);
}

void compute(Program& p, bool vector, bool f64) {
  const std::vector<unsigned> counts =
      vector ? std::vector<unsigned>{4, 8, 12, 16, 24, 28} : std::vector<unsigned>{4, 8, 12, 16};
  for (const unsigned n : counts)
    for (const char* operation : {"fma", "add", "mul", "div", "sqrt"}) {
      const bool slow = operation[0] == 'd' || operation[0] == 's';
      if (slow && n > 12) continue;  // so slow that few accumulators do
      const unsigned instructions = (slow ? 24 : body_length) / n * n;
      const Row row = open(p, vector, f64, operation, std::to_string(n), n);
      for (unsigned i = 0; i < instructions; ++i) apply(p, vector, f64, operation, i % n);
      close(p, row, instructions);
    }
  for (const Mix& mix : {Mix{4, 4}, Mix{8, 8}, Mix{8, 8, true}, Mix{16, 0, false, true}}) {
    const Row row = open(p, vector, f64, "muladd", mix_name(mix), mix.multiplied + mix.added);
    close(p, row,
          emit_mix(
              mix, [&](unsigned i) { apply(p, vector, f64, "mul", i); },
              [&](unsigned i) { apply(p, vector, f64, "add", i); }));
  }
}

void advance(Program& p, bool vector, unsigned unroll) {
  for (const char* base : {"a0", "a1", "a2"})
    p.line(vector ? fmt::format("add {0}, {0}, t2", base)
                  : fmt::format("addi {0}, {0}, {1}", base, unroll * 8));
}

void move(Program& p, bool vector, const std::string& pattern) {
  // Vectors move in groups of eight registers; an iteration is one group.
  const unsigned unroll = vector ? 8 : 16;
  Row row;
  row.isa = vector ? "rvv" : "scalar";
  row.symbol = fmt::format("roofmark_k_{}_{}", row.isa, pattern);
  row.kind = "bandwidth";
  row.precision = "f64";
  row.encoding = vector ? "rvv" : "rv64d";
  row.operation = pattern;
  row.width_bits = vector ? vector_length : 0;
  row.vectors_per_iteration = unroll;
  p.begin_function(row.symbol);
  p.line("li t0, 1");
  p.line("fcvt.d.w ft11, t0");
  if (vector) {
    p.line("vsetvli t1, zero, e64, m8, ta, ma");
    p.line("slli t2, t1, 3");
    p.line("vfmv.v.f v24, ft11");
  } else {
    p.line(fmt::format("li t2, {}", unroll * 8));
  }
  for (unsigned i = 0; i < 3; ++i)
    p.line(fmt::format("mv {}, a{}", i == 0 ? "a5" : i == 1 ? "a6" : "a7", i));
  p.label("2");
  for (unsigned i = 0; i < 3; ++i)
    p.line(fmt::format("mv a{}, {}", i, i == 0 ? "a5" : i == 1 ? "a6" : "a7"));
  p.line("mv t3, a3");
  p.line(".p2align 3");
  p.label("1");
  if (vector) {
    if (pattern != "write") p.line("vle64.v v0, (a1)");
    if (pattern == "triad") {
      p.line("vle64.v v8, (a2)");
      p.line("vfmacc.vf v0, ft11, v8");
    }
    if (pattern != "read") p.line(fmt::format("vse64.v v{}, (a0)", pattern == "write" ? 24 : 0));
  } else {
    for (unsigned i = 0; i < unroll; ++i) {
      const std::string to = abi(i % 8);
      if (pattern != "write") p.line(fmt::format("fld {}, {}(a1)", to, i * 8));
      if (pattern == "triad") {
        const std::string product = abi(10 + i % 8);
        p.line(fmt::format("fld {}, {}(a2)", product, i * 8));
        p.line(fmt::format("fmadd.d {0}, {1}, ft11, {0}", to, product));
      }
      if (pattern != "read")
        p.line(fmt::format("fsd {}, {}(a0)", pattern == "write" ? "ft11" : to, i * 8));
    }
  }
  advance(p, vector, unroll);
  p.line("sub t3, t3, t2");
  p.line("bgtz t3, 1b");
  p.line("addi a4, a4, -1");
  p.line("bnez a4, 2b");
  p.line("ret");
  p.end_function(row.symbol);
  p.add(row);
}

void clock_loop(Program& p) {
  const unsigned links = 128;
  p.begin_function("roofmark_k_clock");
  p.line("li t0, 1");
  p.line("li t1, 3");
  p.label("1");
  for (unsigned i = 0; i < links; ++i) p.line("add t0, t0, t1");
  p.line("addi a0, a0, -1");
  p.line("bnez a0, 1b");
  p.line("ret");
  p.end_function("roofmark_k_clock");
  p.add({"roofmark_k_clock", "clock", "f64", "scalar", "rv64d", "add", 0, 1, links, 1, 0});
}

}  // namespace

void generate_riscv64(Program& p) {
  p.prologue = "  .attribute arch, \"rv64imafdcv\"\n  .option arch, +v\n";
  clock_loop(p);
  // The caller asks this only where the CPU has vectors.
  p.begin_function("roofmark_vector_bytes");
  p.line("csrr a0, vlenb");
  p.line("ret");
  p.end_function("roofmark_vector_bytes");
  for (const bool vector : {false, true}) {
    for (const bool f64 : {true, false}) compute(p, vector, f64);
    for (const char* pattern : {"read", "write", "copy", "triad"}) move(p, vector, pattern);
  }
}

}  // namespace roofmark::kernels
