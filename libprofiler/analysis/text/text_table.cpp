#include "text_table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "plain_text.hpp"

namespace roofmark::text {
namespace {

/// Between columns: one blank where the terminal is narrow.
std::size_t gap_for(std::size_t width) {
  return width < 100 ? 1 : 2;
}
constexpr std::size_t narrowest_flexible = 16;

/// The cells of a column cut to its width. Of several that would look alike what they have in
/// common is cut away, so that what differs stays.
std::vector<std::string> fitted(const std::vector<std::string>& cells, std::size_t width,
                                bool utf8) {
  std::map<std::string, std::string> cut;
  std::map<std::string, std::set<std::string>> alike;
  for (const std::string& cell : cells) {
    const auto [entry, is_new] = cut.try_emplace(cell);
    if (is_new) entry->second = elided(cell, width, utf8);
    alike[entry->second].insert(cell);
  }
  for (const auto& [text, group] : alike) {
    if (group.size() < 2) continue;
    const std::vector<std::string> differing(group.begin(), group.end());
    const std::vector<std::string> told = elided_apart(differing, width, utf8);
    for (std::size_t i = 0; i < told.size(); ++i) cut[differing[i]] = told[i];
  }
  std::vector<std::string> result;
  for (const std::string& cell : cells) result.push_back(cut.at(cell));
  return result;
}

}  // namespace

std::string painted(const std::string& text, const std::string& codes, bool colour) {
  if (!colour || codes.empty() || text.empty()) return text;
  return "\x1b[" + codes + "m" + text + "\x1b[0m";
}

std::string TextTable::render(std::size_t width, bool utf8, bool colour) const {
  const std::size_t gap = gap_for(width);
  std::vector<std::size_t> widths(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = 0;
    for (const auto& row : rows_)
      if (c < row.size()) widest = std::max(widest, text::columns(row[c].text));
    if (!columns_[c].to_the_right) widest = std::min(widest, columns_[c].most);
    widths[c] = std::max(widest, std::min(text::columns(columns_[c].title), columns_[c].most));
  }
  std::vector<bool> shown(columns_.size(), true);
  const auto taken = [&] {
    std::size_t sum = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (shown[c] && !columns_[c].flexible) sum += widths[c] + gap;
    return sum;
  };
  while (taken() + narrowest_flexible > width) {
    std::size_t worst = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (shown[c] && columns_[c].dispensable > 0 &&
          (worst == columns_.size() || columns_[c].dispensable > columns_[worst].dispensable))
        worst = c;
    if (worst == columns_.size()) break;
    shown[worst] = false;
  }
  if (taken() + 1 > width)
    for (std::size_t c = 0; c < columns_.size(); ++c)
      widths[c] = std::min(widths[c], columns_[c].most);
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].flexible) {
      const std::size_t room = width > taken() ? width - taken() : 1;
      widths[c] = std::min(widths[c], room);
    }

  std::map<std::size_t, std::vector<std::string>> names;  // of columns that give way
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].flexible) continue;
    std::vector<std::string> cells;
    for (const auto& row : rows_) cells.push_back(c < row.size() ? row[c].text : "");
    names[c] = fitted(cells, widths[c], utf8);
  }

  std::string text;
  const auto put = [&](const auto& cell_of, bool numbers) {
    std::string line;
    bool first = true;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!shown[c]) continue;
      if (!first) line.append(gap, ' ');
      first = false;
      const TextCell cell = cell_of(c);
      const std::string fitted =
          numbers && columns_[c].to_the_right && columns(cell.text) > widths[c]
              ? std::string(utf8 ? "…" : "..")
              : elided(cell.text, widths[c], utf8);
      const std::string padded =
          columns_[c].to_the_right ? right(fitted, widths[c]) : left(fitted, widths[c]);
      // Only the text is painted, so that underlines and backgrounds never reach into the gaps.
      const std::size_t at = padded.find(fitted);
      line += padded.substr(0, at) + painted(fitted, cell.paint, colour) +
              padded.substr(at + fitted.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  put([&](std::size_t c) { return TextCell{columns_[c].title, "1"}; }, false);
  for (std::size_t r = 0; r < rows_.size(); ++r)
    put(
        [&](std::size_t c) {
          TextCell cell = c < rows_[r].size() ? rows_[r][c] : TextCell{};
          if (columns_[c].flexible) cell.text = names[c][r];
          return cell;
        },
        true);
  return text;
}

}  // namespace roofmark::text
