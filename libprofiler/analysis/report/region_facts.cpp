#include "region_facts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <roofmark/roofline.hpp>

#include "analysis/text/plain_text.hpp"
#include "declared_table.hpp"
#include "numbers.hpp"
#include "region_row.hpp"

namespace roofmark::report {
namespace {

using namespace text;

Interval interval_of(const Measure& measure) {
  return {measure.value, measure.low, measure.high};
}

std::string seconds(const Interval& time) {
  return duration(time) + range_text(time, [](double end) { return duration(end); });
}

/// What is known of a region and all inside it alone, beside facts of the region itself.
std::string whose(const FactsOf& of) {
  Work own = of.region.self;
  own.declared_flop = of.region.work.declared_flop;  // each declares for itself
  own.declared_bytes = of.region.work.declared_bytes;
  return own == of.region.work ? "" : ", with children";
}

void add_roof(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::roof);
  const Roofline* line = of.roofline;
  if (line == nullptr) {
    list.absent("roof", no_roof_of(of.profile));
    return;
  }
  const auto share = [&](double fraction) {
    std::string text = percent_text(fraction, line->uncertainty);
    if (line->uncertainty > 0)
      text += fmt::format(", within {} of that", percent_text(line->uncertainty));
    return text;
  };
  const std::string bound =
      std::string(spelling(line->explained_s ? line->explained_s->source : Source::estimated));
  const std::string why = line->verdict_detail.empty() ? "it was not judged" : line->verdict_detail;
  if (line->fraction && std::isfinite(*line->fraction))
    list.add(
        "of the machine's roof",
        share(*line->fraction) + (line->binding.empty() ? "" : "; " + line->binding + " binds"),
        bound);
  else
    list.absent("of the machine's roof", why);
  if (line->fraction_as_written && std::isfinite(*line->fraction_as_written)) {
    list.add("of the roof as written", share(*line->fraction_as_written), bound);
  } else {
    // The model says in a note what it lacked.
    constexpr std::string_view said = "The as-written roof is withheld: ";
    const auto note = std::find_if(line->notes.begin(), line->notes.end(),
                                   [&](const std::string& one) { return one.starts_with(said); });
    list.absent("of the roof as written",
                note == line->notes.end()
                    ? (line->fraction ? "the mix of its operations is not known" : why)
                    : note->substr(said.size(), note->size() - said.size() - 1));
  }
  if (line->explained_s) {
    // The range is not one of error: between perfect overlap and none.
    const Measure& explained = *line->explained_s;
    std::string text = duration(explained.low.value_or(explained.value));
    const std::string most = duration(explained.high.value_or(explained.value));
    if (most != text) text += " (all at once) to " + most + " (one after the other)";
    list.add("time that ceilings explain", text, explained.source);
  }
}

void add_time(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::time);
  const Region& region = of.region;
  const Figure time = time_of(of.work, region.missing);
  if (time)
    list.add("wall time", seconds(time.interval()), time.source);
  else
    list.absent("wall time", time);
  if (of.work.thread_s)
    list.add("summed over threads", seconds(interval_of(*of.work.thread_s)),
             of.work.thread_s->source);
  if (const auto& visit = region.visit_s; visit && region.visits > 1)
    list.add("one visit" + whose(of),
             fmt::format("median {}, {} to {}, standard deviation {}, the first {}",
                         duration(visit->median), duration(visit->min), duration(visit->max),
                         duration(visit->stddev), duration(visit->first)),
             Source::measured);
  if (region.runs_wall_s.size() > 1) {
    const auto [low, high] =
        std::minmax_element(region.runs_wall_s.begin(), region.runs_wall_s.end());
    list.add("in each run" + whose(of),
             fmt::format("{} to {} in {} runs", duration(*low), duration(*high),
                         region.runs_wall_s.size()),
             Source::measured);
  }
  if (std::isfinite(region.marker_s) && region.marker_s > 0)
    list.add("markers", duration(region.marker_s) + whose(of) + ", subtracted", Source::measured);
  if (region.clock_hz)
    list.add("clock", with_prefix(interval_of(*region.clock_hz), "Hz") + whose(of),
             region.clock_hz->source);
}

void add_work(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::work);
  for (const Rate& rate : rates_of(of.work, of.region.missing)) {
    const std::string name = rate.unit.starts_with("tensor ") ? rate.unit : "FLOPs " + rate.unit;
    if (!rate.flop) {
      list.absent("FLOPs", rate.flop);
      continue;
    }
    std::string text = with_prefix(rate.flop.interval(), "FLOP");
    if (rate.flop_per_s && rate.flop.value() > 0)
      text += ", " + with_prefix(rate.flop_per_s.interval(), "FLOP/s");
    list.add(name, text, rate.flop.source);
  }
}

void add_threads(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::threads);
  const Region& region = of.region;
  if (region.kernel) return;
  if (region.threads > 0)
    list.add("threads", std::to_string(region.threads) + whose(of), Source::measured);
  else
    list.absent("threads", "how many it had is not known");
  if (region.cores_used)
    list.add("cores kept busy", significant(interval_of(*region.cores_used)) + whose(of),
             region.cores_used->source);
  else
    list.absent("cores kept busy", "what it kept busy is not known");
  if (region.imbalance && std::isfinite(*region.imbalance))
    list.add(
        "imbalance",
        fmt::format("the {} took {}x the mean{}", region.ranks ? "slowest rank" : "longest thread",
                    significant(*region.imbalance), whose(of)),
        Source::measured);
  else if (region.threads > 1)
    list.absent("imbalance", "the times of its threads are not known one by one");
}

