// JSON put together as text: a document of 10^5 regions has no room for a tree of values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace roofmark {

class JsonWriter {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_array() { open('['); }
  void close_array() { close(']'); }
  void key(std::string_view name);

  /// Invalid UTF-8 becomes U+FFFD.
  void text(std::string_view value);
  void count(std::uint64_t value);
  void integer(std::int64_t value);
  /// A finite number, in the shortest form that reads back as the same double, independent of the
  /// locale; with `digits` rounded to so many significant ones.
  void number(double value, int digits = 0);
  void null() { raw("null"); }
  /// A value that is JSON already.
  void raw(std::string_view json);

  /// The next item stands on a line of its own.
  void new_line();
  /// The bracket that closes stands on a line of its own.
  void last_line() { text_ += '\n'; }

  std::string take() { return std::move(text_); }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();

  std::string text_;
  bool comma_ = false;
};

}  // namespace roofmark
