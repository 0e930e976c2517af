#include "region_row.hpp"

#include <algorithm>
#include <analysis/profile/path_index.hpp>
#include <cmath>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "numbers.hpp"

namespace roofmark::report {
namespace {

using namespace text;

const Roofline* first_roofline(const Region& region, bool self) {
  if (const Roofline* cpu = self ? self_roofline(region) : inclusive_roofline(region)) return cpu;
  const auto& all =
      self && !region.self_rooflines.empty() ? region.self_rooflines : region.rooflines;
  return all.empty() ? nullptr : &all.front();
}

/// The precision that the model judged goes first, so that rate and verdict speak of one thing.
void put_judged_first(std::vector<Rate>& rates, const Roofline* roofline) {
  if (!roofline || roofline->precision.empty()) return;
  const auto judged = std::find_if(rates.begin(), rates.end(), [&](const Rate& rate) {
    return rate.flop && rate.unit == roofline->precision;
  });
  if (judged != rates.end()) std::rotate(rates.begin(), judged, judged + 1);
}

std::string shares_of_others(const std::vector<Rate>& rates) {
  double total = 0;
  bool tensor = false;
  for (const Rate& rate : rates) {
    total += rate.flop.value();
    tensor = tensor || rate.unit.starts_with("tensor ");
  }
  std::string text;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    const double share = total > 0 ? rates[i].flop.value() / total : 0;
    if (share <= 0) continue;
    if (!text.empty()) text += ", ";
    // Operations of matrix units and FLOPs of vector units have no sum to be a share of.
    text += rates[i].unit + (tensor ? "" : " " + percent(share));
  }
  return text;
}

Figure fraction_of(const Profile& profile, const RegionRow& row) {
  Figure figure;
  figure.quantity = "roof";
  const Roofline* roofline = row.roofline;
  if (roofline && roofline->fraction && std::isfinite(*roofline->fraction)) {
    figure.number = Interval{*roofline->fraction, {}, {}};
    return figure;
  }
  if (!row.flop_per_s) return row.flop_per_s;
  const bool no_machine =
      !profile.regions[row.region].kernel && model::no_machine(profile.machine).has_value();
  if (no_machine) {
    figure.reason = no_roof_of(profile);
    return figure;
  }
  if (!row.intensity) return row.intensity;
  figure.reason = roofline && !roofline->verdict_detail.empty() ? roofline->verdict_detail
                                                                : no_roof_of(profile);
  return figure;
}

}  // namespace

std::string no_roof_of(const Profile& profile) {
  if (!model::no_machine(profile.machine)) return "no ceiling of this machine applies";
  Machine none;
  none.notes = profile.notes;  // they say why there is none
  return model::no_machine(none).value_or("");
}

double RegionRow::fraction_spread() const {
  return roofline && std::isfinite(roofline->uncertainty) ? roofline->uncertainty : 0;
}

std::string locus_of(const Region& region) {
  return region.kernel ? "gpu:" + region.kernel->device : "cpu";
}

std::string level_for(const Region& region, const std::string& level) {
  constexpr int main_memory = 100;
  if (distance_of_level(level) < main_memory) return level;
  if (region.kernel) return "HBM";
  return level == "HBM" && region.work.bytes.count("HBM") == 0 ? "DRAM" : level;
}

std::vector<std::string> levels_of(const Profile& profile, const std::string& locus) {
  std::vector<std::string> levels;
  const auto add = [&](const std::string& level) {
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
  };
  bool declared = false;
  for (const Region& region : profile.regions) {
    if (!locus.empty() && locus_of(region) != locus) continue;
    for (const Work* work : {&region.work, &region.self}) {
      for (const auto& [level, traffic] : work->bytes)
        if ((traffic.read && traffic.write) || traffic.total) add(level);
      declared = declared || work->declared_bytes.has_value();
    }
  }
  const bool memory = std::any_of(levels.begin(), levels.end(), [](const std::string& level) {
    return distance_of_level(level) >= 100;
  });
  if (declared && !memory) add("DRAM");
  std::stable_sort(levels.begin(), levels.end(), [](const std::string& a, const std::string& b) {
    return distance_of_level(a) < distance_of_level(b);
  });
  return levels;
}

