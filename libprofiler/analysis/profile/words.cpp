#include <algorithm>
#include <array>
#include <cstddef>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <roofmark/words.hpp>

namespace roofmark {
namespace {

// Order follows the enumerations in words.hpp; a missing entry fails the round-trip test.
constexpr std::array<std::string_view, 6> sources = {"measured", "counted",   "modelled",
                                                     "declared", "estimated", "theoretical"};
constexpr std::array<std::string_view, 4> scopes = {"thread", "process", "socket", "device"};
constexpr std::array<std::string_view, 9> precisions = {"f64", "f32", "f16", "bf16", "tf32",
                                                        "fp8", "fp4", "x87", "any"};
constexpr std::array<std::string_view, 7> operations = {"fma", "add",  "mul",  "muladd",
                                                        "div", "sqrt", "other"};
constexpr std::array<std::string_view, 4> sides = {"memory", "compute", "balanced", "unknown"};
constexpr std::array<std::string_view, 13> verdicts = {
    "memory", "compute", "balanced",  "latency", "serial",     "imbalanced",  "communication",
    "launch", "no_flop", "too_small", "at_roof", "above_roof", "undetermined"};

template <class Word, std::size_t N>
std::string_view spell(const std::array<std::string_view, N>& words, Word word) {
  const auto index = static_cast<std::size_t>(word);
  return index < N ? words[index] : std::string_view("unknown");
}

template <class Word, std::size_t N>
std::optional<Word> find(const std::array<std::string_view, N>& words, std::string_view text) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == text) return static_cast<Word>(i);
  return std::nullopt;
}

}  // namespace

std::string_view spelling(Source word) {
  return spell(sources, word);
}
std::string_view spelling(Scope word) {
  return spell(scopes, word);
}
std::string_view spelling(Precision word) {
  return spell(precisions, word);
}
std::string_view spelling(Operation word) {
  return spell(operations, word);
}
std::string_view spelling(Side word) {
  return spell(sides, word);
}
std::string_view spelling(Verdict word) {
  return spell(verdicts, word);
}

template <>
std::optional<Source> parse_word<Source>(std::string_view text) {
  return find<Source>(sources, text);
}
template <>
std::optional<Scope> parse_word<Scope>(std::string_view text) {
  return find<Scope>(scopes, text);
}
template <>
std::optional<Precision> parse_word<Precision>(std::string_view text) {
  return find<Precision>(precisions, text);
}
template <>
std::optional<Operation> parse_word<Operation>(std::string_view text) {
  return find<Operation>(operations, text);
}
template <>
std::optional<Side> parse_word<Side>(std::string_view text) {
  return find<Side>(sides, text);
}
template <>
std::optional<Verdict> parse_word<Verdict>(std::string_view text) {
  return find<Verdict>(verdicts, text);
}

bool has_visits(const Region& region) {
  return region.found_by.empty() &&
         std::none_of(region.missing.begin(), region.missing.end(),
                      [](const Missing& missing) { return missing.quantity == "visits"; });
}

std::optional<double> mean_rank_s(const Region& region) {
  if (region.ranks) return region.ranks->mean_s;
  return region.work.wall_s ? std::optional(region.work.wall_s->value) : std::nullopt;
}

std::string to_line(const Problem& problem) {
  std::string line;
  if (!problem.where.empty()) line += problem.where + ": ";
  line += problem.reason;
  if (!problem.remedy.empty()) line += "; " + problem.remedy;
  return line;
}

}  // namespace roofmark
