// Which code belongs to which row: who claims first has it, so that no byte is counted twice.
#pragma once

#include <analysis/functions/found_program.hpp>
#include <analysis/symbols/object_symbols.hpp>
#include <map>
#include <string>
#include <vector>

namespace roofmark::functions {

class RangeClaims {
 public:
  /// What of the extent was free, now claimed.
  std::vector<CodeRange> claim(const std::string& object, symbols::Extent extent);
  /// All of an object that nobody has claimed.
  std::vector<CodeRange> claim_rest(const std::string& object);

 private:
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> taken_;  ///< first -> end
};

}  // namespace roofmark::functions
