// A comparison as people and machines read it. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "comparison.hpp"
#include "conditions.hpp"

namespace roofmark::comparison {

/// With the conditions, and what each region made of them.
struct Judged {
  const Comparison& comparison;
  const std::vector<Condition>& conditions;
  const std::vector<Outcome>& outcomes;
};

struct TextOptions {
  unsigned width = 80;
  bool utf8 = true;
  bool colour = false;
  bool all = false;  ///< the regions that did not move too
};

std::string render_text(const Judged& judged, const TextOptions& options);
/// For a comment on a change: a table and the sentences.
std::string render_markdown(const Judged& judged);
/// `roofmark-comparison/1`, docs/comparison.schema.json.
std::string render_json(const Judged& judged);
/// One test case for each region and condition.
std::string render_junit(const Judged& judged);
/// Workflow commands of GitHub Actions: an error for each condition that holds.
std::string render_github(const Judged& judged);

/// The regions by time, those in which nothing moved left out unless all are wanted.
std::vector<std::size_t> shown(const Comparison& comparison, bool all);

}  // namespace roofmark::comparison
