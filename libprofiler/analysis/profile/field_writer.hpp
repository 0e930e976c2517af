// Writes the fields of a profile's document: numbers, names, measures and counts, each in the form
// that the document has (docs/profile.schema.json), spelt out or compact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/json/json_writer.hpp"
#include "analysis/profile/profile_json_shared.hpp"

namespace roofmark {

class FieldWriter : public JsonWriter {
 public:
  explicit FieldWriter(bool is_compact) : is_compact_(is_compact) {}

  bool is_compact() const { return is_compact_; }
  /// In a compact file: no clock tells more digits than times have, and conclusions have fewer that
  /// mean something.
  void write_times() { digits_ = is_compact_ ? 10 : 0; }
  void write_conclusions() { digits_ = is_compact_ ? 6 : 0; }

  // One name a kind: an overload would take a text for the other sort of text without a word.

  /// JSON has no NaN and no infinity: such a number is absent.
  void put_number(const char* key, double value);
  void put_number(const char* key, const std::optional<double>& value);
  void put_text(const char* key, std::string_view text);
  /// A text that a reader takes for empty where it is absent.
  void put_text_if_any(const char* key, std::string_view text);
  void put_count(const char* key, std::uint64_t count);
  void put_measure(const char* key, const std::optional<Measure>& measure,
                   std::string_view quantity);
  void put_origin(const Origin& origin, bool of_count = true);
  void put_counted(std::string_view key, const Count& count, std::string_view quantity);
  void put_counted(std::string_view key, const std::optional<Count>& count,
                   std::string_view quantity);
  template <class Texts>
  void put_texts(const Texts& texts) {
    this->open_array();
    for (const std::string& text : texts) this->text(text);
    this->close_array();
  }
  /// Names that are not UTF-8 stand as U+FFFD in `key` and as hexadecimal bytes in `bytes_key`.
  void put_names(const char* key, const char* bytes_key, const std::vector<std::string>& names);
  void put_missing(const std::vector<Missing>& missing);
  void put_entry(const Missing& entry);
  /// What readers fill in where a compact file leaves it out; `null` where it would be wrong.
  bool leaves_out(const char* key, bool as_filled_in, bool known);

  /// What a compact file says once: the origins of counts, and reasons of what is missing.
  void put_shared(const Profile& profile);

  std::string_view quantity_of(std::string_view group, std::string_view name,
                               std::string_view direction = {}) {
    return quantity_.of(group, name, direction);
  }

  /// `"key": [` and one item a line.
  template <class Items, class Put>
  void list(const char* key, const Items& items, Put put_item) {
    this->new_line();
    this->key(key);
    this->open_array();
    for (const auto& item : items) {
      this->new_line();
      put_item(item);
    }
    if (!items.empty()) this->last_line();
    this->close_array();
  }

  /// What a later version wrote goes back as it was, after our own fields.
  template <class Known>
  void put_unknown(const std::string& unknown, const Known& known, bool lines) {
    if (unknown.empty()) return;
    const auto fields = nlohmann::ordered_json::parse(unknown, nullptr, false);
    if (!fields.is_object()) return;
    for (const auto& [key, value] : fields.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (lines) this->new_line();
      this->key(key);
      this->raw(dumped(value));
    }
  }

  static std::string dumped(const nlohmann::ordered_json& value);

 private:
  bool is_shared(std::string_view quantity, const Origin& origin) const;

  bool is_compact_;
  int digits_ = 0;
  Origins origins_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> missing_;
  QuantityName quantity_;
};

}  // namespace roofmark
