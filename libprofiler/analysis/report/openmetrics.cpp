// OpenMetrics text, which Prometheus reads: a gauge for each number, absent where it is absent.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/text/plain_text.hpp"
#include "numbers.hpp"
#include "region_row.hpp"
#include "sections.hpp"

namespace roofmark {
namespace {

using namespace report;
using Labels = std::vector<std::pair<std::string, std::string>>;

std::string label_value(const std::string& raw) {
  std::string safe;  // of printable text: no line ends
  for (const char c : text::printable(raw)) {
    if (c == '\\' || c == '"') safe += '\\';
    safe += c;
  }
  return safe;
}

/// Samples of one metric have to stand together.
class Metrics {
 public:
  struct Family {
    std::string help, unit, samples;
  };

  void define(const std::string& name, const std::string& unit, const std::string& help) {
    order_.push_back(name);
    families_[name] = {help, unit, ""};
  }
  void add(const std::string& name, const Labels& labels, double value) {
    if (!std::isfinite(value)) return;
    std::string text;
    for (const auto& [key, label] : labels)
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", key, label_value(label));
    families_[name].samples += fmt::format("{}{{{}}} {}\n", name, text, exact(value));
  }
  std::string render() const {
    std::string text;
    for (const std::string& name : order_) {
      const Family& family = families_.at(name);
      if (family.samples.empty()) continue;
      text += fmt::format("# TYPE {} gauge\n", name);
      if (!family.unit.empty()) text += fmt::format("# UNIT {} {}\n", name, family.unit);
      text += fmt::format("# HELP {} {}\n{}", name, family.help, family.samples);
    }
    return text + "# EOF\n";
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, Family> families_;
};

void add_region(Metrics& metrics, const Region& region, const RegionRow& row, const Labels& base) {
  const auto with = [&](Labels more) {
    Labels labels = base;
    labels.insert(labels.end(), more.begin(), more.end());
    return labels;
  };
  const auto source = [](Source s) { return std::string(spelling(s)); };
  if (has_visits(region))
    metrics.add("roofmark_region_visits", base, static_cast<double>(region.visits));
  if (const auto& wall = region.work.wall_s)
    metrics.add("roofmark_region_wall_seconds", with({{"source", source(wall->source)}}),
                wall->value);
  if (const auto& threads = region.work.thread_s)
    metrics.add("roofmark_region_thread_seconds", with({{"source", source(threads->source)}}),
                threads->value);
  for (const auto& [precision, count] : region.work.flop)
    metrics.add(
        "roofmark_region_flop",
        with({{"precision", std::string(spelling(precision))}, {"source", source(count.source)}}),
        static_cast<double>(count.value));
  for (const auto& [level, traffic] : region.work.bytes)
    for (const auto& [direction, count] :
         {std::pair{"read", &traffic.read}, {"write", &traffic.write}, {"total", &traffic.total}})
      if (*count)
        metrics.add("roofmark_region_traffic_bytes",
                    with({{"interface", level},
                          {"direction", direction},
                          {"source", source((*count)->source)}}),
                    static_cast<double>((*count)->value));
  if (row.flop_per_s)
    metrics.add("roofmark_region_flop_per_second", with({{"precision", row.precision}}),
                row.flop_per_s.value());
  if (row.fraction) metrics.add("roofmark_region_roof_ratio", base, row.fraction.value());
  if (row.roofline)
    metrics.add("roofmark_region_verdict",
                with({{"verdict", std::string(spelling(row.roofline->verdict))},
                      {"detail", row.roofline->verdict_detail}}),
                1);
}

}  // namespace

std::string render_openmetrics(const Profile& profile) {
  Metrics metrics;
  metrics.define("roofmark_region_visits", "", "Entries of the region.");
  metrics.define("roofmark_region_wall_seconds", "seconds", "Wall time, parts included.");
  metrics.define("roofmark_region_thread_seconds", "seconds", "Time summed over threads.");
  metrics.define("roofmark_region_flop", "", "Floating-point operations by precision.");
  metrics.define("roofmark_region_traffic_bytes", "bytes", "Bytes that crossed an interface.");
  metrics.define("roofmark_region_flop_per_second", "", "FLOP/s of the judged precision.");
  metrics.define("roofmark_region_roof_ratio", "ratio", "Share of the machine's roof reached.");
  metrics.define("roofmark_region_verdict", "", "1 for the verdict that holds.");
  metrics.define("roofmark_machine_flop_per_second", "", "The machine's own peak.");
  metrics.define("roofmark_machine_bandwidth_bytes_per_second", "bytes_per_second",
                 "The machine's own bandwidth at an interface.");
  const std::string program = command_line(profile.program);
  const std::vector<RegionRow> rows = rows_of(profile, {});
  for (const RegionRow& row : rows) {
    const Region& region = profile.regions[row.region];
    Labels labels = {{"program", program}, {"host", profile.program.host}};
    labels.emplace_back("scope", region.path.empty() ? "program" : "region");
    if (!region.path.empty()) labels.emplace_back("region", text::unambiguous_path(region.path));
    if (region.kernel) labels.emplace_back("device", region.kernel->device);
    add_region(metrics, region, row, labels);
  }
  for (const ChartCeiling& ceiling : own_roof(profile, rows))
    metrics.add(ceiling.kind == ChartCeiling::Kind::compute
                    ? "roofmark_machine_flop_per_second"
                    : "roofmark_machine_bandwidth_bytes_per_second",
                {{"host", profile.program.host},
                 {"ceiling", ceiling.name},
                 {"detail", ceiling.detail},
                 {"source", std::string(spelling(ceiling.source))}},
                ceiling.per_s.value);
  return metrics.render();
}

}  // namespace roofmark
