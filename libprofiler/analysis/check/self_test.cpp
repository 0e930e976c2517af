#include "self_test.hpp"

#include <cmath>

namespace roofmark::check {
namespace {

constexpr double flop_tolerance = 0.01, bytes_tolerance = 0.10;

}  // namespace

std::string_view spelling(Trust trust) {
  switch (trust) {
    case Trust::trusted:
      return "trusted";
    case Trust::untrusted:
      return "untrusted";
    case Trust::not_counted:
      break;
  }
  return "not_counted";
}

std::optional<double> SelfTestRow::factor() const {
  if (!counted || expected == 0) return std::nullopt;
  return static_cast<double>(*counted) / static_cast<double>(expected);
}

Trust SelfTestRow::verdict() const {
  if (!counted) return Trust::not_counted;
  const double tolerance = quantity.rfind("bytes.", 0) == 0 ? bytes_tolerance : flop_tolerance;
  if (expected == 0) return *counted == 0 ? Trust::trusted : Trust::untrusted;
  // The tolerance itself is still trusted, whatever its binary fraction is.
  return std::fabs(*factor() - 1) <= tolerance * (1 + 1e-9) ? Trust::trusted : Trust::untrusted;
}

}  // namespace roofmark::check
