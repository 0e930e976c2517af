#include "analysis/json/json_writer.hpp"
#include "render.hpp"
#include "sentences.hpp"

namespace roofmark::comparison {
namespace {

class Writer {
 public:
  explicit Writer(const Judged& judged) : judged_(judged), comparison_(judged.comparison) {}

  std::string render() {
    out_.open_object();
    text("schema", "roofmark-comparison/1");
    count("runs_before", comparison_.runs_before);
    count("runs_after", comparison_.runs_after);
    text("level", comparison_.level);
    number("alpha", comparison_.alpha);
    text("method", method_of(comparison_));
    text("summary", summary_of(comparison_));
    texts("warnings", comparison_.warnings);
    out_.key("regions");
    out_.open_array();
    for (const RegionChange& region : comparison_.regions) write(region);
    out_.last_line();
    out_.close_array();
    out_.key("limits");
    out_.open_array();
    for (const Outcome& outcome : judged_.outcomes) write(outcome);
    out_.close_array();
    out_.close_object();
    return out_.take() + "\n";
  }

 private:
  void text(const char* key, std::string_view value) {
    out_.key(key);
    out_.text(value);
  }
  void count(const char* key, std::uint64_t value) {
    out_.key(key);
    out_.count(value);
  }
  void number(const char* key, double value) {
    out_.key(key);
    out_.number(value);
  }
  void texts(const char* key, const std::vector<std::string>& values) {
    out_.key(key);
    out_.open_array();
    for (const std::string& value : values) out_.text(value);
    out_.close_array();
  }
  void flag(const char* key, bool value) {
    out_.key(key);
    out_.raw(value ? "true" : "false");
  }

  void write(const char* key, const Placement& place) {
    if (!place.present) return;
    out_.key(key);
    out_.open_object();
    if (place.visits) count("visits", *place.visits);
    text("side", spelling(place.side));
    text("verdict", spelling(place.verdict));
    if (!place.verdict_detail.empty()) text("verdict_detail", place.verdict_detail);
    out_.close_object();
  }

  void write(const RegionChange& region) {
    out_.new_line();
    out_.open_object();
    texts("path", region.path);
    if (region.path_before != region.path) texts("path_before", region.path_before);
    write("before", region.before);
    write("after", region.after);
    out_.key("changes");
    out_.open_object();
    for (const auto& [quantity, change] : region.changes) {
      out_.key(quantity);
      out_.open_object();
      number("before", change.before);
      number("after", change.after);
      number("ratio", change.ratio);
      number("low", change.low);
      number("high", change.high);
      if (change.p) number("p", *change.p);
      text("evidence", spelling(change.evidence));
      flag("beyond_noise", change.beyond_noise);
      out_.close_object();
    }
    out_.close_object();
    out_.key("absent");
    out_.open_object();
    for (const auto& [quantity, reason] : region.absent) text(quantity.c_str(), reason);
    out_.close_object();
    texts("sentences", region.sentences);
    out_.close_object();
  }

  void write(const Outcome& outcome) {
    out_.new_line();
    out_.open_object();
    text("limit", judged_.conditions[outcome.condition].text);
    texts("path", comparison_.regions[outcome.region].path);
    text("state", outcome.state == Outcome::State::holds    ? "failed"
                  : outcome.state == Outcome::State::passes ? "passed"
                                                            : "unknown");
    text("text", outcome.text);
    out_.close_object();
  }

  const Judged& judged_;
  const Comparison& comparison_;
  JsonWriter out_;
};

}  // namespace

std::string render_json(const Judged& judged) {
  return Writer(judged).render();
}

}  // namespace roofmark::comparison
