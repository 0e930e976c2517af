// A picture of characters: lines as braille dots (or ASCII strokes), text over them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::report {

class DotCanvas {
 public:
  DotCanvas(std::size_t columns, std::size_t rows, bool braille);

  /// Dots per cell: 2 x 4 in braille, 1 x 1 in ASCII.
  std::size_t dot_columns() const { return columns_ * per_column_; }
  std::size_t dot_rows() const { return rows_ * per_row_; }
  std::size_t per_column() const { return per_column_; }
  std::size_t per_row() const { return per_row_; }

  struct Place {
    std::size_t column = 0, row = 0;
  };

  /// A dot; `stroke` is what ASCII shows for it. Outside the canvas nothing happens.
  void dot(long column, long row, char stroke);
  /// One character over the dots. The text is printable UTF-8 of one column.
  void put(std::size_t column, std::size_t row, const std::string& character,
           const std::string& paint = "");
  void text(std::size_t column, std::size_t row, std::string_view utf8,
            const std::string& paint = "");
  /// True where so many cells from there on are inside and hold no text; dots count with
  /// `dots_too`.
  bool vacant(long column, long row, std::size_t length, bool dots_too) const;

  /// The character that was put there last; empty for dots alone.
  const std::string& at(const Place& place) const {
    return cell(place.column, place.row).character;
  }

  std::string line(std::size_t row, bool colour) const;

 private:
  struct Cell {
    unsigned dots = 0;
    char stroke = 0;
    std::string character;
    std::string paint;
  };
  const Cell& cell(std::size_t column, std::size_t row) const {
    return cells_[row * columns_ + column];
  }
  Cell& cell(std::size_t column, std::size_t row) { return cells_[row * columns_ + column]; }

  std::size_t columns_, rows_, per_column_, per_row_;
  bool braille_;
  std::vector<Cell> cells_;
};

}  // namespace roofmark::report
