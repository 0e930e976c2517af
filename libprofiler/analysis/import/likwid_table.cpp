#include "likwid_table.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/text/parsing.hpp"
#include "csv_records.hpp"

namespace roofmark::import {
namespace {

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

std::optional<double> number(std::string_view field) {
  const auto value = text::real_number(text::trimmed(field));
  if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
  return value;
}

/// "TABLE,Region NAME,Group 1 Raw STAT,FLOPS_DP,..." A region's name may have commas in it.
struct Title {
  std::string region, group_name, kind;  ///< kind: "Raw", "Metric STAT", ...
  unsigned number = 0;
};

std::optional<Title> title_of(const std::vector<std::string>& fields) {
  for (std::size_t i = 1; i + 1 < fields.size(); ++i) {
    if (!starts_with(fields[i], "Group ")) continue;
    Title title;
    for (std::size_t r = 1; r < i; ++r) title.region += (r > 1 ? "," : "") + fields[r];
    if (i > 1) {
      if (!starts_with(title.region, "Region ")) return std::nullopt;
      title.region.erase(0, std::string_view("Region ").size());
    }
    const std::string_view rest = std::string_view(fields[i]).substr(6);
    const std::size_t blank = rest.find(' ');
    const auto group = text::whole_number<unsigned>(rest.substr(0, blank));
    if (!group || blank == std::string_view::npos) return std::nullopt;
    title.number = *group;
    title.kind = rest.substr(blank + 1);
    title.group_name = fields[i + 1];
    return title;
  }
  return std::nullopt;
}

class TableReader {
 public:
  TableReader(const std::vector<CsvRecord>& records, const std::string& name)
      : records_(records), name_(name) {}

  Result<LikwidTables> read() {
    for (at_ = 0; at_ < records_.size(); ++at_) {
      const std::vector<std::string>& fields = records_[at_].fields;
      const std::string head(text::trimmed(fields.front()));
      if (head == "CPU name:" && fields.size() > 1 && tables_.cpu_name.empty())
        tables_.cpu_name = text::trimmed(fields[1]);
      if (head == "CPU type:" && fields.size() > 1 && tables_.cpu_type.empty())
        tables_.cpu_type = text::trimmed(fields[1]);
      if (head != "TABLE") continue;
      const auto title = title_of(fields);
      if (!title)
        return tl::unexpected(Problem{"a table without a group",
                                      name_ + ", line " + std::to_string(records_[at_].line),
                                      likwid_command});
      if (auto problem = read_table(*title)) return tl::unexpected(std::move(*problem));
    }
    if (tables_.groups.empty() && !tables_.has_gpu)
      return tl::unexpected(Problem{"it has no table of likwid-perfctr", name_, likwid_command});
    return std::move(tables_);
  }

 private:
  LikwidGroup& group_of(const Title& title) {
    for (LikwidGroup& group : tables_.groups)
      if (group.region == title.region && group.number == title.number) return group;
    LikwidGroup& group = tables_.groups.emplace_back();
    group.region = title.region;
    group.number = title.number;
    group.name = title.group_name;
    return group;
  }

  static LikwidValues values(const std::vector<std::string>& fields, std::size_t first,
                             std::size_t count) {
    LikwidValues row;
    for (std::size_t i = first; i < first + count; ++i)
      row.push_back(i < fields.size() ? number(fields[i]) : std::nullopt);
    return row;
  }

  /// Rows up to the next title. Statistics are ours to make.
  std::optional<Problem> read_table(const Title& title) {
    LikwidGroup* group = nullptr;
    if (title.kind == "Raw" || title.kind == "Metric") group = &group_of(title);
    for (; at_ + 1 < records_.size(); ++at_) {
      const std::vector<std::string>& fields = records_[at_ + 1].fields;
      const std::string_view head = text::trimmed(fields.front());
      if (head == "TABLE" || head == "STRUCT" || starts_with(head, "CPU ") ||
          starts_with(head, "-----"))
        break;
      if (group == nullptr || head.empty()) continue;
      if (head == "Region Info" || head == "Event" || head == "Metric") {
        if (auto problem = read_header(*group, fields, head == "Event" ? 2 : 1, title))
          return problem;
        continue;
      }
      if (group->threads.empty()) continue;
      const std::size_t threads = group->threads.size();
      const bool is_raw = title.kind == "Raw";
      const std::size_t first = is_raw && in_events_ ? 2 : 1;
      if (fields.size() < first + threads)
        return Problem{"a row has fewer columns than the table: the file is cut short",
                       name_ + ", line " + std::to_string(records_[at_ + 1].line),
                       "write it again"};
      // "8,5" between commas is a value for each of two threads.
      if (std::any_of(fields.begin() + static_cast<std::ptrdiff_t>(first + threads), fields.end(),
                      [](const std::string& field) { return !text::trimmed(field).empty(); }))
        return Problem{"a row has more columns than the table, as a locale's decimal commas make",
                       name_ + ", line " + std::to_string(records_[at_ + 1].line),
                       "LC_ALL=C likwid-perfctr ..."};
      LikwidValues row = values(fields, first, threads);
      if (head == "RDTSC Runtime [s]")
        group->time_s = std::move(row);
      else if (head == "call count")
        group->calls = std::move(row);
      else if (is_raw && in_events_ && has_event(*group, head, text::trimmed(fields[1])))
        return Problem{"an event stands there for the second time in its group",
                       name_ + ", line " + std::to_string(records_[at_ + 1].line),
                       "leave what was written twice out"};
      else if (is_raw && in_events_)
        group->events.push_back(
            {std::string(head), std::string(text::trimmed(fields[1])), std::move(row)});
      else if (!is_raw)
        group->metrics.insert_or_assign(std::string(head), std::move(row));
    }
    if (group != nullptr && group->threads.empty()) drop(title);
    return std::nullopt;
  }

  std::optional<Problem> read_header(LikwidGroup& group, const std::vector<std::string>& fields,
                                     std::size_t first, const Title& title) {
    in_events_ = first == 2;
    std::vector<std::string> threads;
    for (std::size_t i = first; i < fields.size() && !fields[i].empty(); ++i) {
      if (starts_with(fields[i], "GPU ")) tables_.has_gpu = true;
      if (starts_with(fields[i], "HWThread ") || starts_with(fields[i], "Core "))
        threads.push_back(fields[i]);
    }
    if (!group.threads.empty() && group.threads != threads)
      return Problem{
          "two tables of group " + std::to_string(title.number) + " have other hardware threads",
          name_, "write it again"};
    group.threads = std::move(threads);
    return std::nullopt;
  }

  /// One event may be on several counters: of each memory controller, say.
  static bool has_event(const LikwidGroup& group, std::string_view name, std::string_view counter) {
    return std::any_of(group.events.begin(), group.events.end(), [&](const auto& event) {
      return event.name == name && event.counter == counter;
    });
  }

  void drop(const Title& title) {
    std::erase_if(tables_.groups, [&](const LikwidGroup& group) {
      return group.region == title.region && group.number == title.number;
    });
  }

  const std::vector<CsvRecord>& records_;
  const std::string& name_;
  std::size_t at_ = 0;
  bool in_events_ = false;  ///< below the header of events, not of a region's facts
  LikwidTables tables_;
};

}  // namespace

Result<LikwidTables> read_likwid(std::string_view text, const std::string& name) {
  const auto records = csv_records(text, name);
  if (!records) return tl::unexpected(records.error());
  return TableReader(*records, name).read();
}

}  // namespace roofmark::import
