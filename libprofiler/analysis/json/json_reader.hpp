// Reads a JSON value of unknown origin field by field: a field that is missing or of the wrong kind
// becomes one Problem that names its place, never an exception.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <roofmark/result.hpp>
#include <roofmark/words.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace roofmark {

class JsonProblems {
 public:
  JsonProblems(std::string name, std::string remedy)
      : name_(std::move(name)), remedy_(std::move(remedy)) {}
  void add(const std::string& place, const std::string& reason) {
    if (!first_)
      first_ =
          Problem{(place.empty() ? "the document " : "`" + place + "` ") + reason, name_, remedy_};
  }
  bool empty() const { return !first_; }
  const Problem& first() const { return *first_; }

 private:
  std::string name_;
  std::string remedy_;
  std::optional<Problem> first_;
};

class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// The place is put together only for a problem; until then a reader knows the one that it came
  /// from, which must outlive it.
  JsonReader(const Json& value, std::string_view place, JsonProblems& problems)
      : value_(&value), key_(place), problems_(&problems) {}

  const Json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  void refuse(const std::string& reason) const { problems_->add(place(), reason); }

  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }

  JsonReader at(const char* key) const {
    static const Json absent;
    if (!value_->is_object()) return {absent, key, *this};
    const auto found = value_->find(key);
    return {found == value_->end() ? absent : *found, key, *this};
  }

  std::string as_text() const {
    if (const auto* text = value_->get_ptr<const std::string*>()) return *text;
    problems_->add(place(), "is not a string");
    return {};
  }

  double as_number() const {
    if (value_->is_number()) {
      const auto number = value_->get<double>();
      if (std::isfinite(number)) return number;
    }
    problems_->add(place(), "is not a finite number");
    return 0;
  }

  std::uint64_t as_count(std::uint64_t limit) const {
    if (value_->is_number_unsigned() && value_->get<std::uint64_t>() <= limit)
      return value_->get<std::uint64_t>();
    problems_->add(place(), "is not a whole number from 0 to " + std::to_string(limit));
    return 0;
  }

  std::int64_t as_signed(std::int64_t low, std::int64_t high) const {
    const bool fits =
        value_->is_number_integer() &&
        !(value_->is_number_unsigned() &&
          value_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (fits && value_->get<std::int64_t>() >= low && value_->get<std::int64_t>() <= high)
      return value_->get<std::int64_t>();
    problems_->add(place(), "is not a whole number from " + std::to_string(low) + " to " +
                                std::to_string(high));
    return 0;
  }

  std::string text(const char* key) const { return at(key).as_text(); }
  std::string text_or(const char* key, const char* otherwise) const {
    return has(key) ? text(key) : otherwise;
  }

  double number_or(const char* key, double otherwise) const {
    return has(key) ? at(key).as_number() : otherwise;
  }

  double positive(const char* key) const {
    const JsonReader field = at(key);
    const double number = field.as_number();
    if (number <= 0) problems_->add(field.place(), "is not a positive number");
    return number;
  }

  double share(const char* key) const {
    const JsonReader field = at(key);
    const double number = field.as_number();
    if (number < 0 || number > 1) problems_->add(field.place(), "is not a number from 0 to 1");
    return number;
  }

  std::uint64_t count(const char* key) const {
    return at(key).as_count(std::numeric_limits<std::uint64_t>::max());
  }

  unsigned small_count_or(const char* key, unsigned otherwise) const {
    if (!has(key)) return otherwise;
    return static_cast<unsigned>(at(key).as_count(std::numeric_limits<unsigned>::max()));
  }

  /// Where several of these are given, none is above one behind it: a range begins at its low end.
  /// Between numbers that were added up in another order a rounding is no mistake.
  void require_rising(std::initializer_list<const char*> keys) const {
    constexpr double rounding = 1e-9;
    const char* before = nullptr;
    double most = 0;
    for (const char* key : keys) {
      if (!has(key) || !at(key).value_->is_number()) continue;
      const auto number = at(key).value_->get<double>();
      if (before != nullptr && most > number + rounding * std::abs(number))
        return at(before).refuse("is above `" + std::string(key) + "`");
      before = key;
      most = number;
    }
  }

  bool flag_or(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    const JsonReader field = at(key);
    if (field.value_->is_boolean()) return field.value_->get<bool>();
    problems_->add(field.place(), "is neither true nor false");
    return otherwise;
  }

  template <class Word>
  Word word(const char* key) const {
    const JsonReader field = at(key);
    const std::string spelt = field.as_text();
    if (const auto found = parse_word<Word>(spelt)) return *found;
    problems_->add(field.place(), "has the unknown value `" + spelt + "`");
    return {};
  }

  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    each(key, [&](const JsonReader& item) { all.push_back(item.as_text()); });
    return all;
  }

  /// Calls `visit` for each item of the array `key`; an absent array is an empty one.
  template <class Visit>
  void each(const char* key, Visit visit) const {
    if (!has(key)) return;
    const JsonReader list = at(key);
    if (!list.value_->is_array()) return problems_->add(list.place(), "is not an array");
    std::size_t index = 0;
    for (const Json& item : *list.value_) visit(JsonReader(item, index++, list));
  }

  /// Calls `visit` with name and value for each member of the object `key`; absent is empty.
  template <class Visit>
  void each_member(const char* key, Visit visit) const {
    if (!has(key)) return;
    const JsonReader object = at(key);
    if (!object.value_->is_object()) return problems_->add(object.place(), "is not an object");
    for (const auto& [name, member] : object.value_->items())
      visit(name, JsonReader(member, name, object));
  }

 private:
  static constexpr std::size_t no_index = std::size_t(-1);

  JsonReader(const Json& value, std::string_view key, const JsonReader& parent)
      : value_(&value), key_(key), parent_(&parent), problems_(parent.problems_) {}
  JsonReader(const Json& value, std::size_t index, const JsonReader& parent)
      : value_(&value), index_(index), parent_(&parent), problems_(parent.problems_) {}

  std::string place() const {
    const std::string before = parent_ ? parent_->place() : std::string();
    if (index_ != no_index) return before + "[" + std::to_string(index_) + "]";
    return before.empty() ? std::string(key_) : before + "." + std::string(key_);
  }

  const Json* value_;
  std::string_view key_;
  std::size_t index_ = no_index;
  const JsonReader* parent_ = nullptr;
  JsonProblems* problems_;
};

}  // namespace roofmark
