#include "sampling_error.hpp"

#include <algorithm>
#include <analysis/text/parsing.hpp>
#include <cmath>
#include <string_view>
#include <vector>

namespace roofmark {
namespace {

constexpr double line_bytes = 64;
constexpr double nearly_all = 0.9;     // as cache/traffic.hpp has it
constexpr double least_told = 0.005;   // half of the third digit of most numbers
constexpr double standard_errors = 2;  // 95 %

/// One of how many sets; 1 where it is no such label.
double sets_per_sampled(std::string_view label) {
  constexpr std::string_view head = "sets 1/";
  if (!label.starts_with(head)) return 1;
  return text::whole_number<unsigned>(label.substr(head.size())).value_or(1);
}

/// Inner levels first: L1, L2, L3, memory.
std::vector<std::string> in_order(const std::map<std::string, CountedTraffic>& bytes) {
  std::vector<std::string> levels;
  for (const auto& [level, traffic] : bytes) levels.push_back(level);
  std::stable_sort(levels.begin(), levels.end(), [](const std::string& a, const std::string& b) {
    return (a.front() == 'L') != (b.front() == 'L') ? a.front() == 'L' : a < b;
  });
  return levels;
}

/// Of what passes a level, of which `came` came up to it with an error of their own.
double error_of(double passed, double came, double came_error, double sets) {
  const double sampled = passed / line_bytes / sets;
  if (!(sampled > 0)) return 0;
  const double share = came > 0 ? passed / came : 0;
  if (share >= nearly_all)
    return std::hypot(came_error, std::sqrt(std::max(0.0, 1 - share) / (share * sampled)));
  return std::sqrt((1 - 1 / sets) / sampled);
}

double told(double standard_error) {
  const double error = standard_errors * standard_error;
  return error < least_told ? 0 : error;
}

}  // namespace

std::map<std::string, SamplingError> sampling_errors(
    const std::map<std::string, CountedTraffic>& bytes, const std::string& sampling) {
  std::map<std::string, SamplingError> errors;
  const double sets = sets_per_sampled(sampling);
  if (!(sets > 1)) return errors;
  SamplingError before;
  const CountedTraffic* came = nullptr;
  for (const std::string& level : in_order(bytes)) {
    const CountedTraffic& traffic = bytes.at(level);
    // All that L1 lets through is simulated.
    if (level == "L1" || level == "L2") {
      came = &traffic;
      continue;
    }
    const auto of = [&](const CountRange& passed, const CountRange* up, double error) {
      return error_of(static_cast<double>(passed.value),
                      up != nullptr ? static_cast<double>(up->value) : 0, error, sets);
    };
    const SamplingError now{
        of(traffic.read, came != nullptr ? &came->read : nullptr, before.read),
        of(traffic.write, came != nullptr ? &came->write : nullptr, before.write)};
    errors[level] = {told(now.read), told(now.write)};
    before = now;
    came = &traffic;
  }
  return errors;
}

}  // namespace roofmark
