// A table for a terminal: columns as wide as their content, one of them taking what is left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace roofmark::text {

struct TextColumn {
  std::string title;
  bool to_the_right = true;
  /// Columns at most; longer text is elided. A number, which stands to the right, is never cut: it
  /// is whole, or where even a line of its own has no room for it a mark.
  std::size_t most = 40;
  int dispensable = 0;    ///< dropped first where the space is short: the highest; 0: never
  bool flexible = false;  ///< takes what is left; one per table
};

struct TextCell {
  std::string text;   ///< printable
  std::string paint;  ///< ANSI codes, "1;34"; empty: none
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}
  void add(std::vector<TextCell> row) { rows_.push_back(std::move(row)); }
  /// Lines of at most `width` terminal columns, each with a line end.
  std::string render(std::size_t width, bool utf8, bool colour) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<TextCell>> rows_;
};

/// The text in ANSI colours, or as it is where the codes are empty or colour is off.
std::string painted(const std::string& text, const std::string& codes, bool colour);

}  // namespace roofmark::text