std::string default_level(const Profile& profile, const std::string& wanted_locus) {
  const std::string locus = wanted_locus.empty() ? default_locus(profile) : wanted_locus;
  const std::vector<std::string> levels = levels_of(profile, locus);
  // A kernel that stays in a cache moves not one byte beyond it: there it has no intensity.
  std::vector<double> placed_s(levels.size(), 0);
  for (const Region& region : profile.regions) {
    if (locus_of(region) != locus) continue;
    const Figure time = time_of(region.self, {});
    if (!time || !(rates_of(region.self, {}).front().flop.value() > 0)) continue;
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (bytes_for_intensity(region, region.self, levels[i]).value() > 0)
        placed_s[i] += time.value();
  }
  const double most_s = placed_s.empty() ? 0 : *std::max_element(placed_s.begin(), placed_s.end());
  for (std::size_t i = levels.size(); i-- > 0;)
    if (placed_s[i] >= most_s / 2) return levels[i];
  return locus == "cpu" ? "DRAM" : "HBM";
}

double time_away_from_roof(const RegionRow& row) {
  if (!row.fraction || !row.time_s) return 0;
  return row.time_s.value() * std::clamp(1 - row.fraction.value(), 0.0, 1.0);
}

double spread_of_time_away(const RegionRow& row) {
  const double away_s = time_away_from_roof(row);
  if (!(away_s > 0)) return 0;
  const Interval time = row.time_s.interval();
  const double time_off_s = std::max(time.value - time.low.value_or(time.value),
                                     time.high.value_or(time.value) - time.value);
  return std::hypot(time_off_s, (time.value - away_s) * row.fraction_spread()) / away_s;
}

std::vector<RegionRow> rows_of(const Profile& profile, RowOptions options) {
  if (options.level.empty()) options.level = default_level(profile);
  const Figure total = run_time(profile);
  const PathIndex index(profile.regions);
  std::vector<RegionRow> rows;
  rows.reserve(profile.regions.size());
  for (std::size_t i = 0; i < profile.regions.size(); ++i) {
    const Region& region = profile.regions[i];
    RegionRow row;
    row.region = i;
    row.path = path_text(region.path);
    row.name = row.path;
    // Below the rows that are there: a region whose parent is none keeps the parent's name.
    row.depth = index.depth(i);
    if (const std::size_t above = index.nearest_above(i); above != PathIndex::none) {
      const auto names = static_cast<std::ptrdiff_t>(profile.regions[above].path.size());
      row.name = path_text({region.path.begin() + names, region.path.end()});
    }
    row.leaf = !index.has_children(i);
    row.roofline = first_roofline(region, options.self);

    const Work& work = options.self ? region.self : region.work;
    std::vector<Rate> rates = rates_of(work, region.missing);
    put_judged_first(rates, row.roofline);
    const std::string level = level_for(region, options.level);
    const Figure bytes = bytes_for_intensity(region, work, level);
    row.time_s = time_of(work, region.missing);
    row.share = ratio(row.time_s, total);
    row.flop_per_s = rates.front().flop_per_s;
    row.intensity = ratio(rates.front().flop, bytes);
    if (!row.intensity && rates.front().flop && bytes) {
      row.intensity.quantity = "bytes." + level;
      row.intensity.reason = bytes.interval().high.value_or(0) > 0
                                 ? "no byte of the sample crossed this interface"
                                 : "no byte crossed this interface";
    }
    if (rates.front().flop) {
      row.precision = rates.front().unit;
      row.flop_source = rates.front().flop.source;
    }
    if (bytes) row.bytes_source = bytes.source;
    row.other_precisions = shares_of_others(rates);
    row.fraction = fraction_of(profile, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace roofmark::report

namespace roofmark {

std::vector<std::string> levels_of(const Profile& profile) {
  return report::levels_of(profile, "");
}

std::vector<std::string> loci_of(const Profile& profile) {
  std::vector<std::string> loci;
  const auto add = [&](bool kernels) {
    for (const Region& region : profile.regions) {
      const std::string locus = report::locus_of(region);
      if (region.kernel.has_value() == kernels &&
          std::find(loci.begin(), loci.end(), locus) == loci.end())
        loci.push_back(locus);
    }
  };
  add(false);
  add(true);
  return loci;
}

std::string busiest_gpu(const Profile& profile) {
  std::map<std::string, double> time_s;
  for (const Region& region : profile.regions)
    if (region.kernel) time_s[report::locus_of(region)] += report::time_of(region.work, {}).value();
  const auto most =
      std::max_element(time_s.begin(), time_s.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == time_s.end() ? "" : most->first;
}

std::string default_locus(const Profile& profile) {
  bool kernel_flop = false;
  for (const Region& region : profile.regions) {
    const bool flop = report::rates_of(region.self, {}).front().flop.value() > 0;
    if (!region.kernel && flop) return "cpu";
    kernel_flop = kernel_flop || flop;
  }
  return kernel_flop || kernels_alone(profile) ? busiest_gpu(profile) : "cpu";
}

}  // namespace roofmark
