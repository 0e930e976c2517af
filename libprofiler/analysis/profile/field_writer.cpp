#include "analysis/profile/field_writer.hpp"

#include <cmath>

#include "analysis/text/bytes_text.hpp"

namespace roofmark {

void FieldWriter::put_number(const char* key, double value) {
  if (!std::isfinite(value)) return;
  this->key(key);
  this->number(value, digits_);
}

void FieldWriter::put_number(const char* key, const std::optional<double>& value) {
  if (value) put_number(key, *value);
}

void FieldWriter::put_text(const char* key, std::string_view text) {
  this->key(key);
  this->text(text);
}

void FieldWriter::put_text_if_any(const char* key, std::string_view text) {
  if (!text.empty()) put_text(key, text);
}

void FieldWriter::put_count(const char* key, std::uint64_t count) {
  this->key(key);
  this->count(count);
}

void FieldWriter::put_measure(const char* key, const std::optional<Measure>& measure,
                              std::string_view quantity) {
  if (!measure || !std::isfinite(measure->value)) return;
  this->key(key);
  this->open_object();
  put_number("value", measure->value);
  if (!is_shared(quantity, origin_of(*measure))) put_text("source", spelling(measure->source));
  // A range of no width is none.
  const bool exact =
      is_compact() && measure->low == measure->value && measure->high == measure->value;
  if (!exact) {
    put_number("low", measure->low);
    put_number("high", measure->high);
  }
  this->close_object();
}

void FieldWriter::put_origin(const Origin& origin, bool of_count) {
  put_text("source", spelling(origin.source));
  put_text_if_any("collector", origin.collector);
  if (of_count) put_text("scope", spelling(origin.scope));
}

void FieldWriter::put_counted(std::string_view key, const Count& count, std::string_view quantity) {
  const Origin origin = origin_of(count);
  const bool shared = is_shared(quantity, origin);
  this->key(key);
  this->open_object();
  put_count("value", count.value);
  if (!shared) put_origin(origin);
  if (count.low) put_count("low", *count.low);
  if (count.high) put_count("high", *count.high);
  if (!shared && !count.caveats.empty()) {
    this->key("caveats");
    put_texts(count.caveats);
  }
  this->close_object();
}

void FieldWriter::put_counted(std::string_view key, const std::optional<Count>& count,
                              std::string_view quantity) {
  if (count) put_counted(key, *count, quantity);
}

void FieldWriter::put_names(const char* key, const char* bytes_key,
                            const std::vector<std::string>& names) {
  this->key(key);
  put_texts(names);
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return is_utf8(name); }))
    return;
  this->key(bytes_key);
  this->open_array();
  for (const std::string& name : names)
    if (is_utf8(name))
      this->null();
    else
      this->text(to_hex(name));
  this->close_array();
}

void FieldWriter::put_missing(const std::vector<Missing>& missing) {
  this->key("missing");
  this->open_array();
  for (const Missing& entry : missing)
    if (is_compact())
      this->count(missing_.at({entry.quantity, entry.reason, entry.fix}));
    else
      put_entry(entry);
  this->close_array();
}

void FieldWriter::put_entry(const Missing& entry) {
  this->open_object();
  put_text("quantity", entry.quantity);
  put_text("reason", entry.reason);
  put_text("fix", entry.fix);
  this->close_object();
}

bool FieldWriter::leaves_out(const char* key, bool as_filled_in, bool known) {
  if (!is_compact()) return false;
  if (!as_filled_in && !known) {
    this->key(key);
    this->null();
  }
  return as_filled_in;
}

bool FieldWriter::is_shared(std::string_view quantity, const Origin& origin) const {
  const auto found = origins_.find(quantity);
  return found != origins_.end() && found->second == origin;
}

void FieldWriter::put_shared(const Profile& profile) {
  origins_ = common_origins(profile);
  this->new_line();
  this->key("compact");
  this->raw("true");
  this->new_line();
  this->key("origins");
  this->open_object();
  for (const auto& [quantity, origin] : origins_) {
    this->key(quantity);
    this->open_object();
    put_origin(origin);
    if (!origin.caveats.empty()) {
      this->key("caveats");
      put_texts(origin.caveats);
    }
    this->close_object();
  }
  this->close_object();
  const std::vector<Missing> distinct = distinct_missing(profile);
  for (const Missing& entry : distinct)
    missing_.try_emplace({entry.quantity, entry.reason, entry.fix}, missing_.size());
  list("missing", distinct, [&](const Missing& entry) { put_entry(entry); });
}

std::string FieldWriter::dumped(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace roofmark
