// x86-64: scalar, SSE, AVX (128 and 256 bits) and AVX-512, in Intel syntax.
#include <fmt/format.h>

#include <algorithm>

#include "program.hpp"

namespace roofmark::kernels {
namespace {

struct Encoding {
  const char* name;     ///< part of the symbol
  const char* isa;      ///< what the ceiling is called
  const char* feature;  ///< of everything but FMA
  const char* fma_feature;
  unsigned width_bits;
  char bank;  ///< 'x', 'y' or 'z'
  bool vex;   ///< three operands
  unsigned registers;
};

// "avx" is renamed to "avx2" at run time where the CPU has that.
constexpr Encoding encodings[] = {
    {"scalar_sse", "scalar", "sse2", "", 0, 'x', false, 16},
    {"scalar_vex", "scalar", "avx", "fma", 0, 'x', true, 16},
    {"sse", "sse", "sse2", "", 128, 'x', false, 16},
    {"avx128", "avx128", "avx", "fma", 128, 'x', true, 16},
    {"avx256", "avx", "avx", "fma", 256, 'y', true, 16},
    {"avx512", "avx512", "avx512f", "avx512f", 512, 'z', true, 32},
};

std::string vector_register(const Encoding& e, unsigned number) {
  return fmt::format("{}mm{}", e.bank, number);
}

std::string suffix(const Encoding& e, bool f64) {
  return std::string(e.width_bits == 0 ? "s" : "p") + (f64 ? "d" : "s");
}

/// Fills register `number` with the constant at [rsi + offset].
void broadcast(Program& p, const Encoding& e, bool f64, unsigned number, unsigned offset) {
  const std::string to = vector_register(e, number);
  const std::string low = fmt::format("xmm{}", number);
  const char* scalar = f64 ? "sd" : "ss";
  if (!e.vex) {
    p.line(fmt::format("mov{} {}, [rsi + {}]", scalar, low, offset));
    if (e.width_bits != 0 && f64) p.line(fmt::format("unpcklpd {0}, {0}", low));
    if (e.width_bits != 0 && !f64) p.line(fmt::format("shufps {0}, {0}, 0", low));
  } else if (e.width_bits == 0) {
    p.line(fmt::format("vmov{} {}, [rsi + {}]", scalar, low, offset));
  } else if (e.width_bits == 128 && f64) {
    p.line(fmt::format("vmovddup {}, [rsi + {}]", low, offset));
  } else {
    p.line(fmt::format("vbroadcast{} {}, {} ptr [rsi + {}]", scalar, to, f64 ? "qword" : "dword",
                       offset));
  }
}

/// operation acc, acc, operand in either encoding.
void apply(Program& p, const Encoding& e, bool f64, const char* operation, unsigned accumulator,
           unsigned operand) {
  const std::string acc = vector_register(e, accumulator);
  const std::string with = vector_register(e, operand);
  if (e.vex)
    p.line(fmt::format("v{}{} {}, {}, {}", operation, suffix(e, f64), acc, acc, with));
  else
    p.line(fmt::format("{}{} {}, {}", operation, suffix(e, f64), acc, with));
}

void square_root(Program& p, const Encoding& e, bool f64, unsigned accumulator, unsigned operand) {
  const std::string to = vector_register(e, accumulator);
  const std::string from = vector_register(e, operand);
  // The scalar VEX form merges the upper lanes of its first source: the constant, so nothing
  // chains.
  if (e.vex && e.width_bits == 0)
    p.line(fmt::format("vsqrt{} {}, {}, {}", suffix(e, f64), to, from, from));
  else
    p.line(fmt::format("{}sqrt{} {}, {}", e.vex ? "v" : "", suffix(e, f64), to, from));
}

class ComputeKernel {
 public:
  ComputeKernel(Program& p, const Encoding& e, bool f64, const std::string& operation,
                const std::string& variant, unsigned accumulators)
      : p_(p), e_(e) {
    symbol_ =
        fmt::format("roofmark_k_{}_{}_{}_{}", e.name, f64 ? "f64" : "f32", operation, variant);
    p.begin_function(symbol_);
    // The two constants sit in the last two registers, the accumulators in the first ones.
    broadcast(p, e, f64, e.registers - 2, f64 ? shrink_f64 : shrink_f32);
    broadcast(p, e, f64, e.registers - 1, f64 ? small_f64 : small_f32);
    for (unsigned i = 0; i < accumulators; ++i)
      broadcast(p, e, f64, i, f64 ? shrink_f64 : shrink_f32);
    p.line(".p2align 5");
    p.label("1");
    row_.symbol = symbol_;
    row_.kind = "compute";
    row_.precision = f64 ? "f64" : "f32";
    row_.isa = e.isa;
    row_.encoding = operation == "fma" ? e.fma_feature : e.feature;
    row_.operation = operation;
    row_.width_bits = e.width_bits;
    row_.accumulators = accumulators;
    row_.flop_per_lane = operation == "fma" ? 2 : 1;
  }
  void finish(unsigned instructions) {
    p_.line("sub rdi, 1");
    p_.line("jnz 1b");
    if (e_.bank != 'x') p_.line("vzeroupper");
    p_.line("ret");
    p_.end_function(symbol_);
    row_.instructions = instructions;
    p_.add(row_);
  }

