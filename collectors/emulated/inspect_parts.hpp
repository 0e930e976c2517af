// The parts of an inspection, each a pure function of the file.
#pragma once

#include "elf_file.hpp"
#include "inspect.hpp"

namespace roofmark::emulated {

EvexSigns evex_signs(const ElfFile& elf);
EvexSigns evex_signs_in(Bytes code);

}  // namespace roofmark::emulated
