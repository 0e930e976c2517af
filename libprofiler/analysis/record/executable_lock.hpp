// Two recordings of one executable at a time. The kernel's probes are breakpoints in the memory of
// every process that executes the file: in one that is being counted, the emulator would find them
// in the place of the program's own instructions.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <optional>
#include <string>

namespace roofmark {

/// To be held while the file is probed. Nothing: another recording probes or counts it. Where files
/// can't be locked the descriptor holds nothing.
std::optional<Descriptor> lock_to_probe(const std::string& file);

/// To be held while the file is counted. Nothing: another recording has probed it for `patience_s`.
std::optional<Descriptor> lock_to_count(const std::string& file, double patience_s);

}  // namespace roofmark
