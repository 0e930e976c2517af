#include "strict_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/text/plain_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

/// Builds the document from the parser's events. The parser does not tell positions with its
/// events, so the text is handed to it through an iterator that counts.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(const JsonLimits& limits, const std::size_t& read) : limits_(limits), read_(read) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary data is not JSON"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Json& object = *open_.back();
    if (object.size() >= limits_.members)
      return refuse("an object has more than " + std::to_string(limits_.members) + " members");
    if (object.contains(name)) return refuse("the key `" + name + "` stands twice in one object");
    member_ = &object[name];
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
    std::string reason = error.what();
    if (const auto colon = reason.find(": "); colon != std::string::npos)
      reason.erase(0, colon + 2);
    at_ = position;
    constexpr int out_of_range_number = 406;
    if (error.id == out_of_range_number) reason_ = "a number is larger than a double can hold";
    if (!reason_) reason_ = "this is not JSON: " + reason;
    return false;
  }

  const std::optional<std::string>& reason() const { return reason_; }
  std::size_t at() const { return at_; }
  Json take() { return std::move(root_); }

 private:
  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    at_ = read_;
    return false;
  }

  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }

  bool put(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() >= limits_.depth)
      return refuse("it is nested deeper than " + std::to_string(limits_.depth) + " levels");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  JsonLimits limits_;
  const std::size_t& read_;
  Json root_;
  // Only the innermost container grows, so the pointers to the outer ones stay valid.
  std::vector<Json*> open_;
  Json* member_ = nullptr;
  std::optional<std::string> reason_;
  std::size_t at_ = 0;
};

/// A forward iterator over the text that leaves behind how far the parser has read.
class Reading {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reading(const char* at, const char* begin, std::size_t* read)
      : at_(at), begin_(begin), read_(read) {}
  reference operator*() const { return *at_; }
  Reading& operator++() {
    ++at_;
    *read_ = static_cast<std::size_t>(at_ - begin_);
    return *this;
  }
  Reading operator++(int) {
    Reading before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reading& other) const { return at_ == other.at_; }
  bool operator!=(const Reading& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char* begin_;
  std::size_t* read_;
};

std::string line_and_column(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto newline = before.rfind('\n');
  const std::size_t column = newline == before.npos ? before.size() : before.size() - newline - 1;
  return std::to_string(line) + ":" + std::to_string(std::max<std::size_t>(column, 1));
}

/// One line of printable ASCII: a terminal must not act on what stands in a hostile file.
std::string safe(std::string_view reason) {
  constexpr std::size_t longest = 200;
  const std::string line = text::printable_ascii(reason.substr(0, longest));
  return reason.size() > longest ? line + "..." : line;
}

}  // namespace

Result<Json> parse_strictly(std::string_view text, const std::string& name,
                            const JsonLimits& limits) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(Problem{"it is empty", name, "give a file that roofmark wrote"});
  std::size_t read = 0;
  Builder builder(limits, read);
  const char* begin = text.data();
  const char* end = begin + text.size();
  const bool whole =
      Json::sax_parse(Reading(begin, begin, &read), Reading(end, begin, &read), &builder);
  if (whole && !builder.reason()) return builder.take();
  return tl::unexpected(Problem{safe(builder.reason().value_or("this is not JSON")),
                                name + ":" + line_and_column(text, builder.at()),
                                "give a file that roofmark wrote"});
}

}  // namespace roofmark