void add_declared(std::vector<Fact>& facts, const FactsOf& of) {
  FactList list(facts, Fact::Group::declared);
  const Work& own = of.region.self;
  const auto add = [&](const char* name, const std::optional<Count>& declared,
                       const Figure& counted, std::string_view unit) {
    if (!declared) return;
    std::string text = with_prefix(static_cast<double>(declared->value), unit);
    Figure divisor;
    divisor.number = Interval{static_cast<double>(declared->value), {}, {}};
    divisor.source = Source::declared;
    const Figure per = ratio(counted, divisor);
    // A declaration that stands in for a count is not held against itself.
    if (per && counted.source != Source::declared)
      text += fmt::format("; {} counted, {} of it", with_prefix(counted.interval(), unit),
                          percent_text(per.interval()));
    else
      text += "; not counted";
    list.add(name, text, Source::declared);
  };
  add("declared FLOPs", own.declared_flop, counted_flop(of.region.work), "FLOP");
  std::string memory = "DRAM";
  for (const auto& [level, traffic] : of.region.work.bytes)
    if (distance_of_level(level) >= 100) memory = level;
  add("declared bytes", own.declared_bytes, bytes_at(of.region.work, memory, {}), "B");
}

}  // namespace

std::string title_of(Fact::Group group) {
  switch (group) {
    case Fact::Group::ladder:
      return "Ladder";
    case Fact::Group::roof:
      return "Roof";
    case Fact::Group::time:
      return "Time";
    case Fact::Group::work:
      return "Work";
    case Fact::Group::bytes:
      return "Bytes";
    case Fact::Group::mix:
      return "Mix";
    case Fact::Group::threads:
      return "Threads";
    case Fact::Group::declared:
      return "Declared";
    case Fact::Group::gpu:
      return "GPU";
  }
  return "";
}

std::vector<Fact> facts_of(const Profile& profile, const Region& region, bool self) {
  const Roofline* line = self ? self_roofline(region) : inclusive_roofline(region);
  if (line == nullptr) line = inclusive_roofline(region);
  const FactsOf of{profile, region, self ? region.self : region.work, line};
  std::vector<Fact> facts;
  add_ladder(facts, of);
  add_roof(facts, of);
  add_time(facts, of);
  add_work(facts, of);
  add_bytes(facts, of);
  add_mix(facts, of);
  add_threads(facts, of);
  add_declared(facts, of);
  add_gpu(facts, of);
  return facts;
}

std::vector<std::size_t> named_regions(const Profile& profile,
                                       const std::vector<std::string>& patterns) {
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < profile.regions.size(); ++i) {
    const std::string path = text::path_text(profile.regions[i].path);
    if (std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
          // A name may hold what a pattern gives a meaning to.
          return pattern == path || fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
        }))
      named.push_back(i);
  }
  return named;
}

std::vector<BriefFacts> brief(const std::vector<Fact>& facts) {
  std::vector<BriefFacts> made;
  for (const Fact::Group group :
       {Fact::Group::ladder, Fact::Group::bytes, Fact::Group::mix, Fact::Group::threads}) {
    std::vector<const Fact*> known, absent;
    for (const Fact& fact : facts)
      if (fact.group == group) (fact.absent ? absent : known).push_back(&fact);
    const bool one_source = std::all_of(known.begin(), known.end(), [&](const Fact* fact) {
      return fact->source == known.front()->source;
    });
    std::string text;
    for (auto first = known.begin(); first != known.end(); ++first) {
      // Of several levels that say the same the names stand together: "L2, L3, DRAM 0 B".
      const Fact& fact = **first;
      const auto same = [&](const Fact* other) {
        return other->text == fact.text && other->source == fact.source;
      };
      if (group == Fact::Group::bytes && std::any_of(known.begin(), first, same)) continue;
      std::string names = fact.name;
      if (group == Fact::Group::bytes)
        for (auto it = first + 1; it != known.end(); ++it)
          if (same(*it)) names += ", " + (*it)->name;
      text += (text.empty() ? "" : "; ") + names + " " + fact.text;
      if (!one_source && !fact.source.empty()) text += " [" + fact.source + "]";
    }
    if (one_source && !known.empty() && !known.front()->source.empty())
      text += " [" + known.front()->source + "]";
    // What is absent for one reason is one clause.
    for (auto first = absent.begin(); first != absent.end(); ++first) {
      const std::string& reason = (*first)->text;
      const auto same = [&](const Fact* other) { return other->text == reason; };
      if (std::any_of(absent.begin(), first, same)) continue;
      std::string names;
      for (auto it = first; it != absent.end(); ++it)
        if (same(*it)) names += (names.empty() ? "" : ", ") + (*it)->name;
      text += group == Fact::Group::ladder
                  ? "none: " + reason
                  : fmt::format("{}not known: {} ({})", text.empty() ? "" : "; ", names, reason);
    }
    if (!text.empty()) made.push_back({title_of(group), text + "."});
  }
  return made;
}

}  // namespace roofmark::report

namespace roofmark {

std::vector<std::size_t> regions_named(const Profile& profile, const std::string& pattern) {
  return report::named_regions(profile, {pattern});
}

}  // namespace roofmark