 private:
  Program& p_;
  const Encoding& e_;
  std::string symbol_;
  Row row_;
};

void compute(Program& p, const Encoding& e, bool f64) {
  const unsigned shrink = e.registers - 2, small = e.registers - 1;
  const std::vector<unsigned> counts = e.registers == 32
                                           ? std::vector<unsigned>{8, 12, 16, 20, 24, 28}
                                           : std::vector<unsigned>{4, 6, 8, 10, 12, 14};
  for (const unsigned n : counts) {
    const unsigned instructions = body_length / n * n;
    const std::string variant = std::to_string(n);
    if (e.fma_feature[0] != 0) {
      ComputeKernel k(p, e, f64, "fma", variant, n);
      for (unsigned i = 0; i < instructions; ++i)
        p.line(fmt::format("vfmadd213{} {}, {}, {}", suffix(e, f64), vector_register(e, i % n),
                           vector_register(e, shrink), vector_register(e, small)));
      k.finish(instructions);
    }
    for (const char* operation : {"add", "mul"}) {
      ComputeKernel k(p, e, f64, operation, variant, n);
      const bool adds = operation[0] == 'a';
      for (unsigned i = 0; i < instructions; ++i)
        apply(p, e, f64, operation, i % n, adds ? small : shrink);
      k.finish(instructions);
    }
    if (n > 12) continue;  // divide and square root are so slow that few accumulators do
    for (const char* operation : {"div", "sqrt"}) {
      ComputeKernel k(p, e, f64, operation, variant, n);
      const unsigned slow = 24 / n * n;
      for (unsigned i = 0; i < slow; ++i)
        operation[0] == 'd' ? apply(p, e, f64, "div", i % n, shrink)
                            : square_root(p, e, f64, i % n, shrink);
      k.finish(slow);
    }
  }
  const std::vector<Mix> mixes =
      e.registers == 32
          ? std::vector<Mix>{{8, 8},
                             {12, 12},
                             {12, 12, true},
                             {14, 14, true},
                             {16, 0, false, true},
                             {24, 0, false, true}}
          : std::vector<Mix>{{6, 6}, {6, 6, true},        {7, 7}, {7, 7, true}, {8, 6, true},
                             {8, 6}, {12, 0, false, true}};
  for (const Mix& mix : mixes) {
    ComputeKernel k(p, e, f64, "muladd", mix_name(mix), mix.multiplied + mix.added);
    k.finish(emit_mix(
        mix, [&](unsigned i) { apply(p, e, f64, "mul", i, shrink); },
        [&](unsigned i) { apply(p, e, f64, "add", i, small); }));
  }
}

struct Mover {
  const char* name;
  const char* isa;
  const char* feature;
  unsigned bytes;
  char bank;
  bool vex;
};
// General registers may have more ports than vector ones: a bound of scalar code is the better one.
constexpr Mover movers[] = {
    {"gpr", "gpr", "sse2", 8, 'r', false},          {"scalar", "scalar", "sse2", 8, 'x', false},
    {"sse", "sse", "sse2", 16, 'x', false},         {"avx", "avx", "avx", 32, 'y', true},
    {"avx512", "avx512", "avx512f", 64, 'z', true},
};

/// Elements `first` to `end` through general registers, all loads before the stores; the triad adds
/// without a factor. Loads and stores in threes were the fastest of one to six.
constexpr unsigned words_together = 3;
template <class At>
void move_words(Program& p, const std::string& pattern, At at, unsigned first, unsigned end) {
  constexpr const char* registers[words_together] = {"rax", "r10", "r11"};
  for (unsigned i = first; i < end && pattern != "write"; ++i) {
    p.line(fmt::format("mov {}, {}", registers[i - first], at("rsi", i)));
    if (pattern == "triad") p.line(fmt::format("add {}, {}", registers[i - first], at("rdx", i)));
  }
  for (unsigned i = first; i < end && pattern != "read"; ++i)
    p.line(fmt::format("mov {}, {}", at("rdi", i), registers[pattern == "write" ? 0 : i - first]));
}

void move(Program& p, const Mover& m, const std::string& operation, bool fma) {
  const std::string symbol =
      fmt::format("roofmark_k_{}_{}{}", m.name, operation, fma ? "_fma" : "");
  const bool nt = operation.ends_with("_nt");
  const std::string pattern = operation.substr(0, operation.find('_'));
  const bool scalar = m.bytes == 8;
  const char* packed = scalar ? "sd" : "pd";
  const std::string vex = m.vex ? "v" : "";
  const std::string load = vex + (scalar ? "movsd" : "movapd");
  const std::string store = vex + (scalar ? "movsd" : nt ? "movntpd" : "movapd");
  const unsigned unroll = scalar ? 32 : 16;
  auto reg = [&](unsigned i) { return fmt::format("{}mm{}", m.bank, i); };
  auto at = [&](const char* base, unsigned i) {
    return fmt::format("[{} + r9 + {}]", base, i * m.bytes);
  };

  p.begin_function(symbol);
  // rdi, rsi, rdx: arrays; rcx: bytes; r8: passes; r9 runs from -bytes to 0 behind their ends.
  for (const char* base : {"rdi", "rsi", "rdx"}) p.line(fmt::format("add {}, rcx", base));
  p.line("neg rcx");
  const unsigned constant = 15;
  p.line("mov rax, 0x3fefae147ae147ae");  // 0.99
  p.line(fmt::format("{}movq xmm{}, rax", vex, constant));
  if (!m.vex) p.line(fmt::format("unpcklpd xmm{0}, xmm{0}", constant));
  if (m.bank == 'y') {
    p.line("vunpcklpd xmm15, xmm15, xmm15");
    p.line("vinsertf128 ymm15, ymm15, xmm15, 1");
  }
  if (m.bank == 'z') p.line("vbroadcastsd zmm15, xmm15");
  p.line(".p2align 5");
  p.label("2");
  p.line("mov r9, rcx");
  p.line(".p2align 5");
  p.label("1");
  for (unsigned i = 0; i < unroll; ++i) {
    if (m.bank == 'r') {
      if (i % words_together == 0)
        move_words(p, pattern, at, i, std::min(unroll, i + words_together));
      continue;
    }
    const std::string r = reg(i % 8);
    if (pattern == "write") {
      p.line(fmt::format("{} {}, {}", store, at("rdi", i), reg(constant)));
      continue;
    }
    p.line(fmt::format("{} {}, {}", load, r, at("rsi", i)));
    if (pattern == "triad" && fma) {
      p.line(fmt::format("vfmadd231{} {}, {}, {}", packed, r, reg(constant), at("rdx", i)));
    } else if (pattern == "triad" && m.vex) {
      p.line(fmt::format("vmul{} {}, {}, {}", packed, reg(8 + i % 6), reg(constant), at("rdx", i)));
      p.line(fmt::format("vadd{} {}, {}, {}", packed, r, r, reg(8 + i % 6)));
    } else if (pattern == "triad") {
      p.line(fmt::format("{} {}, {}", load, reg(8 + i % 6), at("rdx", i)));
      p.line(fmt::format("mul{} {}, {}", packed, reg(8 + i % 6), reg(constant)));
      p.line(fmt::format("add{} {}, {}", packed, r, reg(8 + i % 6)));
    }
    if (pattern != "read") p.line(fmt::format("{} {}, {}", store, at("rdi", i), r));
  }
  p.line(fmt::format("add r9, {}", unroll * m.bytes));
  p.line("jnz 1b");
  p.line("sub r8, 1");
  p.line("jnz 2b");
  if (nt) p.line("sfence");
  if (m.bank != 'x') p.line("vzeroupper");
  p.line("ret");
  p.end_function(symbol);
  p.add({symbol, "bandwidth", "f64", m.isa, fma ? (m.bank == 'z' ? "avx512f" : "fma") : m.feature,
         operation, m.bytes == 8 ? 0 : m.bytes * 8, 0, 0, 1, unroll});
}

void clock_loop(Program& p) {
  const unsigned links = 128;
  p.begin_function("roofmark_k_clock");
  p.line("mov eax, 1");
  p.line("mov ecx, 3");
  p.line(".p2align 5");
  p.label("1");
  // Register to register: some cores drop additions of an immediate at rename.
  for (unsigned i = 0; i < links; ++i) p.line("add rax, rcx");
  p.line("sub rdi, 1");
  p.line("jnz 1b");
  p.line("ret");
  p.end_function("roofmark_k_clock");
  p.add({"roofmark_k_clock", "clock", "f64", "scalar", "sse2", "add", 0, 1, links, 1, 0});
}

}  // namespace

void generate_x86_64(Program& p) {
  p.prologue = "  .intel_syntax noprefix\n";
  clock_loop(p);
  for (const Encoding& e : encodings)
    for (const bool f64 : {true, false}) compute(p, e, f64);
  for (const Mover& m : movers) {
    for (const char* operation : {"read", "write", "copy", "triad"}) move(p, m, operation, false);
    if (m.vex) move(p, m, "triad", true);
    if (m.bytes == 8) continue;
    for (const char* operation : {"write_nt", "copy_nt", "triad_nt"}) move(p, m, operation, false);
    if (m.vex) move(p, m, "triad_nt", true);
  }
}

}  // namespace roofmark::kernels
