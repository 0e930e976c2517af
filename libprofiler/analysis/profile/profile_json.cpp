// The writing half. One line a region, so that two profiles can be compared line by line and a
// large one can be read with grep.
#include "analysis/profile/profile_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analysis/json/json_writer.hpp"
#include "analysis/machine/machine_json.hpp"
#include "analysis/profile/profile_fields.hpp"
#include "analysis/profile/profile_json_shared.hpp"
#include "analysis/text/bytes_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// In a compact file: no clock tells more digits, and conclusions have fewer that mean something.
constexpr int digits_of_times = 10;
constexpr int digits_of_conclusions = 6;

class ProfileWriter {
 public:
  explicit ProfileWriter(const Profile& profile)
      : profile_(profile), compact_(profile.regions.size() > compact_above) {}

  std::string write() {
    out_.open_object();
    put("schema", std::string("roofmark-profile/1"));
    out_.new_line();
    out_.key("program");
    put_program(profile_.program);
    out_.new_line();
    out_.key("machine");
    out_.raw(dump(machine_to_value(profile_.machine)));
    list("passes", profile_.passes, [&](const Pass& pass) { put_pass(pass); });
    out_.new_line();
    out_.key("notes");
    put_texts(profile_.notes);
    put_unknown(profile_.unknown_fields, profile_fields, true);
    if (compact_) put_shared();
    std::vector<bool> whole = compact_ ? with_whole_rooflines(profile_) : std::vector<bool>();
    std::size_t index = 0;
    list("regions", profile_.regions, [&](const Region& region) {
      digits_ = compact_ ? digits_of_times : 0;
      put_region(region, !compact_ || whole[index]);
      ++index;
    });
    out_.close_object();
    return out_.take() + "\n";
  }

 private:
  /// JSON has no NaN and no infinity: such a number is absent.
  void put(const char* key, double value) {
    if (!std::isfinite(value)) return;
    out_.key(key);
    out_.number(value, digits_);
  }
  void put(const char* key, const std::optional<double>& value) {
    if (value) put(key, *value);
  }
  void put(const char* key, const std::string& text) {
    if (text.empty()) return;
    out_.key(key);
    out_.text(text);
  }
  void put(const char* key, std::string_view text) {
    out_.key(key);
    out_.text(text);
  }
  void put_count(const char* key, std::uint64_t count) {
    out_.key(key);
    out_.count(count);
  }

  bool is_shared(std::string_view quantity, const Origin& origin) const {
    const auto found = origins_.find(quantity);
    return found != origins_.end() && found->second == origin;
  }

  void put(const char* key, const std::optional<Measure>& measure, std::string_view quantity = {}) {
    if (!measure || !std::isfinite(measure->value)) return;
    out_.key(key);
    out_.open_object();
    put("value", measure->value);
    if (!is_shared(quantity, origin_of(*measure))) put("source", spelling(measure->source));
    // A range of no width is none.
    const bool exact =
        compact_ && measure->low == measure->value && measure->high == measure->value;
    if (!exact) {
      put("low", measure->low);
      put("high", measure->high);
    }
    out_.close_object();
  }

  void put_origin(const Origin& origin, bool of_count = true) {
    put("source", spelling(origin.source));
    put("collector", origin.collector);
    if (of_count) put("scope", spelling(origin.scope));
  }

  void put(std::string_view key, const Count& count, std::string_view quantity) {
    const Origin origin = origin_of(count);
    const bool shared = is_shared(quantity, origin);
    out_.key(key);
    out_.open_object();
    put_count("value", count.value);
    if (!shared) put_origin(origin);
    if (count.low) put_count("low", *count.low);
    if (count.high) put_count("high", *count.high);
    if (!shared && !count.caveats.empty()) {
      out_.key("caveats");
      put_texts(count.caveats);
    }
    out_.close_object();
  }
  void put(std::string_view key, const std::optional<Count>& count, std::string_view quantity) {
    if (count) put(key, *count, quantity);
  }

  template <class Texts>
  void put_texts(const Texts& texts) {
    out_.open_array();
    for (const std::string& text : texts) out_.text(text);
    out_.close_array();
  }

  /// Names that are not UTF-8 stand as U+FFFD in `key` and as hexadecimal bytes in `bytes_key`.
  void put_names(const char* key, const char* bytes_key, const std::vector<std::string>& names) {
    out_.key(key);
    put_texts(names);
    if (std::all_of(names.begin(), names.end(), [](const auto& name) { return is_utf8(name); }))
      return;
    out_.key(bytes_key);
    out_.open_array();
    for (const std::string& name : names)
      if (is_utf8(name))
        out_.null();
      else
        out_.text(to_hex(name));
    out_.close_array();
  }

