// What the generator writes: assembly text and, beside it, one table row per kernel.
#pragma once

#include <string>
#include <vector>

namespace roofmark::kernels {

/// One row of the table in kernel.hpp. Strings are spelt as C++ there.
struct Row {
  std::string symbol;
  std::string kind;       ///< "compute", "bandwidth" or "clock"
  std::string precision;  ///< "f64" or "f32"; bandwidth kernels move bytes: "f64"
  std::string isa;        ///< ceiling's isa
  std::string
      encoding;  ///< the CPU feature that it needs: "sse2", "avx", "fma", "avx512f", "neon", ...
  std::string operation;    ///< "fma", ...; "read", ... for bandwidth
  unsigned width_bits = 0;  ///< 0: scalar; vector_length: as long as the machine's vectors
  unsigned accumulators = 0;
  unsigned instructions = 0;   ///< arithmetic instructions (or chain links) in one iteration
  unsigned flop_per_lane = 1;  ///< per instruction
  unsigned vectors_per_iteration = 0;  ///< bandwidth: vectors of one array that an iteration covers
};

inline constexpr unsigned vector_length = ~0U;

/// Assembly under construction.
class Program {
 public:
  explicit Program(std::string comment) : comment_(std::move(comment)) {}

  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  void label(const std::string& name) { body_ += name + ":\n"; }
  void begin_function(const std::string& symbol) {
    body_ += "\n  .globl " + symbol + "\n  .hidden " + symbol + "\n  .type " + symbol +
             ", %function\n  .p2align 6\n" + symbol + ":\n";
  }
  void end_function(const std::string& symbol) {
    body_ += "  .size " + symbol + ", .-" + symbol + "\n";
  }
  void add(Row row) { rows_.push_back(std::move(row)); }

  std::string prologue;  ///< directives before the code

  std::string assembly() const {
    return comment_ + "\n" + prologue + "  .text\n" + body_ +
           "\n  .section .note.GNU-stack,\"\",%progbits\n";
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::string comment_;
  std::string body_;
  std::vector<Row> rows_;
};

/// Every kernel follows one of two conventions, whatever the architecture:
///   compute, clock: void f(uint64_t iterations, const KernelConstants*)
///   bandwidth:      void f(void* a, const void* b, const void* c, uint64_t bytes, uint64_t passes)
/// with `bytes` per array a multiple of kernel_chunk_bytes. `a` is written, `b` and `c` are read.
void generate_x86_64(Program& program);
void generate_aarch64(Program& program);
void generate_riscv64(Program& program);

/// Offsets in KernelConstants (kernel.hpp): one value of each precision.
inline constexpr unsigned shrink_f64 = 0, small_f64 = 8, shrink_f32 = 16, small_f32 = 20;

/// Arithmetic instructions in a loop body: long enough that the loop itself costs nothing.
inline constexpr unsigned body_length = 96;

/// Which accumulators the multiplies and adds of a `muladd` kernel use, in order.
struct Mix {
  unsigned multiplied = 0, added = 0;
  bool in_pairs = false;  ///< mul mul add add instead of mul add mul add
  bool chained = false;   ///< each accumulator is multiplied, then added to
};

/// Calls `multiply(i)` and `add(i)` with accumulator numbers; returns how many it called in all.
template <class Multiply, class Add>
unsigned emit_mix(const Mix& mix, Multiply multiply, Add add) {
  const unsigned pairs = body_length / 2;
  unsigned m = 0, a = 0;
  auto next_multiply = [&] { multiply(m++ % mix.multiplied); };
  auto next_add = [&] { add(mix.multiplied + a++ % mix.added); };
  if (mix.chained) {
    const unsigned rounds = pairs / mix.multiplied;
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned i = 0; i < mix.multiplied; ++i) multiply(i);
      for (unsigned i = 0; i < mix.multiplied; ++i) add(i);
    }
    return rounds * mix.multiplied * 2;
  }
  for (unsigned i = 0; i < pairs; i += 2) {
    next_multiply();
    mix.in_pairs ? next_multiply() : next_add();
    mix.in_pairs ? next_add() : next_multiply();
    next_add();
  }
  return pairs * 2;
}

inline std::string mix_name(const Mix& mix) {
  return std::to_string(mix.multiplied) + "_" + std::to_string(mix.added) +
         (mix.chained    ? "c"
          : mix.in_pairs ? "p"
                         : "a");
}

}  // namespace roofmark::kernels
