// Writes a report page for tests in a browser: report_page sample|hostile|bare|NUMBER|allNUMBER
// FILE.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <roofmark/report.hpp>
#include <string>

#include "sample_profile.hpp"

using namespace roofmark;

/// Many regions as a large program has them: a tree of a few levels, plain names, a few attacks.
static Profile many(std::size_t regions) {
  Profile profile = sample::profile();
  std::mt19937 random(42);
  const auto size = [&](double low, double high) {
    return std::pow(10, std::uniform_real_distribution<>(low, high)(random));
  };
  const auto hostile = sample::hostile_names();
  while (profile.regions.size() < regions) {
    auto path = profile.regions[random() % profile.regions.size()].path;
    if (path.size() > 7) path.resize(2);
    path.push_back(random() % 200 == 0 ? hostile[random() % 4]
                                       : "kernel_" + std::to_string(profile.regions.size()));
    const double seconds = size(-6, -2);
    Region region =
        sample::region(path, random() % 100000,
                       sample::work(seconds, seconds * size(8, 10.5), seconds * size(9, 10.3)), {});
    region.self = region.work;
    region.rooflines = {sample::roofline(size(-2, 0), random() % 3 ? Side::memory : Side::compute,
                                         random() % 3 ? Verdict::memory : Verdict::compute, "DRAM",
                                         "A sentence that says why, with a number: 12.3 GB/s.")};
    if (random() % 10 == 0)
      region.missing.push_back({"bytes.L2", "the counted pass ended first", "--budget 120"});
    profile.regions.push_back(region);
  }
  return profile;
}

static Profile hostile() {
  Profile profile = sample::profile();
  for (const std::string& name : sample::hostile_names()) {
    Region region = profile.regions[1];
    region.path = {name};
    region.flags = {name};
    region.missing = {{name, name, name}};
    region.shares->left_out = {{1, name, name}};
    region.rooflines[0].why = region.rooflines[0].verdict_detail = name;
    region.rooflines[0].advice = {{name, name, 2.0}};
    // A light point, for which the chart is not made, with bars that reach far out of it.
    constexpr std::uint64_t lighter = 100000;
    for (Work* work : {&region.work, &region.self}) {
      const double seconds = work->wall_s->value /= double(lighter);
      work->wall_s->low = 1e-6 * seconds;
      work->wall_s->high = 1e6 * seconds;
      for (auto& [precision, count] : work->flop) count.value /= lighter;
      for (auto& [level, traffic] : work->bytes)
        for (auto* count : {&traffic.read, &traffic.write})
          if (*count) (*count)->value /= lighter;
    }
    profile.regions.push_back(region);
  }
  profile.program.command = sample::hostile_names();
  return profile;
}

/// Times alone, on a machine that was not measured.
static Profile bare() {
  Profile profile = sample::profile();
  profile.machine = {};
  for (Region& region : profile.regions) {
    region.work.flop.clear();
    region.work.bytes.clear();
    region.self = region.work;
    region.shares.reset();
    region.rooflines.clear();
    region.missing = {{"flop", "counters are off", "record without --counters none"}};
  }
  return profile;
}

/// The flag of a region whose passes differ, beside the scatter of its visits.
static Profile with_differing_visits() {
  Profile profile = sample::profile();
  for (Region& region : profile.regions)
    if (region.path.back() == "precondition") {
      const double mean_s = region.work.wall_s->value / double(region.visits);
      region.visit_s = VisitTimes{mean_s / 2, mean_s, 2 * mean_s, mean_s / 4, mean_s};
      region.flags.insert("visits_differ");
    }
  return profile;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: report_page sample|hostile|bare|NUMBER|allNUMBER FILE\n";
    return 2;
  }
  const std::string kind = arguments[1];
  const bool is_all = kind.starts_with("all");
  const Profile profile = kind == "sample"    ? with_differing_visits()
                          : kind == "hostile" ? hostile()
                          : kind == "bare"    ? bare()
                          : is_all            ? many(std::strtoul(kind.c_str() + 3, nullptr, 10))
                                              : many(std::strtoul(kind.c_str(), nullptr, 10));
  std::ofstream out(arguments[2], std::ios::binary);
  HtmlOptions options;
  if (is_all) {  // as `report --all` has it
    options.regions = 0;
    options.chart.points = static_cast<std::size_t>(-1);
  }
  out << render_html(profile, options);
  return out.good() ? 0 : 1;
}
