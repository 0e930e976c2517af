#include "comparison.hpp"

#include <algorithm>
#include <analysis/profile/path_index.hpp>
#include <cmath>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/report/region_row.hpp"
#include "analysis/text/plain_text.hpp"
#include "sentences.hpp"
#include "warnings.hpp"

namespace roofmark::comparison {
namespace {

using report::Figure;
using report::RegionRow;
using Path = std::vector<std::string>;

/// A region in one run.
struct Sighting {
  const Region* region = nullptr;
  std::map<std::string, Figure> figures;
  /// By unit, of each precision: `intensity` and `flop_per_s`.
  std::map<std::string, std::map<std::string, Figure>> points;
  std::string unit;  ///< the precision that `figures` are of
  const Roofline* roofline = nullptr;
  double share = 0;
};

using Sightings = std::map<Path, std::vector<Sighting>>;

Sighting sighting_of(const Region& region, const RegionRow& row, const std::string& level) {
  Sighting it;
  it.region = &region;
  it.roofline = row.roofline;
  it.share = row.share ? row.share.value() : 0;
  const auto rates = report::rates_of(region.work, region.missing);
  const auto judged = std::find_if(rates.begin(), rates.end(), [&](const report::Rate& rate) {
    return rate.unit == row.precision;
  });
  it.unit = row.precision;
  Figure no_flop;
  no_flop.quantity = "flop";
  no_flop.reason = row.flop_per_s.reason;
  it.figures["time"] = row.time_s;
  it.figures["flop"] = judged == rates.end() ? no_flop : judged->flop;
  it.figures["bytes"] =
      report::bytes_at(region.work, report::level_for(region, level), region.missing);
  it.figures["intensity"] = row.intensity;
  it.figures["flop_per_s"] = row.flop_per_s;
  it.figures["roof_fraction"] = row.fraction;
  for (const report::Rate& rate : rates)
    if (rate.flop.value() > 0)
      it.points[rate.unit] = {{"intensity", report::ratio(rate.flop, it.figures.at("bytes"))},
                              {"flop_per_s", rate.flop_per_s}};
  return it;
}

Figure divided(const Figure& figure, double factor) {
  Figure result = figure;
  if (!result.number) return result;
  for (double* value : {&result.number->value, result.number->low ? &*result.number->low : nullptr,
                        result.number->high ? &*result.number->high : nullptr})
    if (value != nullptr) *value /= factor;
  return result;
}

/// One sighting for each run of a region that was timed several times; its rates follow the time.
std::vector<Sighting> runs_of(const Sighting& sighting) {
  const std::vector<double>& times = sighting.region->runs_wall_s;
  const Figure& median = sighting.figures.at("time");
  if (times.size() < 2 || !(median.value() > 0)) return {sighting};
  std::vector<Sighting> runs;
  for (const double time_s : times) {
    if (!(time_s > 0)) return {sighting};
    Sighting run = sighting;
    const double longer = time_s / median.value();
    run.figures["time"].number = Interval{time_s, {}, {}};
    for (const char* rate : {"flop_per_s", "roof_fraction"})
      run.figures[rate] = divided(sighting.figures.at(rate), longer);
    for (auto& [unit, figures] : run.points)
      figures["flop_per_s"] = divided(figures.at("flop_per_s"), longer);
    runs.push_back(std::move(run));
  }
  return runs;
}

/// The path that a region of the runs before has in those after.
Path renamed(const Path& path, const std::map<std::string, std::string>& names,
             const std::map<std::string, Path>& known) {
  Path head = path, tail;
  while (true) {
    const auto found = names.find(text::path_text(head));
    if (found != names.end()) {
      const auto after = known.find(found->second);
      if (after == known.end()) return path;  // warned of
      Path result = after->second;
      result.insert(result.end(), tail.begin(), tail.end());
      return result;
    }
    if (head.empty()) return path;
    tail.insert(tail.begin(), head.back());
    head.pop_back();
  }
}

Placement placement_of(const std::vector<Sighting>& runs) {
  Placement it;
  it.present = !runs.empty();
  if (runs.empty()) return it;
  // The middle run by time speaks for the others.
  std::vector<const Sighting*> order;
  for (const Sighting& run : runs) order.push_back(&run);
  std::sort(order.begin(), order.end(), [](const Sighting* a, const Sighting* b) {
    return a->figures.at("time").value() < b->figures.at("time").value();
  });
  const Sighting& middle = *order[order.size() / 2];
  if (has_visits(*middle.region)) it.visits = middle.region->visits;
  if (middle.roofline != nullptr) {
    it.side = middle.roofline->side;
    it.verdict = middle.roofline->verdict;
    it.verdict_detail = middle.roofline->verdict_detail;
  }
  return it;
}

/// Relative standard error of a region's time from the scatter of its visits.
std::optional<double> visit_error(const Sighting& run) {
  const Region& region = *run.region;
  if (region.visits < 2 || !region.visit_s || !(run.figures.at("time").value() > 0))
    return std::nullopt;
  const double visits = static_cast<double>(region.visits);
  return region.visit_s->stddev * std::sqrt(visits) / run.figures.at("time").value();
}

/// One run a side: a change has to exceed what runs differ by, and three errors of both means.
Change single_timed(const Sighting& before, const Sighting& after, const std::string& quantity) {
  Change change;
  change.before = before.figures.at(quantity).value();
  change.after = after.figures.at(quantity).value();
  change.ratio = change.after / change.before;
  const auto a = visit_error(before), b = visit_error(after);
  change.evidence = a && b ? Evidence::visits : Evidence::none;
  const double error = std::hypot(a.value_or(0), b.value_or(0));
  const double margin = std::max(allowance_between_runs, 3 * error);
  change.low = change.ratio / (1 + margin);
  change.high = change.ratio * (1 + margin);
  change.beyond_noise = change.low > 1 || change.high < 1;
  return change;
}

/// Counts have no noise but what their source says of them.
Change single_counted(const Figure& before, const Figure& after) {
  Change change;
  change.evidence = Evidence::counts;
  change.before = before.value();
  change.after = after.value();
  change.ratio = change.after / change.before;
  const auto low = [](const Figure& f) { return f.number->low.value_or(f.number->value); };
  const auto high = [](const Figure& f) { return f.number->high.value_or(f.number->value); };
  change.low = low(after) / high(before);
  change.high = high(after) / low(before);
  change.beyond_noise =
      (change.low > 1 || change.high < 1) && std::abs(change.relative()) >= least_change;
  return change;
}

bool is_timed(const std::string& quantity) {
  return quantity == "time" || quantity == "flop_per_s" || quantity == "roof_fraction";
}

std::vector<double> values_of(const std::vector<Sighting>& runs, const std::string& quantity) {
  std::vector<double> values;
  for (const Sighting& run : runs)
    if (const Figure& figure = run.figures.at(quantity); figure && figure.value() > 0)
      values.push_back(figure.value());
  return values;
}

std::string why_absent(const std::vector<Sighting>& runs, const std::string& quantity) {
  for (const Sighting& run : runs) {
    const Figure& figure = run.figures.at(quantity);
    if (!figure) return figure.reason.empty() ? "it was not counted" : figure.reason;
    if (!(figure.value() > 0)) return "it is zero";
  }
  return "";
}

void compare_quantity(const std::string& quantity, const std::vector<Sighting>& before,
                      const std::vector<Sighting>& after, double alpha, RegionChange& region) {
  for (const auto* side : {&before, &after})
    if (const std::string reason = why_absent(*side, quantity); !reason.empty()) {
      region.absent[quantity] = reason + (side == &before ? " (before)" : " (after)");
      return;
    }
  if (before.size() == 1 && after.size() == 1) {
    const Sighting &a = before.front(), &b = after.front();
    region.changes[quantity] = is_timed(quantity)
                                   ? single_timed(a, b, quantity)
                                   : single_counted(a.figures.at(quantity), b.figures.at(quantity));
    return;
  }
  const auto test = test_ratio(values_of(before, quantity), values_of(after, quantity), alpha);
  if (!test) return;
  region.changes[quantity] = {test->before, test->after, test->ratio,    test->low,
                              test->high,   test->p,     Evidence::runs, false};
}

/// As if a run had done the work of one precision alone.
std::vector<Sighting> of_unit(const std::vector<Sighting>& runs, const std::string& unit) {
  std::vector<Sighting> same = runs;
  for (Sighting& run : same) {
    const auto point = run.points.find(unit);
    for (const char* quantity : {"intensity", "flop_per_s"}) {
      Figure& figure = run.figures.at(quantity);
      if (point != run.points.end())
        figure = point->second.at(quantity);
      else if (run.points.empty() && !figure)
        continue;  // nothing was counted, for the reason that it has
      else
        figure = {{}, {}, "flop." + unit, "it has no FLOPs of " + unit, {}};
    }
  }
  return same;
}

/// Each precision has a point of its own on the chart: its own intensity and its own rate.
void compare_points(const std::vector<Sighting>& before, const std::vector<Sighting>& after,
                    double alpha, RegionChange& region) {
  std::set<std::string> units;
  for (const auto* side : {&before, &after})
    for (const Sighting& run : *side)
      for (const auto& [unit, figures] : run.points) units.insert(unit);
  for (const std::string& unit : units) {
    const std::vector<Sighting> old_runs = of_unit(before, unit), new_runs = of_unit(after, unit);
    RegionChange alone;
    for (const char* quantity : {"intensity", "flop_per_s"})
      compare_quantity(quantity, old_runs, new_runs, alpha, alone);
    region.points[unit] = {std::move(alone.changes), std::move(alone.absent)};
  }
}

/// Those of one family of questions, corrected for their number.
void decide_together(const std::vector<Change*>& changes, double alpha) {
  std::vector<double> p;
  std::vector<Change*> tested;
  for (Change* change : changes)
    if (change->p) {
      p.push_back(*change->p);
      tested.push_back(change);
    }
  const std::vector<double> corrected = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p = corrected[i];
    tested[i]->beyond_noise =
        corrected[i] < alpha && std::abs(tested[i]->relative()) >= least_change;
  }
}

/// The times of all regions are looked at together, and so is each other quantity, and all points.
void decide_together(std::vector<RegionChange>& regions, double alpha) {
  for (const std::string& quantity : quantity_names()) {
    std::vector<Change*> of_regions, of_points;
    for (RegionChange& region : regions) {
      if (const auto found = region.changes.find(quantity); found != region.changes.end())
        of_regions.push_back(&found->second);
      for (auto& [unit, point] : region.points)
        if (const auto found = point.changes.find(quantity); found != point.changes.end())
          of_points.push_back(&found->second);
    }
    decide_together(of_regions, alpha);
    decide_together(of_points, alpha);
  }
}

std::map<std::string, Path> paths_by_text(const std::vector<Profile>& runs) {
  std::map<std::string, Path> known;
  for (const Profile& run : runs)
    for (const Region& region : run.regions)
      known.emplace(text::path_text(region.path), region.path);
  return known;
}

std::size_t runs_in(const std::vector<Profile>& profiles) {
  std::size_t count = 0;
  for (const Profile& profile : profiles) {
    std::size_t most = 1;
    for (const Region& region : profile.regions) most = std::max(most, region.runs_wall_s.size());
    count += most;
  }
  return count;
}

Sightings sightings_of(const std::vector<Profile>& runs, const std::string& level,
                       const std::map<std::string, std::string>& names,
                       const std::map<std::string, Path>& known, std::vector<Path>& order,
                       std::map<Path, Path>& former) {
  Sightings all;
  for (const Profile& run : runs)
    for (const RegionRow& row : report::rows_of(run, {false, level})) {
      const Region& region = run.regions[row.region];
      const Path path = renamed(region.path, names, known);
      if (path != region.path) former[path] = region.path;
      auto& seen = all[path];
      if (seen.empty()) order.push_back(path);
      for (Sighting& one : runs_of(sighting_of(region, row, level))) seen.push_back(std::move(one));
    }
  return all;
}

}  // namespace

