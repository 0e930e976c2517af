// The parts of a hot function that get rows of their own: what was inlined into it, and its loops.
#pragma once

#include <analysis/symbols/object_symbols.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace roofmark::functions {

/// Processor time by the place of an instruction.
using Weights = std::map<std::uint64_t, double>;

struct Lines {
  std::string file;
  unsigned first = 0, last = 0;  ///< 0: not known
};

struct Part {
  std::string name;  ///< of the inlined function; empty: the rest
  std::vector<symbols::Extent> extents;
  Lines lines;  ///< that most of its time is in
  double weight = 0;
  std::vector<Part> loops = {};  ///< hot ones of it, inner ones before those around them
};

/// Gives a part its loops with at least `least` of the weights, where that tells more than the part
/// does: of several loops, or of one that a tenth of the part's time lies outside of. A sample
/// belongs to the innermost loop that it is in. `loops`: inner ones first.
void add_loops(Part& part, const std::vector<symbols::Extent>& loops,
               const std::vector<symbols::CodeLine>& layout, const Weights& weights, double least);

/// Parts with at least `least` of the weights, the heaviest first; the last is what remains of the
/// function itself and has no name. Every byte of the function is in one of them.
std::vector<Part> parts_of(const symbols::Function& function,
                           const std::vector<symbols::CodeLine>& layout, const Weights& weights,
                           double least);

/// The stretch of lines around the hottest one that nine tenths of the weight is in; of one file.
Lines hot_lines(const std::map<std::pair<std::string, unsigned>, double>& by_line);

}  // namespace roofmark::functions
