#include "flag_words.hpp"

#include <array>

namespace roofmark::report {
namespace {

struct FlagWord {
  std::string_view flag, meaning;
};

constexpr std::array<FlagWord, 16> words = {{
    {"above_roof", "faster than its roof allows: a ceiling or a count is wrong"},
    {"adopted",
     "has work of threads that were there before it (a pool's) or whose creator is unknown, taken "
     "for its own because it was open then"},
    {"isa_differs", "the counted pass took another code path than the native one"},
    {"mismatched", "its begin and end were not paired"},
    {"noisy", "the times of its visits, or its ceilings, scatter widely"},
    {"open_at_exit", "still open when the program ended"},
    {"tensor_uncounted",
     "it used matrix units whose operations are not counted: its FLOPs are not all of its work"},
    {"owns_socket",
     "its bytes are those of a socket on which others did less than 5 % of the work"},
    {"other", "stands for paths that were beyond the limit"},
    {"sampled", "only a part of its visits or cache sets was counted"},
    {"too_small", "a visit is so short that the marker's own cost decides; mark a larger scope"},
    {"torn", "its numbers were caught in the middle of a change"},
    {"truncated", "regions inside it that could not be kept are in (other)"},
    {"uncertain_counts",
     "its counts are small against what reading the counters adds and removes; see their ranges"},
    {"unclosed", "still open when the program ended; its time counts up to that moment"},
    {"visits_differ", "its passes did not do the same work"},
}};

}  // namespace

std::string_view meaning_of_flag(std::string_view flag) {
  for (const FlagWord& word : words)
    if (word.flag == flag) return word.meaning;
  return {};
}

}  // namespace roofmark::report