const std::vector<std::string>& quantity_names() {
  static const std::vector<std::string> names{"time",      "flop",       "bytes",
                                              "intensity", "flop_per_s", "roof_fraction"};
  return names;
}

std::string_view spelling(Evidence evidence) {
  switch (evidence) {
    case Evidence::runs:
      return "runs";
    case Evidence::visits:
      return "visits";
    case Evidence::counts:
      return "counts";
    case Evidence::none:
      break;
  }
  return "none";
}

Comparison compare(const std::vector<Profile>& before, const std::vector<Profile>& after,
                   const Options& options) {
  Comparison result;
  result.runs_before = runs_in(before);
  result.runs_after = runs_in(after);
  result.alpha = options.alpha;
  result.level = options.level.empty() ? report::default_level(before.front()) : options.level;
  result.warnings = warnings_of(before, after, options.renamed);

  const std::map<std::string, Path> known = paths_by_text(after);
  std::vector<Path> order, gone;
  std::map<Path, Path> former, unused;
  const Sightings now = sightings_of(after, result.level, {}, {}, order, unused);
  const Sightings then = sightings_of(before, result.level, options.renamed, known, gone, former);
  for (const Path& path : gone)
    if (now.find(path) == now.end()) order.push_back(path);

  const std::vector<Sighting> none;
  for (const Path& path : order) {
    const auto a = then.find(path), b = now.find(path);
    const std::vector<Sighting>& old_runs = a == then.end() ? none : a->second;
    const std::vector<Sighting>& new_runs = b == now.end() ? none : b->second;
    RegionChange region;
    region.path = path;
    const auto was = former.find(path);
    region.path_before = was == former.end() ? path : was->second;
    region.before = placement_of(old_runs);
    region.after = placement_of(new_runs);
    for (const auto* side : {&old_runs, &new_runs})
      for (const Sighting& run : *side) region.time_share = std::max(region.time_share, run.share);
    if (region.before.present && region.after.present)
      for (const std::string& quantity : quantity_names())
        compare_quantity(quantity, old_runs, new_runs, options.alpha, region);
    if (region.before.present && region.after.present)
      compare_points(old_runs, new_runs, options.alpha, region);
    result.regions.push_back(std::move(region));
  }
  decide_together(result.regions, options.alpha);
  for (RegionChange& region : result.regions) region.sentences = sentences_of(region, result);
  return result;
}

}  // namespace roofmark::comparison
