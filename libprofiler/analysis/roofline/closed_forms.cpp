// Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009: roof(I) = min(peak, bandwidth * I).
#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>

namespace roofmark {
namespace {

/// NaN, infinities and negative numbers bound nothing: a model must not pass them on.
double usable(double value) {
  return std::isfinite(value) && value > 0 ? value : 0;
}

double ratio(double numerator, double denominator) {
  numerator = usable(numerator);
  denominator = usable(denominator);
  if (denominator == 0) return 0;
  const double quotient = numerator / denominator;
  return std::isfinite(quotient) ? quotient : 0;
}

}  // namespace

FlopPerSecond roof(FlopPerSecond peak, BytesPerSecond bandwidth, Intensity intensity) {
  const double slope = usable(bandwidth.value) * usable(intensity.flop_per_byte);
  return {std::min(usable(peak.value), slope)};
}

Intensity ridge(FlopPerSecond peak, BytesPerSecond bandwidth) {
  return {ratio(peak.value, bandwidth.value)};
}

Side side_of(Intensity intensity, Intensity ridge, double relative_uncertainty) {
  const double here = intensity.flop_per_byte;
  const double there = ridge.flop_per_byte;
  if (!std::isfinite(here) || usable(there) == 0 || here < 0) return Side::unknown;
  const double band = usable(relative_uncertainty);
  if (band > 0 && here <= there * (1 + band) && here >= there / (1 + band)) return Side::balanced;
  return here < there ? Side::memory : Side::compute;
}

double decades(double from, double to) {
  const double quotient = ratio(to, from);
  return quotient > 0 ? std::log10(quotient) : 0;
}

ExplainedTime explained_time(const std::vector<Seconds>& parts) {
  ExplainedTime time;
  for (const Seconds part : parts) {
    time.overlapped.value = std::max(time.overlapped.value, usable(part.value));
    time.serial.value += usable(part.value);
  }
  return time;
}

RoofPoint roof(const MachineRoof& machine, const std::map<std::string, Intensity>& intensities) {
  RoofPoint lowest{{usable(machine.peak.per_s)}, ""};
  for (const LevelCeiling& level : machine.levels) {
    const auto found = intensities.find(level.level);
    if (found == intensities.end() || !std::isfinite(found->second.flop_per_byte)) continue;
    const FlopPerSecond here = roof(FlopPerSecond{usable(machine.peak.per_s)},
                                    BytesPerSecond{level.bandwidth.per_s}, found->second);
    if (here.value < lowest.value.value) lowest = {here, level.level};
  }
  return lowest;
}

}  // namespace roofmark
