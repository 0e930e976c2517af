// Ladder, bytes and mix of a region, for region_facts.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "analysis/roofline/traffic.hpp"
#include "numbers.hpp"
#include "region_facts.hpp"

namespace roofmark::report {
namespace {

/// How many operations of a kind. Emulation counts them all and leaves out those that there were
/// none of.
std::optional<double> operation(const Work& work, const std::string& name) {
  if (const auto counted = model::operations(work, name.c_str())) return counted;
  const auto all = work.operations.find("instructions");
  if (all == work.operations.end() || all->second.collector != "emulated") return std::nullopt;
  return 0.0;
}

/// The weakest source of the ceilings that a region is under: what a bound rests on at best.
std::string source_of_ceilings(const FactsOf& of) {
  const Gpu* gpu =
      of.region.kernel ? gpu_of(of.profile.machine, of.region.kernel->device) : nullptr;
  const Machine machine = gpu != nullptr ? machine_of(*gpu) : of.profile.machine;
  Source weakest = Source::measured;
  for (const ComputeCeiling& one : machine.compute) weakest = std::max(weakest, one.source);
  for (const BandwidthCeiling& one : machine.bandwidth) weakest = std::max(weakest, one.source);
  return std::string(spelling(weakest));
}

/// Why a region has no ladder.
std::string why_no_ladder(const FactsOf& of) {
  const Roofline* line = of.roofline;
  if (line == nullptr || (of.profile.machine.compute.empty() && !of.region.kernel))
    return "the profile holds no ceilings of this machine";
  switch (line->verdict) {
    case Verdict::too_small:
      return "a visit is too short to be believed";
    case Verdict::above_roof:
      return "it is faster than its roof, so that a ceiling or a count is wrong";
    case Verdict::undetermined:
      return line->verdict_detail.empty() ? "its roof is not known" : line->verdict_detail;
    default:
      break;
  }
  const std::vector<Rate> rates = rates_of(of.work, of.region.missing);
  if (!rates.front().flop) return rates.front().flop.reason;
  if (!(rates.front().flop.value() > 0)) return "no floating-point work";
  if (!time_of(of.work, {})) return "it has no time";
  // The model says in a note what it lacked.
  constexpr std::string_view open = ": what it would bound is not known.";
  for (const std::string& note : line->notes)
    if (note.ends_with(open)) return note.substr(0, note.size() - 1);
  if (line->fraction && *line->fraction * model::thresholds().rung_gain >= 1)
    return "it is at its roof";
  if (&of.work == &of.region.work && of.region.self.wall_s != of.region.work.wall_s)
    return "it is made of regions with ladders of their own";
  return fmt::format("no step would gain {} or more",
                     percent_text(model::thresholds().rung_gain - 1));
}

std::vector<std::string> levels_in(const FactsOf& of) {
  std::set<std::string> names;
  for (const auto& [level, traffic] : of.work.bytes) names.insert(level);
  const Machine& machine = of.profile.machine;
  const bool any_kind = model::has_memory_of_any_kind(of.work, of.region, machine);
  if (!of.region.kernel)
    for (const BandwidthCeiling& one : machine.bandwidth)
      if (!any_kind || !model::is_main_memory(one.level)) names.insert(one.level);
  constexpr std::string_view prefix = "bytes.";
  for (const Missing& missing : of.region.missing)
    if (missing.quantity.starts_with(prefix)) {
      std::string level = missing.quantity.substr(prefix.size());
      names.insert(level.substr(0, level.find('.')));
    }
  if (any_kind || (of.work.declared_bytes && of.work.bytes.empty())) names.insert("DRAM");
  std::vector<std::string> levels(names.begin(), names.end());
  std::stable_sort(levels.begin(), levels.end(), [](const std::string& a, const std::string& b) {
    return distance_of_level(a) < distance_of_level(b);
  });
  return levels;
}

/// ", memory side" of the ridge of this level.
std::string side_text(const FactsOf& of, const std::string& level) {
  const Side side = of.roofline == nullptr ? Side::unknown : side_at(*of.roofline, level);
  if (side == Side::unknown) return "";
  return side == Side::balanced ? ", at its ridge" : fmt::format(", {} side", spelling(side));
}

/// Bytes per second, 0 where it has none.
double ceiling_of(const FactsOf& of, const std::string& level) {
  if (of.roofline == nullptr) return 0;
  const auto place = of.roofline->levels.find(level);
  return place == of.roofline->levels.end() ? 0 : place->second.bandwidth_bytes_per_s;
}

void add_level(FactList& list, const FactsOf& of, const std::string& level, const Figure& flop) {
  const Figure bytes = bytes_at(of.work, level, of.region.missing);
  if (!bytes) {
    list.absent(level, bytes);
    return;
  }
  std::string text = with_prefix(bytes.interval(), "B");
  const Figure beside = bytes_for_intensity(of.region, of.work, level);
  if (const Figure intensity = ratio(flop, beside); intensity && flop.value() > 0)
    text += ", " + significant(intensity.interval()) + " FLOP/B" + side_text(of, level);
  if (const Figure speed = ratio(bytes, time_of(of.work, {})); speed && bytes.value() > 0) {
    text += ", " + with_prefix(speed.interval(), "B/s");
    if (const double ceiling = ceiling_of(of, level); ceiling > 0)
      text += fmt::format(" ({} of its ceiling)",
                          percent_text(speed.value() / ceiling, of.roofline->uncertainty));
  }
  list.add(level, text, bytes.source);
  if (flop && !beside) list.absent("FLOP/B at " + level, beside.reason);
}

/// Nothing came from further out, as far as was seen.
void add_reuse_of_all(FactList& list, const std::string& name, const Figure& near,
                      const Figure& far) {
  const double unseen = far.interval().high.value_or(0);
  const double least = near.interval().low.value_or(near.value());
  if (!(unseen > 0))
    list.add(name, "complete, as no byte came from further out", far.source);
  else if (unseen <= least * model::thresholds().unseen_share)
    list.add(name, "complete, as no byte of the sample came from further out", far.source);
  else if (least > unseen)
    list.add(name,
             fmt::format("at least {}x, as no byte of the sample came from further out",
                         significant(least / unseen, 2)),
             far.source);
  else
    list.absent(name, "of so few bytes the sample may have seen none");
}

/// Bytes that cross an interface per byte that crosses the next one: what the cache between them
/// gave again.
void add_reuse(FactList& list, const FactsOf& of, const std::string& inner,
               const std::string& outer) {
  const Figure near = bytes_at(of.work, inner, of.region.missing);
  const Figure far = bytes_at(of.work, outer, of.region.missing);
  const std::string name = "reuse in " + inner;
  if (!near || !far) return;  // the level itself says why
  const Figure reuse = ratio(near, far);
  if (reuse)
    list.add(name, significant(reuse.interval()) + "x", reuse.source);
  else if (near.value() > 0)
    add_reuse_of_all(list, name, near, far);
}

/// Lines that stores fetched before they wrote them.
void add_write_allocate(FactList& list, const FactsOf& of, const std::string& level) {
  const std::string name = "fetched for stores";
  const auto found = of.work.bytes.find(level);
  if (found == of.work.bytes.end()) return;  // the level itself says why
  if (!found->second.read || !found->second.write) {
    list.absent(name, "reads and writes of " + level + " were not told apart");
    return;
  }
  if (found->second.read->value == 0 && found->second.write->value == 0) return;
  const auto bypass = operation(of.work, "nt_store_bytes");
  if (!bypass) {
    list.absent(name, "stores that bypass the caches were not counted");
    return;
  }
  if (const auto share = model::share_fetched_for_stores(found->second, *bypass))
    list.add(name, fmt::format("at most {} of the {} bytes", percent_text(*share), level),
             Source::estimated);
}

/// "f64 97 %, f32 3 %": the shares of a total, the largest first; what is not there is left out.
std::string shares_text(const std::map<std::string, double>& parts) {
  double total = 0;
  for (const auto& [name, value] : parts) total += value;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, value] : parts)
    if (value > 0) sorted.emplace_back(value, name);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [value, name] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent_text(value / total));
  return text;
}

