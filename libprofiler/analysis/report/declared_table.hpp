// What was declared of regions against what was counted of them: a wrong count shows, and a wrong
// formula, and work that the algorithm would not have needed.
#pragma once

#include <cstddef>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "region_row.hpp"

namespace roofmark::report {

struct DeclaredRow {
  std::size_t row = 0;  ///< index of the region's row
  std::string path;
  Figure declared_flop, counted_flop;    ///< FLOPs of all precisions together
  Figure declared_bytes, counted_bytes;  ///< at the level of the table
  Figure flop_ratio, bytes_ratio;        ///< counted per declared
};

struct DeclaredTable {
  std::string level;  ///< the main memory whose bytes are compared
  std::vector<DeclaredRow> rows;
};

/// Regions that have a declaration of their own, where at least one of them was counted too. What a
/// region has from its children's declarations alone is not all of its work.
DeclaredTable declared_table(const Profile& profile, const std::vector<RegionRow>& rows);

/// What was counted alone, of all precisions: no declaration stands in for it here.
Figure counted_flop(const Work& work);

/// Empty where there is nothing to compare.
std::string declared_text(const Profile& profile, const std::vector<RegionRow>& rows,
                          const TextOptions& options);
std::string declared_markdown(const Profile& profile, const std::vector<RegionRow>& rows,
                              const std::vector<std::size_t>& shown);
std::string declared_html(const Profile& profile, const std::vector<RegionRow>& rows,
                          const std::vector<std::size_t>& shown);

}  // namespace roofmark::report
