#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "capabilities.hpp"

namespace roofmark::check {
namespace {

constexpr const char *green = "32", *red = "31", *bold = "1";

std::string facts_text(const CheckReport& report, const CheckTextOptions& options) {
  constexpr std::size_t names = 22;
  std::string out;
  for (const Fact& fact : report.facts) {
    std::string line = text::indented(fact.value, names, names, options.width);
    line.replace(0, names, text::left("  " + fact.name, names));
    out += line;
    if (!fact.fix.empty())
      out += text::indented("Fix: " + fact.fix, names, names + 5, options.width);
  }
  return out;
}

std::string problem_text(const Problem& problem, std::size_t indent, std::size_t width) {
  std::string out = text::indented(problem.reason, indent, indent, width);
  if (!problem.remedy.empty())
    out += text::indented("Fix: " + problem.remedy, indent, indent + 5, width);
  return out;
}

std::string collectors_text(const CheckReport& report, const CheckTextOptions& options) {
  std::string out;
  for (const Collector& collector : report.collectors) {
    const bool there = !collector.problem;
    out +=
        "  " + text::left(collector.name, 16) +
        text::painted(there ? "available" : "not available", there ? green : red, options.colour) +
        "\n";
    if (!there) out += problem_text(*collector.problem, 18, options.width);
    if (!collector.limit.empty()) out += text::indented(collector.limit, 18, 18, options.width);
  }
  return out;
}

/// Reasons that several quantities share are said once.
std::string quantities_text(const CheckReport& report, const CheckTextOptions& options) {
  std::string out;
  std::vector<std::pair<Problem, std::vector<std::string>>> absent;
  std::string present;
  for (const QuantityState& state : report.quantities) {
    const std::string name = state.quantity + (state.scope == Scope::socket ? " (socket)" : "");
    if (!state.problem) {
      present += (present.empty() ? "" : ", ") + name;
      continue;
    }
    const auto same = std::find_if(absent.begin(), absent.end(), [&](const auto& entry) {
      return entry.first.reason == state.problem->reason &&
             entry.first.remedy == state.problem->remedy;
    });
    if (same == absent.end())
      absent.push_back({*state.problem, {name}});
    else if (std::find(same->second.begin(), same->second.end(), name) == same->second.end())
      same->second.push_back(name);
  }
  if (!present.empty()) out += text::indented("Open and count: " + present, 2, 4, options.width);
  for (const auto& [problem, names] : absent) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    out += text::indented("Not: " + list, 2, 4, options.width) +
           problem_text(problem, 7, options.width);
  }
  return out;
}

std::string self_test_text(const CheckReport& report, const CheckTextOptions& options) {
  text::TextTable table({{"Collector", false, 10},
                         {"Kernel", false, 18},
                         {"Quantity", false, 16},
                         {"Expected", true, 12},
                         {"Counted", true, 12},
                         {"Factor", true, 8},
                         {"Verdict", false, 12}});
  std::vector<std::string> reasons;
  for (const SelfTestRow& row : report.self_test) {
    const Trust verdict = row.verdict();
    const auto factor = row.factor();
    table.add({{row.collector, ""},
               {row.kernel, ""},
               {row.quantity, ""},
               {fmt::format("{}", row.expected), ""},
               {row.counted ? fmt::format("{}", *row.counted) : "-", ""},
               {factor ? fmt::format("{:.4f}", *factor) : "-", ""},
               {verdict == Trust::not_counted ? "not counted" : std::string(spelling(verdict)),
                verdict == Trust::untrusted ? red : ""}});
    if (!row.reason.empty() &&
        std::find(reasons.begin(), reasons.end(), row.reason) == reasons.end())
      reasons.push_back(row.reason);
  }
  std::string out = report.self_test.empty()
                        ? std::string()
                        : table.render(options.width, options.utf8, options.colour);
  for (const std::string& reason : reasons)
    out += text::indented("Not counted: " + reason + ".", 2, 4, options.width);
  for (const std::string& note : report.notes) out += text::indented(note, 2, 4, options.width);
  for (const Problem& problem : report.problems)
    out += text::indented("Not tested: " + to_line(problem), 2, 4, options.width);
  const auto count = [&](Trust verdict) {
    return std::count_if(report.self_test.begin(), report.self_test.end(),
                         [&](const SelfTestRow& row) { return row.verdict() == verdict; });
  };
  if (!report.self_test.empty())
    out += text::indented(
        fmt::format(
            "{} trusted, {} untrusted, {} not counted. Trusted: within 1 % (bytes: 10 %) of what "
            "the kernel does.",
            count(Trust::trusted), count(Trust::untrusted), count(Trust::not_counted)),
        2, 2, options.width);
  return out;
}

}  // namespace

std::string render_check_text(const CheckReport& report, const CheckTextOptions& options) {
  std::string out;
  const auto section = [&](const std::string& title, const std::string& body) {
    if (body.empty()) return;
    out += (out.empty() ? "" : "\n") + text::painted(title, bold, options.colour) + "\n" + body;
  };
  section("This system", facts_text(report, options));
  section("Collectors", collectors_text(report, options));
  section("Quantities of the hardware counters", quantities_text(report, options));
  section("Self-test", self_test_text(report, options));
  return out;
}

}  // namespace roofmark::check
