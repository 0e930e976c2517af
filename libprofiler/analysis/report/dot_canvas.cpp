#include "dot_canvas.hpp"

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"

namespace roofmark::report {

using namespace text;

DotCanvas::DotCanvas(std::size_t columns, std::size_t rows, bool braille)
    : columns_(columns),
      rows_(rows),
      per_column_(braille ? 2 : 1),
      per_row_(braille ? 4 : 1),
      braille_(braille),
      cells_(columns * rows) {}

void DotCanvas::dot(long column, long row, char stroke) {
  if (column < 0 || row < 0 || column >= static_cast<long>(dot_columns()) ||
      row >= static_cast<long>(dot_rows()))
    return;
  const auto x = static_cast<std::size_t>(column), y = static_cast<std::size_t>(row);
  Cell& target = cell(x / per_column_, y / per_row_);
  // Unicode numbers the dots down the left column, then down the right, then the bottom pair.
  static constexpr unsigned bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  target.dots |= bits[y % per_row_][x % per_column_];
  target.stroke = stroke;
}

void DotCanvas::put(std::size_t column, std::size_t row, const std::string& character,
                    const std::string& paint) {
  if (column >= columns_ || row >= rows_) return;
  cell(column, row).character = character;
  cell(column, row).paint = paint;
}

void DotCanvas::text(std::size_t column, std::size_t row, std::string_view utf8,
                     const std::string& paint) {
  for (std::size_t at = 0; at < utf8.size();) {
    std::size_t end = at + decode(utf8, at).length;
    // Marks that take no column stay with the character before them.
    while (end < utf8.size() && text::columns(utf8.substr(end, decode(utf8, end).length)) == 0)
      end += decode(utf8, end).length;
    const std::string_view character = utf8.substr(at, end - at);
    put(column, row, std::string(character), paint);
    if (text::columns(character) == 2 && column + 1 < columns_ && row < rows_) {
      cell(column + 1, row).character = std::string(1, '\0');  // the right half of a wide one
      ++column;
    }
    ++column;
    at = end;
  }
}

bool DotCanvas::vacant(long column, long row, std::size_t length, bool dots_too) const {
  if (column < 0 || row < 0 || row >= static_cast<long>(rows_)) return false;
  const auto first = static_cast<std::size_t>(column);
  if (first + length > columns_) return false;
  for (std::size_t i = first; i < first + length; ++i) {
    const Cell& at = cell(i, static_cast<std::size_t>(row));
    if (!at.character.empty() || (dots_too && at.dots != 0)) return false;
  }
  return true;
}

std::string DotCanvas::line(std::size_t row, bool colour) const {
  std::string text;
  std::size_t blanks = 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Cell& at = cell(column, row);
    if (at.character.empty() && at.dots == 0) {
      ++blanks;
      continue;
    }
    if (at.character == std::string(1, '\0')) continue;
    text.append(blanks, ' ');
    blanks = 0;
    if (!at.character.empty()) {
      text += painted(at.character, at.paint, colour);
    } else if (braille_) {
      append_utf8(text, 0x2800 + at.dots);
    } else {
      text += at.stroke;
    }
  }
  return text;
}

}  // namespace roofmark::report
