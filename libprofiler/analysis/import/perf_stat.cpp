#include "perf_stat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "csv_records.hpp"

namespace roofmark::import {
namespace {

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t start = 0;;) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    fields.push_back(text::trimmed(line.substr(start, end - start)));
    if (end == line.size()) return fields;
    start = end + 1;
  }
}

/// perf prints in the user's locale, without groups: a comma is a decimal one.
std::optional<double> perf_number(std::string_view field) {
  std::string digits(field);
  std::replace(digits.begin(), digits.end(), ',', '.');
  const auto value = text::real_number(digits);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

bool is_value(std::string_view field) {
  return field == "<not counted>" || field == "<not supported>" || perf_number(field).has_value();
}

/// Units that perf knows of, and what its kernel descriptions add.
bool is_unit(std::string_view field) {
  constexpr std::array<std::string_view, 14> units = {"",    "msec", "ns", "Joules", "MiB",
                                                      "KiB", "GiB",  "B",  "bytes",  "C",
                                                      "%",   "mW",   "W",  "64Bytes"};
  return std::find(units.begin(), units.end(), field) != units.end();
}

void put_value(std::string_view field, PerfRow& row) {
  if (field == "<not counted>" || field == "<not supported>") {
    row.absent = field.substr(1, field.size() - 2);
    return;
  }
  row.value = perf_number(field);
  const auto refuse = [&](const std::string& why) {
    row.value.reset();
    row.absent = "`" + text::elided(text::printable(field), 40) + "`, " + why;
  };
  if (!row.value)
    refuse("which is no count");
  else if (*row.value < 0)
    refuse("below zero, which no count is");
  else if (constexpr double most = 1e18; *row.value > most)
    refuse("more than any count");
}

int digits_behind_point(std::string_view field) {
  const std::size_t point = field.find_first_of(".,");
  return point == std::string_view::npos ? 0 : static_cast<int>(field.size() - point - 1);
}

/// [interval,][where,[how many,]]value,unit,event[,variance%],run time,percent[,metric,its unit].
/// An event may have the separator in it.
std::optional<PerfRow> row_of(std::string_view line, char separator, bool any_value = false) {
  const std::vector<std::string_view> fields = fields_of(line, separator);
  // The run time and the share of it: the last pair that is followed by a metric or by nothing.
  for (std::size_t v = 0; v < std::min<std::size_t>(fields.size(), 4); ++v) {
    if (any_value ? fields[v].empty() || is_value(fields[v]) : !is_value(fields[v])) continue;
    if (v + 4 >= fields.size() || !is_unit(fields[v + 1])) continue;
    for (std::size_t r = v + 3; r + 1 < fields.size(); ++r) {
      const auto run = text::whole_number<std::uint64_t>(fields[r]);
      const auto percent = perf_number(fields[r + 1]);
      if (!run || !percent || *percent < 0 || *percent > 100) continue;
      PerfRow row;
      std::size_t event_end = r;
      if (const std::string_view last = fields[r - 1];
          r > v + 3 && !last.empty() && last.back() == '%') {
        row.variance = perf_number(last.substr(0, last.size() - 1));
        if (row.variance) *row.variance /= 100;
        --event_end;
      }
      for (std::size_t e = v + 2; e < event_end; ++e)
        row.event += (e > v + 2 ? std::string(1, separator) : "") + std::string(fields[e]);
      if (row.event.empty() || perf_number(row.event)) break;
      put_value(fields[v], row);
      row.unit = fields[v + 1];
      row.running = *percent / 100;
      if (r + 3 < fields.size() && perf_number(fields[r + 2])) {
        row.metric = perf_number(fields[r + 2]);
        row.metric_digits = digits_behind_point(fields[r + 2]);
        row.metric_unit = fields[r + 3];
      }
      std::size_t before = 0;
      if (before < v && perf_number(fields[0]) &&
          fields[0].find_first_of(".,") != std::string_view::npos)
        row.interval_end_s = perf_number(fields[before++]);
      if (before < v) row.where = fields[before];
      return row;
    }
  }
  return std::nullopt;
}

/// The separator by which most lines are rows: a locale's decimal comma beside one that is no comma
/// reads as a row of its own kind otherwise.
char separator_of(const std::vector<std::string_view>& lines) {
  char best = ',';
  std::size_t most = 0;
  for (const char separator : {';', '\t', '|', '!', ',', ':', ' '}) {
    std::size_t rows = 0;
    for (const std::string_view line : lines) rows += row_of(line, separator).has_value() ? 1 : 0;
    if (rows > most) {
      most = rows;
      best = separator;
    }
  }
  return best;
}

std::optional<PerfRow> row_of_json(std::string_view line) {
  const auto document = nlohmann::json::parse(line, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  const auto text_at = [&](const char* key) -> std::string {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const auto number_at = [&](const char* key) -> std::optional<double> {
    const auto found = document.find(key);
    if (found == document.end()) return std::nullopt;
    if (found->is_number()) return found->get<double>();
    return found->is_string() ? perf_number(found->get<std::string>()) : std::nullopt;
  };
  PerfRow row;
  row.event = text_at("event");
  const std::string value = text_at("counter-value");
  if (row.event.empty() || !is_value(value)) return std::nullopt;
  put_value(value, row);
  row.unit = text_at("unit");
  if (const auto percent = number_at("pcnt-running")) row.running = *percent / 100;
  row.interval_end_s = number_at("interval");
  for (const char* key : {"thread", "core", "cpu", "die", "cluster", "cache", "socket", "node"})
    if (row.where.empty() && document.contains(key))
      row.where = document[key].is_string() ? text_at(key) : document[key].dump();
  row.variance = number_at("variance");
  if (row.variance) *row.variance /= 100;
  row.metric = number_at("metric-value");
  row.metric_unit = text_at("metric-unit");
  constexpr int json_digits = 6;
  row.metric_digits = json_digits;
  return row;
}

/// What it may be instead, for the message.
Problem no_rows(std::string_view text, const std::vector<std::string_view>& lines,
                const std::string& name) {
  if (text.find("Performance counter stats for") != std::string_view::npos)
    return {"it is what perf stat prints for people", name, perf_command};
  if (text.substr(0, 8) == "PERFILE2")
    return {"it is a recording of perf record or perf stat record", name, perf_command};
  for (const std::string_view line : lines)
    if (line.find("\"counter-value\"") != std::string_view::npos)
      return {"its JSON is cut short, or has a locale's decimal commas in it", name,
              "LC_ALL=C perf stat -j -o FILE -- ./app"};
  return {"it has no row of perf stat", name, perf_command};
}

}  // namespace

Result<std::vector<PerfRow>> read_perf_stat(std::string_view text, const std::string& name) {
  if (auto problem = utf16_problem(text, name, "iconv -f UTF-16 -t UTF-8 FILE > FILE.csv"))
    return tl::unexpected(std::move(*problem));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::vector<std::string_view> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text::trimmed(text.substr(start, end - start));
    if (!line.empty() && line.front() != '#') lines.push_back(line);
    start = end + 1;
  }
  std::vector<PerfRow> rows;
  for (const std::string_view line : lines)
    if (line.front() == '{')
      if (auto row = row_of_json(line)) rows.push_back(std::move(*row));
  if (rows.empty()) {
    const char separator = separator_of(lines);
    for (const std::string_view line : lines)
      if (auto row = row_of(line, separator)) rows.push_back(std::move(*row));
    // Where there are rows, one with something else for its value is one, too.
    if (!rows.empty())
      for (const std::string_view line : lines)
        if (!row_of(line, separator))
          if (auto row = row_of(line, separator, true)) rows.push_back(std::move(*row));
    // "0,77,msec,..." reads as the value 77 at a place that is called 0.
    for (const PerfRow& row : rows)
      if (separator == ',' && !row.where.empty() && perf_number(row.where))
        return tl::unexpected(Problem{"its numbers have a locale's decimal commas between commas",
                                      name,
                                      "LC_ALL=C perf stat -x, ..., or another separator (-x ';')"});
  }
  if (rows.empty()) return tl::unexpected(no_rows(text, lines, name));
  return rows;
}

}  // namespace roofmark::import
