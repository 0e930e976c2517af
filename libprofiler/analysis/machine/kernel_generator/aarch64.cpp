// AArch64: scalar and NEON (both always there), SVE of whatever length.
#include <fmt/format.h>

#include "program.hpp"

namespace roofmark::kernels {
namespace {

enum class Form { gpr, scalar, neon, sve };

struct Encoding {
  const char* name;
  Form form;
  unsigned width_bits;
};
constexpr Encoding encodings[] = {
    {"scalar", Form::scalar, 0}, {"neon", Form::neon, 128}, {"sve", Form::sve, vector_length}};

/// General registers may have more ports than vector ones: a bound of scalar code is the better
/// one.
constexpr Encoding general_registers = {"gpr", Form::gpr, 0};

constexpr unsigned shrink = 30, small = 31;

std::string reg(Form form, bool f64, unsigned number) {
  if (form == Form::scalar) return fmt::format("{}{}", f64 ? "d" : "s", number);
  if (form == Form::neon) return fmt::format("v{}.{}", number, f64 ? "2d" : "4s");
  return fmt::format("z{}.{}", number, f64 ? "d" : "s");
}

void broadcast(Program& p, Form form, bool f64, unsigned number, unsigned offset) {
  if (form == Form::scalar) {
    p.line(fmt::format("ldr {}, [x1, #{}]", reg(form, f64, number), offset));
  } else if (form == Form::neon) {
    p.line(fmt::format("add x2, x1, #{}", offset));
    p.line(fmt::format("ld1r {{{}}}, [x2]", reg(form, f64, number)));
  } else {
    p.line(fmt::format("ld1r{} {{{}}}, p0/z, [x1, #{}]", f64 ? "d" : "w", reg(form, f64, number),
                       offset));
  }
}

void apply(Program& p, Form form, bool f64, const std::string& operation, unsigned accumulator) {
  const std::string acc = reg(form, f64, accumulator);
  const std::string by = reg(form, f64, operation == "add" ? small : shrink);
  const std::string plus = reg(form, f64, small);
  if (operation == "fma") {
    // Scalar adds the product to a third register; NEON adds it to the accumulator itself, so there
    // the product is of two constants; SVE's fmad multiplies the accumulator.
    if (form == Form::scalar) p.line(fmt::format("fmadd {}, {}, {}, {}", acc, acc, by, plus));
    if (form == Form::neon) p.line(fmt::format("fmla {}, {}, {}", acc, by, plus));
    if (form == Form::sve) p.line(fmt::format("fmad {}, p0/m, {}, {}", acc, by, plus));
    return;
  }
  const std::string name = "f" + operation;
  if (operation == "sqrt")
    p.line(form == Form::sve ? fmt::format("fsqrt {}, p0/m, {}", acc, by)
                             : fmt::format("fsqrt {}, {}", acc, by));
  else if (operation == "div" && form == Form::sve)
    p.line(fmt::format("fdiv {}, p0/m, {}, {}", acc, acc, by));
  else
    p.line(fmt::format("{} {}, {}, {}", name, acc, acc, by));
}

/// The AAPCS keeps d8 to d15 for the caller.
void save(Program& p) {
  for (unsigned i = 8; i < 16; i += 2) p.line(fmt::format("stp d{}, d{}, [sp, #-16]!", i, i + 1));
}
void restore(Program& p) {
  for (unsigned i = 16; i > 8; i -= 2) p.line(fmt::format("ldp d{}, d{}, [sp], #16", i - 2, i - 1));
}

Row open(Program& p, const Encoding& e, bool f64, const std::string& operation,
         const std::string& variant, unsigned accumulators) {
  Row row;
  row.symbol =
      fmt::format("roofmark_k_{}_{}_{}_{}", e.name, f64 ? "f64" : "f32", operation, variant);
  row.kind = "compute";
  row.precision = f64 ? "f64" : "f32";
  row.isa = e.name;
  row.encoding = e.form == Form::sve ? "sve" : "neon";
  row.operation = operation;
  row.width_bits = e.width_bits;
  row.accumulators = accumulators;
  row.flop_per_lane = operation == "fma" ? 2 : 1;
  p.begin_function(row.symbol);
  save(p);
  if (e.form == Form::sve) p.line("ptrue p0.b");
  broadcast(p, e.form, f64, shrink, f64 ? shrink_f64 : shrink_f32);
  broadcast(p, e.form, f64, small, f64 ? small_f64 : small_f32);
  for (unsigned i = 0; i < accumulators; ++i)
    broadcast(p, e.form, f64, i, f64 ? shrink_f64 : shrink_f32);
  p.line(".p2align 5");
  p.label("1");
  return row;
}

void close(Program& p, Row row, unsigned instructions) {
  p.line("subs x0, x0, #1");
  p.line("b.ne 1b");
  restore(p);
  p.line("ret");
  p.end_function(row.symbol);
  row.instructions = instructions;
  p.add(row);
}

void compute(Program& p, const Encoding& e, bool f64) {
  for (const unsigned n : {8U, 12U, 16U, 20U, 24U, 28U})
    for (const char* operation : {"fma", "add", "mul", "div", "sqrt"}) {
      const bool slow = operation[0] == 'd' || operation[0] == 's';
      if (slow && n > 12) continue;  // so slow that few accumulators do
      const unsigned instructions = (slow ? 24 : body_length) / n * n;
      const Row row = open(p, e, f64, operation, std::to_string(n), n);
      for (unsigned i = 0; i < instructions; ++i) apply(p, e.form, f64, operation, i % n);
      close(p, row, instructions);
    }
  for (const Mix& mix : {Mix{8, 8}, Mix{12, 12}, Mix{14, 14, true}, Mix{16, 0, false, true}}) {
    const Row row = open(p, e, f64, "muladd", mix_name(mix), mix.multiplied + mix.added);
    close(p, row,
          emit_mix(
              mix, [&](unsigned i) { apply(p, e.form, f64, "mul", i); },
              [&](unsigned i) { apply(p, e.form, f64, "add", i); }));
  }
}

/// One element through general registers; the triad adds without a factor.
void move_word(Program& p, const std::string& pattern, unsigned i) {
  const unsigned r = pattern == "write" ? 12 : 12 + i % 3;
  if (pattern != "write") p.line(fmt::format("ldr x{}, [x1, #{}]", r, i * 8));
  if (pattern == "triad") {
    p.line(fmt::format("ldr x{}, [x2, #{}]", r + 3, i * 8));
    p.line(fmt::format("add x{0}, x{0}, x{1}", r, r + 3));
  }
  if (pattern != "read") p.line(fmt::format("str x{}, [x0, #{}]", r, i * 8));
}

/// One array element group: load, store or triad of vector `i` of the iteration. Addresses are in
/// x0 (written), x1 and x2 (read), which the loop advances.
void move_vector(Program& p, Form form, const std::string& pattern, bool nt, unsigned i) {
  if (form == Form::gpr) {
    move_word(p, pattern, i);
    return;
  }
  const unsigned bytes = form == Form::scalar ? 8 : 16;
  const unsigned r = i % 8, product = 16 + i % 8;
  auto name = [&](unsigned number) {
    return form == Form::scalar ? fmt::format("d{}", number) : fmt::format("q{}", number);
  };
  auto load = [&](unsigned to, const char* base) {
    if (form == Form::sve)
      p.line(fmt::format("ld1d {{z{}.d}}, p0/z, [{}, #{}, mul vl]", to, base, i % 8));
    else
      p.line(fmt::format("ldr {}, [{}, #{}]", name(to), base, i * bytes));
  };
  unsigned stored = 31;
  if (pattern != "write") {
    load(r, "x1");
    stored = r;
  }
  if (pattern == "triad") {
    load(product, "x2");
    if (form == Form::scalar)
      p.line(fmt::format("fmadd d{0}, d{1}, d31, d{0}", r, product));
    else if (form == Form::neon)
      p.line(fmt::format("fmla v{}.2d, v{}.2d, v31.2d", r, product));
    else
      p.line(fmt::format("fmla z{}.d, p0/m, z{}.d, z31.d", r, product));
  }
  if (pattern == "read") return;
  if (form == Form::sve)
    p.line(fmt::format("st{}1d {{z{}.d}}, {}, [x0, #{}, mul vl]", nt ? "nt" : "", stored, "p0",
                       i % 8));
  else if (!nt)
    p.line(fmt::format("str {}, [x0, #{}]", name(stored), i * bytes));
  else if (i % 2 == 1)  // STNP writes pairs
    p.line(fmt::format("stnp {}, {}, [x0, #{}]", name(pattern == "write" ? 31 : r - 1),
                       name(stored), (i - 1) * bytes));
}

void move(Program& p, const Encoding& e, const std::string& operation) {
  const bool nt = operation.ends_with("_nt");
  const std::string pattern = operation.substr(0, operation.find('_'));
  const unsigned unroll = e.form == Form::sve ? 8 : 16;
  const unsigned element_bytes = e.form == Form::neon ? 16 : 8;  // SVE counts in vectors
  Row row;
  row.symbol = fmt::format("roofmark_k_{}_{}", e.name, operation);
  row.kind = "bandwidth";
  row.precision = "f64";
  row.isa = e.name;
  row.encoding = e.form == Form::sve ? "sve" : "neon";
  row.operation = operation;
  row.width_bits = e.width_bits;
  row.vectors_per_iteration = unroll;
  p.begin_function(row.symbol);
  if (e.form == Form::sve) p.line("ptrue p0.d");
  if (e.form == Form::gpr) p.line("mov x12, #1");
  if (e.form == Form::scalar) p.line("fmov d31, #0.5");
  if (e.form == Form::neon) p.line("fmov v31.2d, #0.5");
  if (e.form == Form::sve) p.line("fmov z31.d, #0.5");
  for (unsigned i = 0; i < 3; ++i) p.line(fmt::format("mov x{}, x{}", 9 + i, i));
  p.line(".p2align 5");
  p.label("2");
  for (unsigned i = 0; i < 3; ++i) p.line(fmt::format("mov x{}, x{}", i, 9 + i));
  p.line("mov x5, x3");
  p.line(".p2align 5");
  p.label("1");
  for (unsigned i = 0; i < unroll; ++i) move_vector(p, e.form, pattern, nt, i);
  for (unsigned i = 0; i < 3; ++i)
    p.line(e.form == Form::sve ? fmt::format("incb x{}, all, mul #{}", i, unroll)
                               : fmt::format("add x{0}, x{0}, #{1}", i, unroll * element_bytes));
  if (e.form == Form::sve) {
    p.line(fmt::format("decb x5, all, mul #{}", unroll));
    p.line("cmp x5, #0");
    p.line("b.gt 1b");
  } else {
    p.line(fmt::format("subs x5, x5, #{}", unroll * element_bytes));
    p.line("b.gt 1b");
  }
  p.line("subs x4, x4, #1");
  p.line("b.ne 2b");
  p.line("ret");
  p.end_function(row.symbol);
  p.add(row);
}

void clock_loop(Program& p) {
  const unsigned links = 128;
  p.begin_function("roofmark_k_clock");
  p.line("mov x2, #1");
  p.line("mov x3, #3");
  p.line(".p2align 5");
  p.label("1");
  for (unsigned i = 0; i < links; ++i) p.line("add x2, x2, x3");
  p.line("subs x0, x0, #1");
  p.line("b.ne 1b");
  p.line("ret");
  p.end_function("roofmark_k_clock");
  p.add({"roofmark_k_clock", "clock", "f64", "scalar", "neon", "add", 0, 1, links, 1, 0});
}

}  // namespace

void generate_aarch64(Program& p) {
  p.prologue = "  .arch armv8.2-a+sve\n";
  clock_loop(p);
  // The caller asks this only where the CPU has SVE.
  p.begin_function("roofmark_vector_bytes");
  p.line("cntb x0");
  p.line("ret");
  p.end_function("roofmark_vector_bytes");
  for (const char* operation : {"read", "write", "copy", "triad"})
    move(p, general_registers, operation);
  for (const Encoding& e : encodings) {
    for (const bool f64 : {true, false}) compute(p, e, f64);
    for (const char* operation :
         {"read", "write", "copy", "triad", "write_nt", "copy_nt", "triad_nt"}) {
      if (e.form == Form::scalar && std::string(operation).ends_with("_nt")) continue;
      move(p, e, operation);
    }
  }
}

}  // namespace roofmark::kernels
