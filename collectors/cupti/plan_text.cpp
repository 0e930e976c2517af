#include "plan_text.hpp"

#include <charconv>
#include <optional>

namespace roofmark::cupti {
namespace {

constexpr std::string_view first_line = "roofmark-gpu-plan/1";

/// Metrics, sets and chips: printable ASCII without blanks, so that a line can be split at blanks.
bool is_word(std::string_view word) {
  if (word.empty() || word.size() > 255) return false;
  for (const char c : word)
    if (c <= ' ' || c > '~') return false;
  return true;
}

bool is_directory_name(std::string_view name) {
  return name.starts_with('/') && name.find('\n') == name.npos && name.find('\0') == name.npos;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// What is wrong with the whole plan, or null.
const char* fault_of(const GpuRunPlan& plan) {
  if (!is_directory_name(plan.results_directory)) return "the results have no absolute directory";
  if (plan.limits.ranges == 0 || plan.limits.kernels == 0) return "a limit is 0";
  if (plan.kind == RunKind::activity)
    return plan.set.empty() && plan.metrics.empty() ? nullptr : "a run for times counts no metrics";
  if (!is_word(plan.set)) return "the set of metrics has no name";
  if (plan.metrics.empty()) return "there is no chip";
  for (const auto& [chip, metrics] : plan.metrics) {
    if (!is_word(chip)) return "a chip's name is no word";
    if (metrics.empty()) return "a chip has no metrics";
    for (const std::string& metric : metrics)
      if (!is_word(metric)) return "a metric's name is no word";
  }
  return nullptr;
}

class Parser {
 public:
  /// What is wrong, or null.
  const char* line(std::string_view text) {
    ++lines_;
    if (ended_) return "there is something behind the end";
    if (lines_ == 1) return text == first_line ? nullptr : "it is no GPU plan of this version";
    const auto blank = text.find(' ');
    if (blank == text.npos) return "a line has one word alone";
    const auto key = text.substr(0, blank), value = text.substr(blank + 1);
    if (key == "metric") return metric(value);
    if (key == "chip") return chip(value);
    if (key == "end") return end(value);
    if (key == "limit") return limit(value);
    if (key == "kind") return once(kind_seen_, kind(value));
    if (key == "set") return once(set_seen_, is_word(value) ? plan.set = value, true : false);
    if (key == "replay") return once(replay_seen_, replay(value));
    if (key == "results")
      return once(results_seen_, is_directory_name(value) ? plan.results_directory = value,
                  true : false);
    return "a line begins with an unknown word";
  }
  const char* whole() const {
    if (!ended_) return "the text has no `end`";
    if (!kind_seen_) return "the kind of run is missing";
    return fault_of(plan);
  }
  unsigned lines() const { return lines_; }

  GpuRunPlan plan;

 private:
  static const char* once(bool& seen, bool good) {
    if (seen) return "something is said twice";
    seen = true;
    return good ? nullptr : "a line has no good value";
  }
  bool kind(std::string_view word) {
    plan.kind = word == "counters" ? RunKind::counters : RunKind::activity;
    return word == "counters" || word == "activity";
  }
  bool replay(std::string_view word) {
    plan.replay = word == "kernel" ? Replay::kernel : Replay::user;
    return word == "kernel" || word == "user";
  }
  const char* chip(std::string_view name) {
    if (!is_word(name)) return "a chip's name is no word";
    const auto [at, added] = plan.metrics.try_emplace(std::string(name));
    chip_ = &at->second;
    return added ? nullptr : "a chip is there twice";
  }
  const char* metric(std::string_view name) {
    if (chip_ == nullptr) return "a metric is of no chip";
    if (!is_word(name)) return "a metric's name is no word";
    chip_->emplace_back(name);
    return nullptr;
  }
  const char* limit(std::string_view text) {
    const auto blank = text.find(' ');
    const auto value = blank == text.npos ? std::nullopt : number(text.substr(blank + 1));
    if (!value) return "a limit has no number";
    const auto name = text.substr(0, blank);
    if (name == "launches")
      plan.limits.launches = *value;
    else if (name == "kernels")
      plan.limits.kernels = *value;
    else if (name == "ranges")
      plan.limits.ranges = *value;
    else
      return "a limit of something unknown";
    return nullptr;
  }
  const char* end(std::string_view text) {
    ended_ = true;
    return number(text) == lines_ - 1 ? nullptr : "the number of lines at the end is wrong";
  }

  std::vector<std::string>* chip_ = nullptr;
  unsigned lines_ = 0;
  bool ended_ = false;
  bool kind_seen_ = false, set_seen_ = false, replay_seen_ = false, results_seen_ = false;
};

Problem wrong(const char* reason, unsigned line) {
  return {reason, "line " + std::to_string(line), "record again with the same version of Roofmark"};
}

}  // namespace

Result<std::string> plan_text(const GpuRunPlan& plan) {
  if (const char* const fault = fault_of(plan))
    return tl::unexpected(Problem{fault, "GPU plan", ""});
  std::string text;
  std::uint64_t lines = 0;
  const auto add = [&](std::string_view line) {
    text.append(line).append("\n");
    ++lines;
  };
  add(first_line);
  add(plan.kind == RunKind::activity ? "kind activity" : "kind counters");
  add("results " + plan.results_directory);
  add("limit launches " + std::to_string(plan.limits.launches));
  add("limit kernels " + std::to_string(plan.limits.kernels));
  add("limit ranges " + std::to_string(plan.limits.ranges));
  if (plan.kind == RunKind::counters) {
    add("set " + plan.set);
    add(plan.replay == Replay::user ? "replay user" : "replay kernel");
    for (const auto& [chip, metrics] : plan.metrics) {
      add("chip " + chip);
      for (const std::string& metric : metrics) add("metric " + metric);
    }
  }
  add("end " + std::to_string(lines));
  return text;
}

Result<GpuRunPlan> parse_plan(std::string_view text) {
  Parser parser;
  while (!text.empty()) {
    const auto stop = text.find('\n');
    // A text that was cut off in a word or a number must not be taken for one with a shorter one.
    if (stop == text.npos)
      return tl::unexpected(wrong("the last line has no end", parser.lines() + 1));
    if (const char* const fault = parser.line(text.substr(0, stop)))
      return tl::unexpected(wrong(fault, parser.lines()));
    text.remove_prefix(stop + 1);
  }
  if (const char* const fault = parser.whole()) return tl::unexpected(wrong(fault, parser.lines()));
  return std::move(parser.plan);
}

}  // namespace roofmark::cupti
