#include "flat_plan.hpp"

#include <cstdio>
#include <cstring>

#include "collectors/plan_lines.hpp"

namespace roofmark::perf {
namespace {

constexpr const char* first_line = "roofmark-perf/1";

/// The rest of one line. Every reader takes the blank before its word.
struct Words {
  const char* at = nullptr;
  const char* end = nullptr;

  bool word(const char* expected) {
    const std::size_t length = std::strlen(expected);
    if (static_cast<std::size_t>(end - at) < length || std::memcmp(at, expected, length) != 0)
      return false;
    at += length;
    return true;
  }
  /// Digits of `base` without sign, prefix or needless zeros, at most `most`.
  bool number(unsigned base, std::uint64_t most, std::uint64_t& value) {
    if (!word(" ")) return false;
    const char* const start = at;
    value = 0;
    for (; at != end && *at != ' '; ++at) {
      unsigned digit = 0;
      if (*at >= '0' && *at <= '9')
        digit = static_cast<unsigned>(*at - '0');
      else if (*at >= 'a' && *at <= 'f')
        digit = static_cast<unsigned>(*at - 'a') + 10;
      else
        return false;
      if (digit >= base || digit > most || value > (most - digit) / base) return false;
      value = value * base + digit;
    }
    return at != start && (*start != '0' || at - start == 1);
  }
  bool done() const { return at == end; }
};

struct Parser {
  FlatPlan& plan;
  unsigned missing = 0;  ///< events that the last group still lacks
  bool ended = false;

  const char* group(Words words) {
    if (missing != 0) return "a group has fewer events than it says";
    if (plan.group_count == most_groups) return "there are too many groups";
    GroupPlan& group = plan.groups[plan.group_count];
    group = GroupPlan{};
    std::uint64_t count = 0;
    if (words.word(" cpu")) {
      std::uint64_t cpu = 0;
      if (!words.number(10, INT32_MAX, cpu)) return "the CPU is no number";
      group.cpu = static_cast<std::int32_t>(cpu);
    } else if (!words.word(" thread")) {
      return "a group is neither of a `thread` nor of a `cpu`";
    }
    if (!words.number(10, most_events_per_group, count) || count == 0 || !words.done())
      return "the number of a group's events is not from 1 to 16";
    group.first = static_cast<std::uint16_t>(plan.event_count);
    group.count = static_cast<std::uint16_t>(count);
    missing = static_cast<unsigned>(count);
    ++plan.group_count;
    return nullptr;
  }

  const char* event(Words words) {
    if (missing == 0) return "an event is in no group";
    if (plan.event_count == most_events) return "there are too many events";
    std::uint64_t type = 0, config = 0, config1 = 0, config2 = 0, exclude = 0, breakpoint = 0;
    if (!words.number(10, UINT32_MAX, type) || !words.number(16, UINT64_MAX, config) ||
        !words.number(16, UINT64_MAX, config1) || !words.number(16, UINT64_MAX, config2) ||
        !words.number(10, 7, exclude) || !words.number(10, 7, breakpoint) || !words.done())
      return "an event is not six numbers";
    plan.events[plan.event_count++] = {static_cast<std::uint32_t>(type),
                                       static_cast<std::uint32_t>(exclude),
                                       static_cast<std::uint32_t>(breakpoint),
                                       config,
                                       config1,
                                       config2};
    --missing;
    return nullptr;
  }

  const char* end(Words words) {
    std::uint64_t events = 0;
    if (missing != 0) return "a group has fewer events than it says";
    if (!words.number(10, most_events, events) || !words.done() || events != plan.event_count)
      return "the number of events at the end is another";
    if (events == 0) return "there are no events";
    ended = true;
    return nullptr;
  }

  const char* line(unsigned number, Words words) {
    if (number == 1)
      return words.word(first_line) && words.done() ? nullptr : "this is no `roofmark-perf/1`";
    if (ended) return "there is something behind the end";
    if (words.word("group")) return group(words);
    if (words.word("event")) return event(words);
    if (words.word("end")) return end(words);
    return "a line begins with none of `group`, `event`, `end`";
  }
};

const char* parse(const char* text, std::size_t length, FlatPlan& plan, unsigned& line) {
  Parser parser{plan};
  const auto take = [&](unsigned number, const char* begin, const char* end) {
    return parser.line(number, {begin, end});
  };
  if (const char* const wrong = each_plan_line(text, length, line, take)) return wrong;
  return parser.ended ? nullptr : "the text has no `end`";
}

}  // namespace

const char* parse_plan(const char* text, std::size_t length, FlatPlan& plan, unsigned& line) {
  plan.group_count = plan.event_count = 0;
  const char* const wrong = parse(text, length, plan, line);
  if (wrong != nullptr) plan.group_count = plan.event_count = 0;
  return wrong;
}

std::size_t write_plan(const FlatPlan& plan, char* text, std::size_t room) {
  if (room == 0 || plan.group_count > most_groups || plan.event_count > most_events) return 0;
  PlanWriter out{text, room};
  out.add("%s\n", first_line);
  unsigned events = 0;
  for (unsigned g = 0; g < plan.group_count; ++g) {
    const GroupPlan& group = plan.groups[g];
    if (group.first != events || group.count == 0 || group.count > most_events_per_group ||
        events + group.count > plan.event_count)
      return 0;
    if (group.cpu < 0)
      out.add("group thread %u\n", static_cast<unsigned>(group.count));
    else
      out.add("group cpu %d %u\n", group.cpu, static_cast<unsigned>(group.count));
    for (unsigned end = events + group.count; events < end; ++events) {
      const Event& event = plan.events[events];
      out.add("event %u %llx %llx %llx %u %u\n", event.type,
              static_cast<unsigned long long>(event.config),
              static_cast<unsigned long long>(event.config1),
              static_cast<unsigned long long>(event.config2), event.exclude, event.breakpoint);
    }
  }
  out.add("end %u\n", events);
  return out.full || events == 0 || events != plan.event_count ? 0 : out.length;
}

}  // namespace roofmark::perf
