// What CUPTI's host half said of the chips' metrics, kept for where it is not installed:
// passes.json in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chip_table.hpp"
#include "run_packing.hpp"

namespace roofmark::cupti {

/// Chips for which everything is the same.
struct PassGroup {
  std::vector<std::string> chips;
  std::map<std::string, int> passes;  ///< of each metric by itself
  /// "sass", "tensor", "hw.interface", "hw.nersc", "hw.ncu"; `tensor` of all types there are.
  std::map<std::string, std::vector<PackedRun>> runs;
};

struct PassTable {
  std::string made_by;
  std::vector<PassGroup> groups;
  const PassGroup* of_chip(std::string_view chip) const;
};

Result<PassTable> pass_table_from_json(std::string_view text, const std::string& name);
Result<PassTable> load_pass_table(const std::filesystem::path& folder);
std::string to_json(const PassTable& table);

/// What is to be counted of one set, in the order in which it is packed. For `tensor` the usual
/// types come first.
std::vector<PackedItem> items_of(const Chip& chip, const std::string& set,
                                 const std::string& traffic,
                                 const std::vector<std::string>& tensor_types);

/// Types of tensor operations that the chip counts, the usual ones first.
std::vector<std::string> tensor_types(const Chip& chip, const std::vector<std::string>& usual);

/// Metrics that each run of the set has where that is free: launches are weighted by their time.
Metrics every_run_of(const std::string& set);

inline const std::vector<std::string> traffic_words = {"interface", "nersc", "ncu"};

/// The table for these chips, made by asking. `passes_of` is asked with the chip's name first.
PassTable make_pass_table(
    const ChipTable& chips, const std::string& made_by,
    const std::function<std::optional<int>(const std::string&, const Metrics&)>& passes_of);

}  // namespace roofmark::cupti