void add_instructions(FactList& list, const FactsOf& of) {
  const auto all = of.work.operations.find("instructions");
  if (all == of.work.operations.end() || all->second.value == 0) {
    list.absent("instructions", "they were not counted");
    return;
  }
  const double total = static_cast<double>(all->second.value);
  std::string text = with_prefix(total, "");
  while (text.ends_with(' ')) text.pop_back();
  // Of one kind by another's measure: a load of an add is one of both.
  std::string kinds;
  constexpr std::pair<const char*, const char*> names[] = {{"loads", "loads"},
                                                           {"stores", "stores"},
                                                           {"branch", "branches"},
                                                           {"integer", "integer"},
                                                           {"integer_simd", "integer vector"},
                                                           {"compare", "comparisons"},
                                                           {"convert", "conversions"}};
  for (const auto& [name, told] : names)
    if (const auto count = operation(of.work, name); count && *count > 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ",
                           significant(100 * *count / total, 2), told);
  if (!kinds.empty()) text += ", in 100 of them " + kinds;
  list.add("instructions", text, all->second.source);
}

}  // namespace

void add_ladder(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::ladder);
  if (of.roofline == nullptr || of.roofline->ladder.empty()) {
    list.absent("steps", why_no_ladder(of));
    return;
  }
  std::string source =
      "at most, each step with those before it; ceilings " + source_of_ceilings(of);
  if (const auto flop = rates_of(of.work, {}).front().flop; flop && flop.source)
    source += ", FLOPs " + std::string(spelling(*flop.source));
  std::optional<Source> bytes;
  for (const auto& [level, traffic] : of.work.bytes)
    if (const Figure one = bytes_at(of.work, level, {}); one && one.source)
      bytes = std::max(bytes.value_or(*one.source), *one.source);
  if (bytes) source += ", bytes " + std::string(spelling(*bytes));
  bool first = true;
  for (const Rung& rung : of.roofline->ladder) {
    if (!std::isfinite(rung.gain)) continue;
    list.add((first ? "" : "then ") + rung.name, gain_text(rung.gain, of.roofline->uncertainty),
             source);
    first = false;
  }
}

