#include "sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/report/numbers.hpp"
#include "analysis/text/digits.hpp"

namespace roofmark::comparison {
namespace {

using report::duration;
using report::percent_text;
using report::significant;

/// What moved beyond the noise; nothing where it did not, or could not be compared.
const Change* moved(const RegionChange& region, const std::string& quantity) {
  const auto found = region.changes.find(quantity);
  return found != region.changes.end() && found->second.beyond_noise ? &found->second : nullptr;
}

std::string sign_of_noise(const Change& change, const Comparison& comparison) {
  switch (change.evidence) {
    case Evidence::runs:
      return fmt::format("p {}, {} and {} runs",
                         *change.p < 1e-4 ? "< 0.0001" : "= " + significant(*change.p, 2),
                         comparison.runs_before, comparison.runs_after);
    case Evidence::visits:
      return "one run a side: more than its visits scatter and runs commonly differ";
    case Evidence::counts:
      return "counted";
    case Evidence::none:
      break;
  }
  return "one run a side, one visit: more than runs commonly differ";
}

std::string place_text(const Placement& place) {
  std::string text(spelling(place.verdict));
  std::replace(text.begin(), text.end(), '_', ' ');
  return place.verdict_detail.empty() ? text : text + " (" + place.verdict_detail + ")";
}

/// Half the range of the ratio, as a part of it.
double spread_of(const Change& change) {
  const double spread = (change.high - change.low) / 2 / change.ratio;
  return std::isfinite(spread) && spread > 0 ? spread : 0;
}

std::string factor_text(const Change& change, bool inverse) {
  const double factor = inverse ? 1 / change.ratio : change.ratio;
  const int digits = text::carried_digits(factor, spread_of(change));
  return significant(text::rounded(factor, digits), std::max(digits, 2));
}

/// One side of a change, known as well as the change is; however little that is, with digits enough
/// to tell the sides apart.
double known_of(double side, const Change& change) {
  constexpr double two_digits = 0.5;
  return report::within_share(side, std::min(spread_of(change), two_digits));
}

std::string told(double side, const Change& change) {
  return significant(known_of(side, change));
}

std::string share(double side, const Change& change) {
  return percent_text(known_of(side, change));
}

std::optional<std::string> of_time(const RegionChange& region, const Comparison& comparison) {
  const Change* time = moved(region, "time");
  if (time == nullptr) return std::nullopt;
  const bool faster = time->ratio < 1;
  return fmt::format("{} by {}x: {} before, {} after ({}).", faster ? "Faster" : "Slower",
                     factor_text(*time, faster), time_text(*time, false), time_text(*time, true),
                     sign_of_noise(*time, comparison));
}

std::optional<std::string> of_ridge(const RegionChange& region) {
  const Side a = region.before.side, b = region.after.side;
  const auto clear = [](Side s) { return s == Side::memory || s == Side::compute; };
  if (!clear(a) || !clear(b) || a == b) return std::nullopt;
  return fmt::format(
      "It crossed the ridge, from the {} side to the {} side: other limits hold now.", spelling(a),
      spelling(b));
}

std::optional<std::string> of_verdict(const RegionChange& region) {
  if (region.before.verdict == region.after.verdict &&
      region.before.verdict_detail == region.after.verdict_detail)
    return std::nullopt;
  return "Its verdict was " + place_text(region.before) + " and is " + place_text(region.after) +
         ".";
}

/// What people take for progress and is none, or the other way round.
std::optional<std::string> of_place(const RegionChange& region) {
  const Change* intensity = moved(region, "intensity");
  const Change* fraction = moved(region, "roof_fraction");
  const Change* time = moved(region, "time");
  const auto known = region.changes.find("roof_fraction");
  constexpr double worth_a_word = 1.05;
  const bool fewer_bytes =
      std::any_of(region.changes.begin(), region.changes.end(), [](const auto& one) {
        return one.first.starts_with("bytes") && one.second.beyond_noise && one.second.ratio < 1;
      });
  // The share rose in these runs, by no more than they scatter: neither nearer nor "no nearer".
  if (intensity != nullptr && intensity->ratio > worth_a_word && known != region.changes.end() &&
      fraction == nullptr && known->second.ratio > worth_a_word)
    return fmt::format(
        "It moved right on the chart ({} to {} FLOP/B); whether it is nearer the roof ({} to {}) "
        "is "
        "within the noise.",
        told(intensity->before, *intensity), told(intensity->after, *intensity),
        share(known->second.before, known->second), share(known->second.after, known->second));
  if (intensity != nullptr && intensity->ratio > worth_a_word && known != region.changes.end() &&
      (fraction == nullptr || fraction->ratio < 1))
    return fmt::format(
        "It moved right on the chart ({} to {} FLOP/B) but is no nearer the roof ({} to {}): {}.",
        told(intensity->before, *intensity), told(intensity->after, *intensity),
        share(known->second.before, known->second), share(known->second.after, known->second),
        time != nullptr && time->ratio < 1
            ? "what is possible now rose by as much as it gained, or more"
        : fewer_bytes ? "the fewer bytes bought no time"
                      : "it takes as long");
  if (fraction != nullptr && fraction->ratio > 1 && (time == nullptr || time->ratio > 1)) {
    const Change* flop = moved(region, "flop");
    const bool more_work = flop != nullptr && flop->ratio > 1;
    return fmt::format("It is nearer the roof ({} to {}) but no faster{}.",
                       share(fraction->before, *fraction), share(fraction->after, *fraction),
                       more_work ? ": it does more work" : "");
  }
  if (time != nullptr && time->ratio < 1 && fraction != nullptr && fraction->ratio < 1)
    return fmt::format(
        "It is faster and yet further from the roof ({} to {}): the roof above it "
        "rose by more, or there is less work to do.",
        share(fraction->before, *fraction), share(fraction->after, *fraction));
  return std::nullopt;
}

std::optional<std::string> of_work(const RegionChange& region, const Comparison& comparison) {
  std::string text;
  const auto add = [&](const char* quantity, const std::string& name) {
    if (const Change* change = moved(region, quantity))
      text += (text.empty() ? "" : ", ") + name + " " + change_text(*change);
  };
  add("flop", "FLOPs");
  add("bytes", comparison.level + " bytes");
  if (region.before.visits && region.after.visits && *region.before.visits > 0 &&
      region.before.visits != region.after.visits)
    text += (text.empty() ? "" : ", ") +
            fmt::format("visits {} to {}", *region.before.visits, *region.after.visits);
  if (text.empty()) return std::nullopt;
  return "Its work changed: " + text + ".";
}

}  // namespace

std::string change_text(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  if (ratio >= 2) return significant(ratio) + "x";
  const double percent = 100 * (ratio - 1);
  if (std::abs(percent) < 0.05) return "0 %";
  // Something is left of it.
  if (ratio > 0 && percent < -99.4)
    return fmt::format("-{} %", percent < -99.85 ? "99.9" : significant(-percent, 3));
  return fmt::format("{}{} %", percent > 0 ? "+" : "-", significant(std::abs(percent), 2));
}

double told_relative(const Change& change) {
  // Tens of percent are told however wide the noise is, of which the brackets tell: as 0 % or -100
  // % the change would contradict what stands beside it.
  constexpr double tens_of_percent = 0.9;
  const double spread = std::min(spread_of(change) * change.ratio, tens_of_percent);
  const double relative = text::to_place_of(change.relative(), spread);
  const bool nothing = relative == 0 && change.beyond_noise;  // it is some change
  const bool all = relative <= -1 && change.ratio > 0;        // and some is left
  return nothing || all ? change.relative() : relative;
}

std::string change_text(const Change& change) {
  if (!std::isfinite(change.ratio) || spread_of(change) == 0) return change_text(change.ratio);
  if (change.ratio >= 2) return factor_text(change, false) + "x";
  return change_text(1 + told_relative(change));
}

std::string time_text(const Change& change, bool after, bool utf8) {
  return duration(known_of(after ? change.after : change.before, change), utf8);
}

std::vector<std::string> sentences_of(const RegionChange& region, const Comparison& comparison) {
  if (!region.before.present) return {"New: no run before has this region."};
  if (!region.after.present) return {"Gone: no run after has this region."};
  std::vector<std::string> sentences;
  for (const auto& sentence : {of_time(region, comparison), of_ridge(region), of_place(region),
                               of_work(region, comparison), of_verdict(region)})
    if (sentence) sentences.push_back(*sentence);
  return sentences;
}

std::string summary_of(const Comparison& comparison) {
  std::size_t faster = 0, slower = 0, same = 0, open = 0, added = 0, gone = 0;
  for (const RegionChange& region : comparison.regions) {
    const auto time = region.changes.find("time");
    if (!region.before.present)
      ++added;
    else if (!region.after.present)
      ++gone;
    else if (time == region.changes.end())
      ++open;
    else if (!time->second.beyond_noise)
      ++same;
    else
      ++(time->second.ratio < 1 ? faster : slower);
  }
  std::string text;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + fmt::format("{} {}", count, what);
  };
  add(faster, "faster");
  add(slower, "slower");
  add(same, "the same within the noise");
  add(open, "without a time");
  add(added, "new");
  add(gone, "gone");
  return "Regions: " + (text.empty() ? "none" : text) + ".";
}

std::string method_of(const Comparison& comparison) {
  if (comparison.runs_before + comparison.runs_after > 2)
    return fmt::format(
        "A time has changed where Student's t test of the logarithms of the runs' times (Welch; a "
        "common variance where one side has one run), corrected for the number of regions (Holm), "
        "gives p < {}, and the change is at least {}. It assumes independent runs whose noise is a "
        "factor: record both sides by turns, on one quiet machine.",
        significant(comparison.alpha), percent_text(least_change));
  return fmt::format(
      "One run a side: a time has changed where the difference exceeds {}, by which runs commonly "
      "differ, and three standard errors of the visits' mean. How much these runs differ is not "
      "known: give several profiles a side to know it.",
      percent_text(allowance_between_runs));
}

}  // namespace roofmark::comparison
