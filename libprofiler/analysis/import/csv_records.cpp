#include "csv_records.hpp"

namespace roofmark::import {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<CsvRecord> read() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      CsvRecord record;
      record.line = line_;
      do {
        record.fields.push_back(field());
      } while (take(','));
      end_of_line();
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void end_of_line() {
    take('\r');
    if (take('\n')) ++line_;
  }

  /// A quote in the middle of a field is one of its characters; one that is never closed ends with
  /// its line, so that a stray one in a program's output does not swallow the table.
  std::string field() {
    if (at_ < text_.size() && text_[at_] == '"') {
      const std::size_t start = at_, start_line = line_;
      std::string value;
      if (quoted(value)) return value;
      at_ = start;
      line_ = start_line;
    }
    std::string value;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
      value += text_[at_++];
    return value;
  }

  bool quoted(std::string& value) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && !take('"'))
        return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_[at_] == '\r';
      if (c == '\n') return false;
      value += c;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::optional<Problem> utf16_problem(std::string_view text, const std::string& name,
                                     const std::string& remedy) {
  if (text.substr(0, 2) != "\xff\xfe" && text.substr(0, 2) != "\xfe\xff") return std::nullopt;
  return Problem{"it is in UTF-16, as PowerShell's `>` writes it", name, remedy};
}

Result<std::vector<CsvRecord>> csv_records(std::string_view text, const std::string& name) {
  if (auto problem = utf16_problem(
          text, name,
          "iconv -f UTF-16 -t UTF-8 FILE > FILE.csv, or let ncu write it by --log-file"))
    return tl::unexpected(std::move(*problem));
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  return Reader(text).read();
}

}  // namespace roofmark::import
