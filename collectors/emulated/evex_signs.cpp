// Looks for EVEX prefixes in code without disassembling it from a known start. 62h is an ordinary
// byte of displacements and immediates too; so an instruction only counts if its prefix has its
// fixed bits, the decoder knows what it computes, and another such prefix lies close by: wide code
// comes in crowds, chance does not.
#include "collectors/emulated/x86/decode.hpp"
#include "inspect_parts.hpp"

namespace roofmark::emulated {
namespace {

bool evex_prefix_at(Bytes code, std::size_t at) {
  if (at + 6 > code.size() || code[at] != 0x62) return false;
  const unsigned map = code[at + 1] & 7U;
  const bool known_map = map == 1 || map == 2 || map == 3 || map == 5 || map == 6;
  return known_map && (code[at + 1] & 8) == 0 && (code[at + 2] & 4) != 0;
}

constexpr std::size_t neighbourhood = 64;  // bytes

/// EVEX.W says the same as the mandatory prefix where both give the precision.
bool consistent_width(Bytes code, std::size_t at, const x86::Instruction& i) {
  const bool wide = (code[at + 2] & 0x80) != 0;
  return i.precision == x86::Precision::f64 ? wide : !wide;
}

}  // namespace

EvexSigns evex_signs_in(Bytes code) {
  EvexSigns signs;
  std::size_t last = code.size();  // the prefix before this one; none yet
  bool last_counted = true, last_computes = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (!evex_prefix_at(code, at)) continue;
    const auto instruction = x86::decode(code.data() + at, code.size() - at);
    const bool flop = instruction.kind == x86::Kind::flop;
    const bool known =
        instruction.kind != x86::Kind::other && (!flop || consistent_width(code, at, instruction));
    const bool close = last < at && at - last <= neighbourhood;
    if (close && known) ++signs.instructions;
    if (close && known && flop) ++signs.floating_point;
    // The one before is vouched for by this one.
    if (close && !last_counted) {
      ++signs.instructions;
      if (last_computes) ++signs.floating_point;
    }
    last = at;
    last_counted = (close && known) || !known;
    last_computes = flop;
    at += 5;
  }
  return signs;
}

EvexSigns evex_signs(const ElfFile& elf) {
  EvexSigns signs;
  if (elf.machine() != EM_X86_64) return signs;
  for (const ElfSection& section : elf.sections()) {
    if ((section.header.sh_flags & SHF_EXECINSTR) == 0) continue;
    const EvexSigns here = evex_signs_in(section.content);
    signs.instructions += here.instructions;
    signs.floating_point += here.floating_point;
  }
  return signs;
}

}  // namespace roofmark::emulated
