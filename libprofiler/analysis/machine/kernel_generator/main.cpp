// Writes the measuring kernels of one architecture: assembly, and the table that the analysis
// reads.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "program.hpp"

namespace {

using roofmark::kernels::Program;
using roofmark::kernels::Row;

std::string table(const Program& program) {
  std::string text =
      "// Generated beside the assembly of the same name.\n#include "
      "\"analysis/machine/kernel.hpp\"\n\n";
  text += "extern \"C\" {\n";
  for (const Row& row : program.rows()) text += fmt::format("void {}();\n", row.symbol);
  text += "}\n\nnamespace roofmark {\nnamespace {\n\nconst Kernel table[] = {\n";
  for (const Row& row : program.rows())
    text += fmt::format(
        "    {{\"{}\", Kernel::Kind::{}, Precision::{}, \"{}\", \"{}\", \"{}\", {}, {}, {}, {}, "
        "{}, {}}},\n",
        row.symbol, row.kind, row.precision, row.isa, row.encoding, row.operation,
        row.width_bits == roofmark::kernels::vector_length ? "vector_length"
                                                           : std::to_string(row.width_bits),
        row.accumulators, row.instructions, row.flop_per_lane, row.vectors_per_iteration,
        row.symbol);
  text +=
      "};\n\n}  // namespace\n\nstd::span<const Kernel> all_kernels() { return table; }\n\n}  // "
      "namespace roofmark\n";
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: kernel_generator x86_64|aarch64|riscv64 OUT.S OUT.cpp\n", stderr);
    return 2;
  }
  const std::string architecture = argv[1];
  Program program("// Measuring kernels for " + architecture + ", generated; do not edit.");
  if (architecture == "x86_64")
    roofmark::kernels::generate_x86_64(program);
  else if (architecture == "aarch64")
    roofmark::kernels::generate_aarch64(program);
  else if (architecture == "riscv64")
    roofmark::kernels::generate_riscv64(program);
  else
    return 2;
  std::ofstream(argv[2]) << program.assembly();
  std::ofstream rows(argv[3]);
  rows << table(program);
  return rows.good() ? 0 : 1;
}
