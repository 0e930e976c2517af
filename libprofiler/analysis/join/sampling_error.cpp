#include "sampling_error.hpp"

#include <algorithm>
#include <analysis/text/parsing.hpp>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace roofmark {
namespace {

constexpr double line_bytes = 64;
constexpr double nearly_all = 0.9;     // as cache/traffic.hpp has it
constexpr double least_told = 0.005;   // half of the third digit of most numbers
constexpr double standard_errors = 2;  // 95 %

/// By lines seen, the largest mean of a Poisson distribution that has as few with 5 %: where
/// e^-m (1 + m + ... + m^n / n!) is 0.05, rounded up. F. Garwood, "Fiducial limits for the Poisson
/// distribution", Biometrika 28 (1936).
constexpr std::array most_lines = {3.00,  4.75,  6.30,  7.76,  9.16,  10.52, 11.85,
                                   13.15, 14.44, 15.71, 16.97, 18.21, 19.45, 20.67,
                                   21.89, 23.10, 24.31, 25.50, 26.70, 27.88, 29.07};

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

/// Above the table two standard errors serve, but more lines never miss fewer than 20 do.
double most_lines_of(double seen, bool nearly_all_passed) {
  const auto lines = static_cast<std::size_t>(std::ceil(seen));
  if (lines < most_lines.size()) return most_lines[lines];
  return nearly_all_passed ? 0 : seen + most_lines.back() - (most_lines.size() - 1);
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

/// What is known of one direction of an interface.
struct Known {
  double bytes = 0, error = 0;
  double most_bytes = std::numeric_limits<double>::infinity();
  std::uint64_t least_high_bytes = 0;
};

Known exactly(const CountRange& count) {
  return {static_cast<double>(count.value), 0, static_cast<double>(count.high), 0};
}

Known passed(const CountRange& count, const Known& came, double sets) {
  Known made;
  made.bytes = static_cast<double>(count.value);
  made.error = error_of(made.bytes, came.bytes, came.error, sets);
  const double lines = most_lines_of(made.bytes / line_bytes / sets,
                                     came.bytes > 0 && made.bytes >= nearly_all * came.bytes);
  const double least_high = std::min(lines * sets * line_bytes, came.most_bytes);
  made.least_high_bytes = static_cast<std::uint64_t>(std::ceil(least_high));
  made.most_bytes = std::max({static_cast<double>(count.high),
                              made.bytes * (1 + standard_errors * made.error), least_high});
  return made;
}

}  // namespace

std::map<std::string, SamplingError> sampling_errors(
    const std::map<std::string, CountedTraffic>& bytes, const std::string& sampling) {
  std::map<std::string, SamplingError> errors;
  const double sets = sets_per_sampled(sampling);
  if (!(sets > 1)) return errors;
  Known read, write;
  for (const std::string& level : in_order(bytes)) {
    const CountedTraffic& traffic = bytes.at(level);
    if (level == "L1" || level == "L2") {  // all that L1 lets through is simulated
      read = exactly(traffic.read);
      write = exactly(traffic.write);
      continue;
    }
    read = passed(traffic.read, read, sets);
    write = passed(traffic.write, write, sets);
    errors[level] = {{told(read.error), read.least_high_bytes},
                     {told(write.error), write.least_high_bytes}};
  }
  return errors;
}

}  // namespace roofmark