  void put_work(const Work& work, bool thread_time) {
    put("wall_s", work.wall_s, "wall_s");
    if (thread_time) put("thread_s", work.thread_s, "thread_s");
    out_.key("flop");
    out_.open_object();
    for (const auto& [precision, count] : work.flop)
      put(spelling(precision), count, quantity_.of("flop", spelling(precision)));
    out_.close_object();
    out_.key("bytes");
    out_.open_object();
    for (const auto& [level, traffic] : work.bytes) {
      out_.key(level);
      out_.open_object();
      put("read", traffic.read, quantity_.of("bytes", level, "read"));
      put("write", traffic.write, quantity_.of("bytes", level, "write"));
      out_.close_object();
    }
    out_.close_object();
    if (!work.operations.empty()) {
      out_.key("operations");
      out_.open_object();
      for (const auto& [name, count] : work.operations)
        put(name, count, quantity_.of("operations", name));
      out_.close_object();
    }
    if (!work.mix.empty()) put_mix(work.mix);
    if (work.declared_flop || work.declared_bytes) {
      out_.key("declared");
      out_.open_object();
      put("flop", work.declared_flop, "declared.flop");
      put("bytes", work.declared_bytes, "declared.bytes");
      out_.close_object();
    }
  }

  void put_mix(const std::vector<ComputeClass>& mix) {
    out_.key("mix");
    out_.open_array();
    for (const ComputeClass& part : mix) {
      out_.open_object();
      put("precision", spelling(part.precision));
      if (!compact_ || part.width_bits > 0) put_count("width_bits", part.width_bits);
      put("op", spelling(part.operation));
      put_count("flop", part.flop);
      out_.close_object();
    }
    out_.close_array();
  }

  void put_level(const LevelPlacement& level) {
    out_.open_object();
    if (level.intensity > 0) {  // else no FLOPs: there is no point on the chart
      put("intensity", level.intensity);
      put("roof_flop_per_s", level.roof_flop_per_s);
      put("ridge", level.ridge);
    }
    put("bandwidth_bytes_per_s", level.bandwidth_bytes_per_s);
    put("achieved_bytes_per_s", level.achieved_bytes_per_s);
    out_.close_object();
  }

  void put_conclusion(const Roofline& roofline) {
    put("locus", std::string_view(roofline.locus));
    put("precision", roofline.precision);
    put("binding", roofline.binding);
    put("side", spelling(roofline.side));
    put("side_as_written", spelling(roofline.side_as_written));
    put("verdict", spelling(roofline.verdict));
    put("verdict_detail", roofline.verdict_detail);
    put("fraction", roofline.fraction);
    put("fraction_as_written", roofline.fraction_as_written);
  }

  void put_evidence(const Roofline& roofline) {
    put("roof_flop_per_s", roofline.roof_flop_per_s);
    put("roof_as_written_flop_per_s", roofline.roof_as_written_flop_per_s);
    put("achieved_flop_per_s", roofline.achieved_flop_per_s);
    put("uncertainty", roofline.uncertainty);
    put("explained_s", roofline.explained_s);
    out_.key("levels");
    out_.open_object();
    for (const auto& [level, placement] : roofline.levels) {
      out_.key(level);
      put_level(placement);
    }
    out_.close_object();
    out_.key("ladder");
    out_.open_array();
    for (const Rung& rung : roofline.ladder) {
      if (!std::isfinite(rung.gain)) continue;
      out_.open_object();
      put("name", std::string_view(rung.name));
      put("gain", rung.gain);
      out_.close_object();
    }
    out_.close_array();
    if (!roofline.notes.empty()) {
      out_.key("notes");
      put_texts(roofline.notes);
    }
    put("why", roofline.why);
    out_.key("advice");
    out_.open_array();
    for (const Advice& advice : roofline.advice) {
      out_.open_object();
      put("text", std::string_view(advice.text));
      put("falsifier", advice.falsifier);
      put("gain", advice.gain);
      out_.close_object();
    }
    out_.close_array();
  }

  void put_rooflines(const std::vector<Roofline>& rooflines, bool whole) {
    digits_ = compact_ ? digits_of_conclusions : 0;
    out_.key("rooflines");
    out_.open_array();
    for (const Roofline& roofline : rooflines) {
      out_.open_object();
      put_conclusion(roofline);
      if (whole) put_evidence(roofline);
      out_.close_object();
    }
    out_.close_array();
    digits_ = compact_ ? digits_of_times : 0;
  }

  void put_visit_times(const VisitTimes& times) {
    out_.key("visit_s");
    out_.open_object();
    put("min", times.min);
    put("median", times.median);
    put("max", times.max);
    put("stddev", times.stddev);
    put("first", times.first);
    out_.close_object();
  }

