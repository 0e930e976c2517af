// The files in tests/golden: hand-made, so that nothing of the code that they test made them.
#include "golden_table.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis/profile/profile_json.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "catch.hpp"
#include "fixture_profiles.hpp"

namespace roofmark {
namespace {

constexpr double flop_per_s = 10e9, bytes_per_s = 10e9;  // of a core, in every file

std::string golden_file(const std::string& name) {
  std::ifstream stream(std::string(GOLDEN) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Profile golden(const std::string& name) {
  auto profile = profile_from_json(golden_file(name + ".roofmark.json"), name);
  REQUIRE(profile);
  judge(*profile);
  return std::move(*profile);
}

std::set<std::string> names() {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(GOLDEN))
    if (entry.path().extension() == ".json") all.insert(entry.path().stem().stem().string());
  return all;
}

const Region* region_of(const Profile& profile, const std::string& name) {
  for (const Region& region : profile.regions)
    if (region.path.back() == name) return &region;
  return nullptr;
}

/// On its GPU, where it has one.
const Roofline* verdict_of(const Region& region) {
  return inclusive_roofline(region, region.gpu.empty() ? "" : "gpu:" + region.gpu[0].device);
}

double wall_s(const Region& region) {
  return region.work.wall_s->value;
}

double arithmetic_s(const Region& region) {
  const auto flop = region.work.flop.find(Precision::f64);
  return flop == region.work.flop.end() ? 0 : double(flop->second.value) / flop_per_s;
}

double memory_s(const Region& region) {
  return double(region.work.bytes.at("DRAM").read->value) / bytes_per_s;
}

/// What the region's raw numbers say on the scale of a threshold, without the model.
const std::map<std::string, std::function<double(const Region&)>>& scales() {
  const auto ridge = [](const Region& it) { return arithmetic_s(it) / memory_s(it); };
  const auto highest = [](const Region& it) {
    return std::max(arithmetic_s(it), memory_s(it)) / wall_s(it);
  };
  static const std::map<std::string, std::function<double(const Region&)>> all = {
      {"below ridge_uncertainty", ridge},
      {"above ridge_uncertainty", ridge},
      {"below their spread", ridge},
      {"above their spread", ridge},
      {"binding ceiling", ridge},
      {"at_roof", highest},
      {"above_margin", highest},
      {"its spread", highest},
      {"explains", highest},
      {"latency_below",
       [](const Region& it) { return (arithmetic_s(it) + memory_s(it)) / wall_s(it); }},
      {"idle_cores", [](const Region& it) { return it.cores_used->value; }},
      {"serial_cores", [](const Region& it) { return it.cores_used->value; }},
      {"FLOPs", [](const Region& it) { return double(it.work.flop.at(Precision::f64).value); }},
      {"stalled_ipc",
       [](const Region& it) {
         return double(it.work.operations.at("instructions").value) / 1e9 / wall_s(it);
       }},
      {"lost_to_waiting",
       [](const Region& it) {
         // Both cores have twice one core's peak, and in `serial_but_bound` 10 GB/s.
         const double busy = std::max(arithmetic_s(it) / 2, memory_s(it)) / wall_s(it);
         return std::min(it.imbalance.value_or(2 / it.cores_used->value), 1 / busy);
       }},
      {"communication_share", [](const Region& it) { return it.mpi_s->value / wall_s(it); }},
      {"MPI by explained",
       [](const Region& it) { return it.mpi_s->value / std::max(arithmetic_s(it), memory_s(it)); }},
      {"half of the mean",
       [](const Region& it) { return it.mpi_ranks->min_s / it.mpi_ranks->mean_s; }},
      {"launch_idle",
       [](const Region& it) { return it.gpu[0].idle_s->value / it.gpu[0].span_s->value; }},
      {"launch_calls",
       [](const Region& it) { return it.gpu_calls->launch_s / it.gpu[0].idle_s->value; }},
      {"too_small_marker_share",
       [](const Region& it) { return it.marker_s / (it.marker_s + wall_s(it)); }},
  };
  return all;
}

/// Where on its scale a verdict changes.
double limit_of(const std::string& threshold) {
  const auto& limit = model::thresholds();
  const std::map<std::string, double> derived = {
      {"below ridge_uncertainty", 1 / (1 + limit.ridge_uncertainty)},
      {"above ridge_uncertainty", 1 + limit.ridge_uncertainty},
      // 12 % of the peak and 9 % of the bandwidth make 15 %.
      {"below their spread", 1 / 1.15},
      {"above their spread", 1.15},
      {"above_margin", 1 + limit.above_margin},
      {"its spread", 1.15},
      {"binding ceiling", 1},
      {"FLOPs", 0.5},
      {"MPI by explained", 1},
      {"half of the mean", 0.5},
  };
  if (const auto found = derived.find(threshold); found != derived.end()) return found->second;
  const auto data = nlohmann::json::parse(model::verdicts_text());
  return data.at("thresholds").at(threshold).at("value").get<double>();
}

TEST_CASE("golden: each region gets the verdict of its row") {
  for (const test::GoldenRow& row : test::golden_table()) {
    INFO(row.file << ": " << row.region);
    const Profile profile = golden(row.file);
    const Region* region = region_of(profile, row.region);
    REQUIRE(region != nullptr);
    const Roofline* roofline = verdict_of(*region);
    REQUIRE(roofline != nullptr);
    CHECK(spelling(roofline->verdict) == spelling(row.verdict));
    CHECK(roofline->verdict_detail == row.detail);
    CHECK(!roofline->why.empty());
  }
}

TEST_CASE("golden: each region stands where its row says, close to the threshold") {
  for (const test::GoldenRow& row : test::golden_table()) {
    if (row.threshold[0] == '\0') continue;
    INFO(row.file << ": " << row.region << ", " << row.threshold);
    const Profile profile = golden(row.file);
    REQUIRE(scales().count(row.threshold) == 1);
    const double stands = scales().at(row.threshold)(*region_of(profile, row.region));
    CHECK(std::abs(stands - row.stands_at) < 1e-9);
    const double limit = limit_of(row.threshold);
    const bool far_by_nature =
        std::string(row.threshold) == "binding ceiling" || std::string(row.threshold) == "FLOPs";
    if (!far_by_nature) CHECK(std::abs(stands - limit) / limit < 0.06);
  }
}

TEST_CASE("golden: what is said changes at every threshold, and there alone") {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> sides;
  for (const test::GoldenRow& row : test::golden_table()) {
    if (row.threshold[0] == '\0') continue;
    auto& [below, above] = sides[std::string(row.file) + ": " + row.threshold];
    (row.stands_at < limit_of(row.threshold) ? below : above)
        .insert(std::string(spelling(row.verdict)) + " " + row.detail);
  }
  for (const auto& [threshold, both] : sides) {
    INFO(threshold);
    CHECK(!both.first.empty());
    CHECK(!both.second.empty());
    for (const std::string& said : both.first) CHECK(both.second.count(said) == 0);
  }
}

TEST_CASE("golden: every verdict is there twice, beside a threshold, and with advice") {
  // As they are spelt in the schema, so that a verdict which is added is missed here.
  std::ifstream stream(PROFILE_SCHEMA);
  const auto schema = nlohmann::json::parse(stream);
  const auto& known = schema.at("$defs").at("roofline").at("properties").at("verdict").at("enum");
  REQUIRE(known.size() == std::size_t(Verdict::undetermined) + 1);
  for (const auto& word : known) {
    int seen = 0, beside = 0, advised = 0;
    for (const test::GoldenRow& row : test::golden_table()) {
      if (spelling(row.verdict) != word.get<std::string>()) continue;
      ++seen;
      beside += row.threshold[0] != '\0';
      const Profile profile = golden(row.file);
      advised += !verdict_of(*region_of(profile, row.region))->advice.empty();
    }
    INFO(word);
    CHECK(seen >= 2);
    CHECK(beside >= 1);
    CHECK(advised == seen);
  }
}

TEST_CASE("golden: no file and no region is without a row") {
  std::set<std::string> in_table;
  std::map<std::string, std::size_t> rows;
  for (const test::GoldenRow& row : test::golden_table()) {
    in_table.insert(row.file);
    ++rows[row.file];
  }
  CHECK(names() == in_table);
  for (const std::string& name : in_table) {
    INFO(name);
    CHECK(golden(name).regions.size() == rows[name]);
  }
}

TEST_CASE("golden: the reports say what they said") {
  for (const std::string& name : names()) {
    INFO(name << ": if the change is meant, run write_fixtures and read the difference");
    const std::string text = golden_file(name + ".txt");
    REQUIRE(!text.empty());
    CHECK((text == test::terminal_report(golden(name))));
  }
}

}  // namespace
}  // namespace roofmark