void add_bytes(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::bytes);
  std::vector<Rate> rates = rates_of(of.work, of.region.missing);
  const std::string judged = of.roofline ? of.roofline->precision : std::string();
  const auto rate =
      std::find_if(rates.begin(), rates.end(), [&](const Rate& one) { return one.unit == judged; });
  const Figure flop = rate == rates.end() ? rates.front().flop : rate->flop;
  const std::vector<std::string> levels = levels_in(of);
  if (levels.empty()) list.absent("bytes", "this recording has no count of bytes");
  for (const std::string& level : levels) add_level(list, of, level, flop);
  if (!of.region.kernel)
    for (std::size_t i = 0; i + 1 < levels.size(); ++i)
      add_reuse(list, of, levels[i], levels[i + 1]);
  for (const std::string& level : levels)
    if (distance_of_level(level) >= 100 && !of.region.kernel) add_write_allocate(list, of, level);
}

void add_mix(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::mix);
  const Work& work = of.work;
  std::optional<Source> source;
  std::map<std::string, double> precisions;
  for (const auto& [precision, count] : work.flop) {
    precisions[std::string(spelling(precision))] = static_cast<double>(count.value);
    source = std::max(source.value_or(count.source), count.source);
  }
  const std::string text = shares_text(precisions);
  if (!text.empty())
    list.add("precision", text, source);
  else
    list.absent("precision",
                precisions.empty() ? "its FLOPs were not counted" : "no floating-point work");
  double all = 0, fused = 0, divided = 0;
  std::map<std::string, double> widths;
  for (const ComputeClass& part : work.mix) {
    const double flop = static_cast<double>(part.flop);
    all += flop;
    widths[part.width_bits == 0 ? "scalar" : fmt::format("{} bits", part.width_bits)] += flop;
    if (part.operation == Operation::fma) fused += flop;
    if (part.operation == Operation::div || part.operation == Operation::sqrt) divided += flop;
  }
  if (all > 0) {
    list.add("width", shares_text(widths), source);
    list.add("FMA", percent_text(fused / all) + " of the FLOPs", source);
    list.add("divide and square root", percent_text(divided / all) + " of the FLOPs", source);
  } else {
    const Figure flop = rates_of(work, of.region.missing).front().flop;
    const std::string reason = !flop                             ? flop.reason
                               : !(flop.value() > 0)             ? "no floating-point work"
                               : flop.source == Source::declared ? "declared FLOPs have no mix"
                               : of.region.kernel
                                   ? "no tool tells it of a GPU"
                                   : "its FLOPs were counted without their width and operation";
    for (const char* name : {"width", "FMA", "divide and square root"}) list.absent(name, reason);
  }
  const auto converted = operation(work, "convert");
  double flop = 0;
  for (const auto& [name, value] : precisions) flop += value;
  if (!converted)
    list.absent("conversions", "they were not counted");
  else
    list.add("conversions",
             flop > 0 ? significant(*converted / flop, 2) + " per FLOP" : significant(*converted),
             work.operations.at(work.operations.count("convert") != 0 ? "convert" : "instructions")
                 .source);
  if (!of.region.kernel) add_instructions(list, of);
}

}  // namespace roofmark::report
