#include "chart_ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/digits.hpp"
#include "numbers.hpp"

namespace roofmark::report {
namespace {

using Kind = ChartCeiling::Kind;

std::string cores_text(double cores) {
  if (cores == 1) return "1 core";
  return cores == std::floor(cores) ? fmt::format("{:.0f} cores", cores)
                                    : fmt::format("{:.1f} cores", cores);
}

/// A measured ceiling as the model has it, so that there is one way from ceilings to lines.
Ceiling ceiling_of(const ComputeCeiling& from) {
  return {fmt::format("{} {} {}", spelling(from.precision), from.isa, spelling(from.operation)),
          from.flop_per_s,
          from.low,
          from.high,
          static_cast<double>(from.threads),
          from.source};
}
Ceiling ceiling_of(const BandwidthCeiling& from) {
  return {from.level + " " + from.pattern,
          from.interface_bytes_per_s,
          from.low,
          from.high,
          static_cast<double>(from.threads),
          from.source,
          from.page_bytes};
}

ChartCeiling line_of(const Ceiling& ceiling, Kind kind, std::string name, bool emphasised) {
  ChartCeiling line;
  line.kind = kind;
  line.name = std::move(name);
  // "DRAM triad" under the name "DRAM" leaves "triad".
  std::string rest = ceiling.name;
  if (rest == line.name)
    rest.clear();
  else if (rest.starts_with(line.name + " "))
    rest.erase(0, line.name.size() + 1);
  line.detail = rest + (rest.empty() ? "" : ", ") + cores_text(ceiling.threads);
  line.per_s.value = ceiling.per_s;
  if (ceiling.low > 0) line.per_s.low = ceiling.low;
  if (ceiling.high > 0) line.per_s.high = ceiling.high;
  line.source = ceiling.source;
  line.cores = ceiling.threads;
  line.emphasised = emphasised;
  return line;
}

/// A bandwidth, with the pages that it is of where there are several.
ChartCeiling level_line(const Machine& machine, const std::string& level, const Ceiling& ceiling,
                        bool emphasised) {
  ChartCeiling line = line_of(ceiling, Kind::bandwidth, level, emphasised);
  const double small_bytes = model::small_page_bytes(machine, level);
  if (small_bytes == 0 || ceiling.page_bytes == 0) return line;
  line.pages = ceiling.page_bytes > small_bytes ? "large pages" : "small pages";
  line.detail += ", " + line.pages;
  return line;
}

/// Closer than 5 % is one line on paper.
bool crowded(const std::vector<ChartCeiling>& lines, const ChartCeiling& candidate) {
  return std::any_of(lines.begin(), lines.end(), [&](const ChartCeiling& line) {
    return line.kind == candidate.kind &&
           std::abs(std::log(line.per_s.value / candidate.per_s.value)) < 0.05;
  });
}

/// The same at another height: a second measurement of it.
bool named(const std::vector<ChartCeiling>& lines, const ChartCeiling& candidate) {
  return std::any_of(lines.begin(), lines.end(), [&](const ChartCeiling& line) {
    return line.name == candidate.name && line.cores == candidate.cores &&
           line.pages == candidate.pages;
  });
}

/// A burst of what was measured over a second as well: the roof is drawn from the latter, and the
/// same name at another height says nothing.
bool is_burst_of_sustained(const Machine& machine, const ComputeCeiling& ceiling) {
  return !ceiling.sustained &&
         std::any_of(machine.compute.begin(), machine.compute.end(), [&](const auto& other) {
           return other.sustained && other.precision == ceiling.precision &&
                  other.isa == ceiling.isa && other.width_bits == ceiling.width_bits &&
                  other.operation == ceiling.operation && other.threads == ceiling.threads;
         });
}

bool flat_roof(Operation operation) {
  return operation == Operation::fma || operation == Operation::muladd ||
         operation == Operation::add || operation == Operation::mul;
}

void add_rungs(std::vector<ChartCeiling>& lines, const Machine& machine, Precision precision,
               const Ceiling& top) {
  std::vector<ChartCeiling> rungs;
  for (const ComputeCeiling& ceiling : machine.compute) {
    if (ceiling.precision != precision || !flat_roof(ceiling.operation)) continue;
    if (!(ceiling.flop_per_s > 0) || ceiling.flop_per_s >= top.per_s) continue;
    if (static_cast<double>(ceiling.threads) != top.threads) continue;
    if (is_burst_of_sustained(machine, ceiling)) continue;
    const Ceiling rung = ceiling_of(ceiling);
    rungs.push_back(line_of(rung, Kind::compute, rung.name, false));
  }
  std::stable_sort(rungs.begin(), rungs.end(), [](const ChartCeiling& a, const ChartCeiling& b) {
    return a.per_s.value > b.per_s.value;
  });
  constexpr std::size_t most = 4;
  std::size_t added = 0;
  for (const ChartCeiling& rung : rungs) {
    // The lowest one says what scalar code gets: it always has a place.
    const bool lowest = &rung == &rungs.back();
    if ((added + 1 >= most && !lowest) || crowded(lines, rung) || named(lines, rung)) continue;
    lines.push_back(rung);
    ++added;
  }
  if (top.threads <= 1) return;
  const ComputeCeiling* single = nullptr;
  for (const ComputeCeiling& ceiling : machine.compute)
    if (ceiling.precision == precision && ceiling.threads == 1 &&
        !is_burst_of_sustained(machine, ceiling) &&
        (!single || ceiling.flop_per_s > single->flop_per_s))
      single = &ceiling;
  if (!single || !(single->flop_per_s > 0)) return;
  const Ceiling ceiling = ceiling_of(*single);
  const ChartCeiling line = line_of(ceiling, Kind::compute, ceiling.name, false);
  if (!crowded(lines, line) && !named(lines, line)) lines.push_back(line);
}

/// The fastest a level gives to one core, where more than one was measured together.
void add_single_core(std::vector<ChartCeiling>& lines, const Machine& machine,
                     const std::string& level) {
  const BandwidthCeiling* single = nullptr;
  for (const BandwidthCeiling& ceiling : machine.bandwidth)
    if (ceiling.level == level && ceiling.threads == 1 &&
        (!single || ceiling.interface_bytes_per_s > single->interface_bytes_per_s))
      single = &ceiling;
  if (!single || !(single->interface_bytes_per_s > 0)) return;
  const ChartCeiling line = level_line(machine, level, ceiling_of(*single), false);
  if (!crowded(lines, line) && !named(lines, line)) lines.push_back(line);
}

/// What memory in small pages gets, which is what a program has where large ones come on request.
void add_small_pages(std::vector<ChartCeiling>& lines, const Machine& machine,
                     const std::string& level) {
  const double small_bytes = model::small_page_bytes(machine, level);
  if (small_bytes == 0) return;
  const auto ceiling = model::topmost_bandwidth(machine, level, small_bytes);
  if (!ceiling || !(ceiling->per_s > 0)) return;
  const ChartCeiling line = level_line(machine, level, *ceiling, false);
  if (!crowded(lines, line) && !named(lines, line)) lines.push_back(line);
}

}  // namespace

std::vector<ChartCeiling> chart_ceilings(const Machine& machine,
                                         const std::set<Precision>& precisions) {
  std::vector<ChartCeiling> lines;
  bool bandwidths = false;
  for (const Precision precision : precisions) {
    const auto roof = machine_roof(machine, precision);
    if (!roof) continue;
    if (!bandwidths) {
      bandwidths = true;
      for (const LevelCeiling& level : roof->levels)
        if (level.bandwidth.per_s > 0)
          lines.push_back(level_line(machine, level.level, level.bandwidth, true));
      for (const LevelCeiling& level : roof->levels) {
        if (level.level.front() == 'L') continue;
        add_small_pages(lines, machine, level.level);
        if (level.bandwidth.threads > 1) add_single_core(lines, machine, level.level);
      }
    }
    if (!(roof->peak.per_s > 0)) continue;
    lines.push_back(line_of(roof->peak, Kind::compute, roof->peak.name, true));
    add_rungs(lines, machine, precision, roof->peak);
  }
  return lines;
}

std::vector<ChartCeiling> every_ceiling(const Machine& machine,
                                        const std::set<Precision>& precisions) {
  std::vector<ChartCeiling> bandwidths, peaks;
  for (const BandwidthCeiling& one : machine.bandwidth) {
    if (!(one.interface_bytes_per_s > 0)) continue;
    Ceiling ceiling = ceiling_of(one);
    if (!one.isa.empty()) ceiling.name += " " + one.isa;
    bandwidths.push_back(line_of(ceiling, Kind::bandwidth, ceiling.name, false));
    if (one.page_bytes > 0 && one.level.front() != 'L')
      bandwidths.back().detail += fmt::format(", pages of {}", with_prefix(one.page_bytes, "B", 4));
  }
  for (const ComputeCeiling& one : machine.compute) {
    if (!(one.flop_per_s > 0) || !precisions.contains(one.precision)) continue;
    Ceiling ceiling = ceiling_of(one);
    if (!one.sustained) ceiling.name += " burst";
    peaks.push_back(line_of(ceiling, Kind::compute, ceiling.name, false));
  }
  const auto higher = [](const ChartCeiling& a, const ChartCeiling& b) {
    // By the first word, a level or a precision; a level's distance is in its name.
    const auto first = [](const ChartCeiling& one) {
      return std::string_view(one.name).substr(0, one.name.find(' '));
    };
    const auto outer = [](std::string_view name) { return name.front() != 'L'; };
    if (outer(first(a)) != outer(first(b))) return outer(first(b));
    return first(a) != first(b) ? first(a) < first(b) : a.per_s.value > b.per_s.value;
  };
  std::stable_sort(bandwidths.begin(), bandwidths.end(), higher);
  std::stable_sort(peaks.begin(), peaks.end(), higher);
  bandwidths.insert(bandwidths.end(), peaks.begin(), peaks.end());
  return bandwidths;
}

std::vector<ChartCeiling> gpu_chart_ceilings(const Machine& gpu,
                                             const std::set<Precision>& precisions,
                                             const std::set<std::string>& tensor) {
  std::vector<ChartCeiling> lines = chart_ceilings(gpu, precisions);
  // Bandwidths come with a peak of the vector units; where there is none they stand alone.
  if (lines.empty() && !precisions.empty())
    for (const ComputeCeiling& any : gpu.compute) {
      lines = chart_ceilings(gpu, {any.precision});
      std::erase_if(lines, [](const ChartCeiling& line) { return line.kind == Kind::compute; });
      break;
    }
  for (const std::string& type : tensor)
    if (const auto ceiling = tensor_ceiling(gpu, type))
      lines.push_back(line_of(*ceiling, Kind::compute, "tensor " + type, true));
  for (ChartCeiling& line : lines) {
    // It is the whole device's: there is no part of it to say.
    const std::size_t cores = line.detail.rfind("1 core");
    if (cores != std::string::npos) line.detail.erase(cores > 1 ? cores - 2 : 0);
    line.cores = 0;
    line.emphasised = true;
  }
  return lines;
}

std::string rate_of(const ChartCeiling& ceiling) {
  Ceiling measured;
  measured.per_s = ceiling.per_s.value;
  measured.low = ceiling.per_s.low.value_or(0);
  measured.high = ceiling.per_s.high.value_or(0);
  const int digits = text::carried_digits(measured.per_s, model::uncertainty_of(measured));
  return with_prefix(text::rounded(ceiling.per_s.value, digits),
                     ceiling.kind == Kind::compute ? "FLOP/s" : "B/s", digits);
}

std::string name_of(const Chart& chart, const ChartCeiling& ceiling) {
  const bool mixed = std::any_of(
      chart.ceilings.begin(), chart.ceilings.end(),
      [&](const ChartCeiling& other) { return other.cores > 0 && other.cores != ceiling.cores; });
  std::string name = ceiling.name + (ceiling.pages.empty() ? "" : ", " + ceiling.pages);
  return mixed && ceiling.cores > 0 ? name + ", " + cores_text(ceiling.cores) : name;
}

}  // namespace roofmark::report
