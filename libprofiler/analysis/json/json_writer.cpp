#include "json_writer.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

namespace roofmark {
namespace {

/// Stands between quotes as it is.
bool is_plain(std::string_view text) {
  for (const char c : text)
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  return true;
}

}  // namespace

void JsonWriter::separate() {
  if (comma_) text_ += ',';
  comma_ = true;
}

void JsonWriter::new_line() {
  if (comma_) text_ += ',';
  comma_ = false;
  text_ += '\n';
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  comma_ = false;
}

void JsonWriter::close(char bracket) {
  text_ += bracket;
  comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  text(name);
  text_ += ':';
  comma_ = false;
}

void JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
}

void JsonWriter::text(std::string_view value) {
  separate();
  if (is_plain(value)) {
    text_ += '"';
    text_ += value;
    text_ += '"';
    return;
  }
  using Json = nlohmann::json;
  text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonWriter::count(std::uint64_t value) {
  char digits[24];
  raw({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
}

void JsonWriter::integer(std::int64_t value) {
  char digits[24];
  raw({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
}

void JsonWriter::number(double value, int digits) {
  char shown[40];
  char* const end = shown + sizeof shown;
  if (digits > 0) {
    const char* last =
        std::to_chars(shown, end, value, std::chars_format::scientific, digits - 1).ptr;
    std::from_chars(shown, last, value);
  }
  raw({shown, std::to_chars(shown, end, value).ptr});
}

}  // namespace roofmark
