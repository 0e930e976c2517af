#include "nsight_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "csv_records.hpp"
#include "nsight_value.hpp"

namespace roofmark::import {
namespace {

std::optional<std::size_t> column(const CsvRecord& header, std::string_view name) {
  const auto found = std::find(header.fields.begin(), header.fields.end(), name);
  if (found == header.fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.fields.begin());
}

bool is_header(const CsvRecord& record) {
  return !record.fields.empty() && record.fields.front() == "ID" &&
         column(record, "Kernel Name").has_value();
}

/// What stands in several sections may be rounded in each of them.
void put(Launch& launch, const std::string& metric, Cell cell) {
  const auto [place, fresh] = launch.metrics.try_emplace(metric, cell);
  if (fresh) return;
  Cell& known = place->second;
  const auto one = metric_value(known.text, known.unit), two = metric_value(cell.text, cell.unit);
  constexpr double rounding = 0.01;
  if (!one && two)
    known = std::move(cell);
  else if (one && two && std::abs(*one - *two) > rounding * std::max(*one, *two))
    known.other = cell.text + (cell.unit.empty() ? "" : " " + cell.unit);
}

class Table {
 public:
  Table(const CsvRecord& header, const std::string& name) : header_(header), name_(name) {}

  Result<std::vector<Launch>> read(const std::vector<CsvRecord>& records, std::size_t first) {
    const auto metric = column(header_, "Metric Name"), value = column(header_, "Metric Value");
    const bool is_long = metric && value;
    if (is_long)
      read_long(records, first, *metric, *value, column(header_, "Metric Unit"));
    else
      read_wide(records, first);
    if (short_line_ != 0)
      return tl::unexpected(Problem{"a row has fewer columns than the table: the file is cut short",
                                    name_ + ", line " + std::to_string(short_line_),
                                    "write it again"});
    if (other_line_ != 0)
      return tl::unexpected(Problem{"a second table with other columns begins there",
                                    name_ + ", line " + std::to_string(other_line_),
                                    "import the tables one by one"});
    if (twice_line_ != 0)
      return tl::unexpected(Problem{"a launch stands there for the second time",
                                    name_ + ", line " + std::to_string(twice_line_),
                                    "leave what was written twice out"});
    if (launches_.empty())
      return tl::unexpected(
          Problem{"the table has no kernel in it", name_, "profile a run that launches kernels"});
    return std::move(launches_);
  }

 private:
  std::string field(const CsvRecord& record, const char* name) const {
    const auto at = column(header_, name);
    return at && *at < record.fields.size() ? record.fields[*at] : std::string();
  }

  Launch launch_of(const CsvRecord& record) const {
    return {field(record, "Process ID"),  field(record, "ID"),
            field(record, "Kernel Name"), field(record, "Device"),
            field(record, "CC"),          field(record, "Grid Size"),
            field(record, "Block Size"),  {}};
  }

  /// Whether it is a row of the table at all; a row that ends too early is kept for the message.
  bool is_row(const CsvRecord& record) {
    if (is_header(record) && record.fields != header_.fields && other_line_ == 0)
      other_line_ = record.line;
    const std::string& id = record.fields.front();
    const bool numbered = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
    if (!numbered) return false;
    if (record.fields.size() < header_.fields.size() && short_line_ == 0) short_line_ = record.line;
    return record.fields.size() >= header_.fields.size();
  }

  void read_long(const std::vector<CsvRecord>& records, std::size_t first, std::size_t metric,
                 std::size_t value, std::optional<std::size_t> unit) {
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (std::size_t i = first; i < records.size(); ++i) {
      const CsvRecord& record = records[i];
      if (!is_row(record)) continue;
      Launch launch = launch_of(record);
      const auto [place, fresh] =
          known.emplace(std::pair{launch.process, launch.id}, launches_.size());
      if (fresh) launches_.push_back(std::move(launch));
      if (!record.fields[metric].empty())
        put(launches_[place->second], record.fields[metric],
            {record.fields[value], unit ? record.fields[*unit] : std::string(), record.line});
    }
  }

  void read_wide(const std::vector<CsvRecord>& records, std::size_t first) {
    std::vector<std::string> units(header_.fields.size());
    std::size_t i = first;
    // The row of units has nothing where launches have their number.
    if (i < records.size() && records[i].fields.size() == units.size() &&
        records[i].fields.front().empty())
      units = records[i++].fields;
    for (; i < records.size(); ++i) {
      // A further table of the same columns has its own units.
      if (is_header(records[i]) && i + 1 < records.size() &&
          records[i + 1].fields.size() == units.size() && records[i + 1].fields.front().empty())
        units = records[i + 1].fields;
      if (!is_row(records[i])) continue;
      Launch launch = launch_of(records[i]);
      for (std::size_t c = 0; c < header_.fields.size(); ++c)
        // Identities have no dots or double underscores in their names.
        if (header_.fields[c].find("__") != std::string::npos)
          put(launch, header_.fields[c], {records[i].fields[c], units[c], records[i].line});
      if (!launch.process.empty() && !seen_.emplace(launch.process, launch.id).second &&
          twice_line_ == 0)
        twice_line_ = records[i].line;
      launches_.push_back(std::move(launch));
    }
  }

  const CsvRecord& header_;
  const std::string& name_;
  std::vector<Launch> launches_;
  std::size_t short_line_ = 0, other_line_ = 0, twice_line_ = 0;
  std::set<std::pair<std::string, std::string>> seen_;  ///< processes and their launches
};

}  // namespace

Result<std::vector<Launch>> read_nsight(std::string_view text, const std::string& name) {
  const auto records = csv_records(text, name);
  if (!records) return tl::unexpected(records.error());
  for (std::size_t i = 0; i < records->size(); ++i)
    if (is_header((*records)[i])) return Table((*records)[i], name).read(*records, i + 1);
  return tl::unexpected(Problem{"it has no table of Nsight Compute", name, nsight_command});
}

}  // namespace roofmark::import
