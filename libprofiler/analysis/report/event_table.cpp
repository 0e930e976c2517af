#include "event_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "text_regions.hpp"

namespace roofmark::report {
using namespace text;

namespace {

constexpr std::string_view group = "events.";
constexpr std::size_t whole_digits = 12;

/// To the last unit as long as it is readable: these are often small and exact.
std::string count_text(const Work& work, const std::string& name, double value) {
  const auto found = work.events.find(name);
  if (found == work.events.end()) return "";
  std::string digits = std::to_string(found->second.value);
  return digits.size() <= whole_digits ? digits : with_prefix(value, "", 4);
}

const Work& work_of(const Profile& profile, const RegionRow& row, bool self) {
  const Region& region = profile.regions[row.region];
  return self ? region.self : region.work;
}

/// Whether the row has anything to say of these events.
bool speaks(const Profile& profile, const RegionRow& row, const std::vector<std::string>& names,
            bool self) {
  const Region& region = profile.regions[row.region];
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    if (work_of(profile, row, self).events.contains(name)) return true;
    return std::any_of(region.missing.begin(), region.missing.end(), [&](const Missing& missing) {
      return missing.quantity == std::string(group) + name;
    });
  });
}

}  // namespace

std::vector<std::string> event_names(const Profile& profile) {
  std::set<std::string> names;
  for (const Region& region : profile.regions) {
    for (const Work* work : {&region.work, &region.self})
      for (const auto& [name, count] : work->events) names.insert(name);
    for (const Missing& missing : region.missing)
      if (missing.quantity.starts_with(group)) names.insert(missing.quantity.substr(group.size()));
  }
  return {names.begin(), names.end()};
}

std::string event_origin(const Profile& profile, const std::string& name) {
  std::set<std::string> origins;
  std::set<std::string> caveats;
  for (const Region& region : profile.regions)
    for (const Work* work : {&region.work, &region.self}) {
      const auto found = work->events.find(name);
      if (found == work->events.end()) continue;
      const Count& count = found->second;
      origins.insert(fmt::format("{}{}{}, of the {}", count.collector,
                                 count.collector.empty() ? "" : ", ", spelling(count.source),
                                 spelling(count.scope)));
      caveats.insert(count.caveats.begin(), count.caveats.end());
    }
  if (origins.empty()) return "not counted";
  std::string text = fmt::format("{}", fmt::join(origins, "; "));
  if (!caveats.empty()) text += fmt::format(" ({})", fmt::join(caveats, "; "));
  return text;
}

std::string events_text(const Profile& profile, const std::vector<RegionRow>& rows,
                        const TextOptions& options, Absences& absences) {
  const std::vector<std::string> names = event_names(profile);
  const auto clean = [&](const std::string& text) {
    return options.utf8 ? printable(text) : printable_ascii(text);
  };
  const std::size_t a_table = options.width < 110 ? 4 : 6;
  std::string text;
  for (std::size_t first = 0; first < names.size(); first += a_table) {
    const std::vector<std::string> part(
        names.begin() + static_cast<std::ptrdiff_t>(first),
        names.begin() + static_cast<std::ptrdiff_t>(std::min(first + a_table, names.size())));
    std::vector<TextColumn> columns = {{"  Region", false, 400, 0, true}};
    for (std::size_t i = 0; i < part.size(); ++i)
      columns.push_back({fmt::format("E{}", first + i + 1), true, 16, 0, false});
    TextTable table(columns);
    for (const std::size_t index : heaviest(profile, rows, options.rows)) {
      const RegionRow& row = rows[index];
      if (!speaks(profile, row, part, options.self)) continue;
      std::vector<TextCell> line = {{"  " + clean(row.path), ""}};
      for (const std::string& name : part) {
        const Work& work = work_of(profile, row, options.self);
        const Figure figure = event_at(work, name, profile.regions[row.region].missing);
        if (figure) {
          const bool range = figure.number->low || figure.number->high;
          line.push_back({(range ? "~" : "") + count_text(work, name, figure.value()), ""});
        } else {
          line.push_back({fmt::format("-[{}]", absences.mark_of(figure, row.path)), "2"});
        }
      }
      table.add(std::move(line));
    }
    text += table.render(options.width, options.utf8, options.colour);
    for (std::size_t i = 0; i < part.size(); ++i)
      text += indented(fmt::format("E{}: {} - {}", first + i + 1, clean(part[i]),
                                   event_origin(profile, part[i])),
                       2, 6, options.width);
  }
  return text;
}

std::string events_html(const Profile& profile, const std::vector<RegionRow>& rows,
                        const std::vector<std::size_t>& shown, bool self, Absences& absences) {
  const std::vector<std::string> names = event_names(profile);
  if (names.empty()) return "";
  std::string text =
      "<h2>Events</h2>\n<div class=\"scroll\"><table id=\"events\"><thead><tr>"
      "<th class=\"left\" scope=\"col\">Region</th>";
  for (const std::string& name : names)
    text += fmt::format("<th title=\"{}\" scope=\"col\">{}</th>",
                        markup(event_origin(profile, name)), markup(name));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    if (!speaks(profile, row, names, self)) continue;
    text += fmt::format("<tr><td class=\"left\">{}</td>", markup(row.path));
    for (const std::string& name : names) {
      const Work& work = work_of(profile, row, self);
      const Figure figure = event_at(work, name, profile.regions[row.region].missing);
      if (figure)
        text += fmt::format("<td>{}{}<span class=\"source\">{}</span></td>",
                            figure.number->low || figure.number->high ? "~" : "",
                            markup(count_text(work, name, figure.value())),
                            spelling(figure.source.value_or(Source::measured)));
      else
        text += fmt::format("<td><span class=\"absent\" title=\"{}\">-<sup>{}</sup></span></td>",
                            markup(figure.reason + (figure.fix.empty() ? "" : "; " + figure.fix)),
                            absences.mark_of(figure, row.path));
    }
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n<ul class=\"plain\">\n";
  for (const std::string& name : names)
    text += fmt::format("<li>{}: {}</li>\n", markup(name), markup(event_origin(profile, name)));
  return text + "</ul>\n";
}

}  // namespace roofmark::report