  void put_missing(const std::vector<Missing>& missing) {
    out_.key("missing");
    out_.open_array();
    for (const Missing& entry : missing)
      if (compact_)
        out_.count(missing_.at({entry.quantity, entry.reason, entry.fix}));
      else
        put_entry(entry);
    out_.close_array();
  }
  void put_entry(const Missing& entry) {
    out_.open_object();
    put("quantity", std::string_view(entry.quantity));
    put("reason", std::string_view(entry.reason));
    put("fix", std::string_view(entry.fix));
    out_.close_object();
  }

  /// What readers fill in where a compact file leaves it out; `null` where it would be wrong.
  bool leaves_out(const char* key, bool as_filled_in, bool known) {
    if (!compact_) return false;
    if (!as_filled_in && !known) {
      out_.key(key);
      out_.null();
    }
    return as_filled_in;
  }

  void put_region(const Region& region, bool whole) {
    out_.open_object();
    put_names("path", "name_bytes", region.path);
    put_count("visits", region.visits);
    put_count("threads", region.threads);
    out_.key("flags");
    put_texts(region.flags);
    const bool thread_left_out =
        region.threads == 1 && leaves_out("thread_s", region.work.thread_s == region.work.wall_s,
                                          region.work.thread_s.has_value());
    put_work(region.work, !thread_left_out);
    put("marker_s", region.marker_s);
    const bool visit_left_out =
        region.visits == 1 &&
        leaves_out("visit_s", region.visit_s == single_visit(region), region.visit_s.has_value());
    if (region.visit_s && !visit_left_out) put_visit_times(*region.visit_s);
    put("imbalance", region.imbalance);
    put("cores_used", region.cores_used, "cores_used");
    const bool same = region.self_rooflines == region.rooflines;
    if (!compact_ || !same || region.self != region.work) {
      out_.key("self");
      out_.open_object();
      put_work(region.self, true);
      if (!same) put_rooflines(region.self_rooflines, whole);
      out_.close_object();
    }
    put_rooflines(region.rooflines, whole);
    put_missing(region.missing);
    put_unknown(region.unknown_fields, region_fields, false);
    out_.close_object();
  }

  void put_shared() {
    origins_ = common_origins(profile_);
    out_.new_line();
    out_.key("compact");
    out_.raw("true");
    out_.new_line();
    out_.key("origins");
    out_.open_object();
    for (const auto& [quantity, origin] : origins_) {
      out_.key(quantity);
      out_.open_object();
      put_origin(origin);
      if (!origin.caveats.empty()) {
        out_.key("caveats");
        put_texts(origin.caveats);
      }
      out_.close_object();
    }
    out_.close_object();
    const std::vector<Missing> distinct = distinct_missing(profile_);
    for (const Missing& entry : distinct)
      missing_.try_emplace({entry.quantity, entry.reason, entry.fix}, missing_.size());
    list("missing", distinct, [&](const Missing& entry) { put_entry(entry); });
  }

  void put_program(const Program& program) {
    out_.open_object();
    put_names("command", "command_bytes", program.command);
    out_.key("exit_status");
    out_.integer(program.exit_status);
    put("started", std::string_view(program.started));
    put("host", std::string_view(program.host));
    out_.close_object();
  }

  void put_pass(const Pass& pass) {
    out_.open_object();
    put("purpose", std::string_view(pass.purpose));
    put("collector", std::string_view(pass.collector));
    if (pass.exit_status) {
      out_.key("exit_status");
      out_.integer(*pass.exit_status);
    }
    put("wall_s", pass.wall_s);
    put("coverage", pass.coverage);
    put("note", pass.note);
    out_.close_object();
  }

  /// `"key": [` and one item a line.
  template <class Items, class Put>
  void list(const char* key, const Items& items, Put put_item) {
    out_.new_line();
    out_.key(key);
    out_.open_array();
    for (const auto& item : items) {
      out_.new_line();
      put_item(item);
    }
    if (!items.empty()) out_.last_line();
    out_.close_array();
  }

  /// What a later version wrote goes back as it was, after our own fields.
  template <class Known>
  void put_unknown(const std::string& unknown, const Known& known, bool lines) {
    if (unknown.empty()) return;
    const Json fields = Json::parse(unknown, nullptr, false);
    if (!fields.is_object()) return;
    for (const auto& [key, value] : fields.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (lines) out_.new_line();
      out_.key(key);
      out_.raw(dump(value));
    }
  }

  const Profile& profile_;
  const bool compact_;
  int digits_ = 0;
  Origins origins_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> missing_;
  QuantityName quantity_;
  JsonWriter out_;
};

}  // namespace

std::string to_json(const Profile& profile) {
  return ProfileWriter(profile).write();
}

}  // namespace roofmark
