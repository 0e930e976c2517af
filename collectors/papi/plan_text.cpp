#include "plan_text.hpp"

#include <cstdio>
#include <cstring>

#include "collectors/plan_lines.hpp"

namespace roofmark::papi {
namespace {

constexpr char first_line[] = "roofmark-papi/1";
constexpr const char* extent_words[] = {"thread", "process", "socket", "device"};

/// The words of one line, each separated by one blank.
struct Words {
  const char* at;
  const char* end;

  bool next(const char*& word, std::size_t& length) {
    if (at == end) return false;
    const void* const blank = std::memchr(at, ' ', static_cast<std::size_t>(end - at));
    const char* const stop = blank == nullptr ? end : static_cast<const char*>(blank);
    word = at;
    length = static_cast<std::size_t>(stop - at);
    // A blank at the end begins one more word, an empty one.
    if (blank == nullptr)
      at = end;
    else if (stop + 1 == end)
      return false;
    else
      at = stop + 1;
    return length != 0;
  }
  bool word(const char* wanted) {
    const char* found = nullptr;
    std::size_t length = 0;
    return next(found, length) && length == std::strlen(wanted) &&
           std::memcmp(found, wanted, length) == 0;
  }
  bool name(char* to, unsigned room) {
    const char* found = nullptr;
    std::size_t length = 0;
    if (!next(found, length) || !is_plan_word(found, length, room)) return false;
    std::memcpy(to, found, length);
    to[length] = '\0';
    return true;
  }
  bool number(unsigned& value) {
    const char* found = nullptr;
    std::size_t length = 0;
    if (!next(found, length) || length > 4) return false;
    value = 0;
    for (std::size_t i = 0; i < length; ++i) {
      if (found[i] < '0' || found[i] > '9') return false;
      value = value * 10 + static_cast<unsigned>(found[i] - '0');
    }
    return true;
  }
  bool over() const { return at == end; }
};

struct Parser {
  Plan& plan;
  unsigned wanted = 0;  ///< events that the last group still lacks
  bool ended = false;

  const char* line(Words words) {
    const Words again = words;
    if (ended) return "there is something behind the end";
    if (words.word("group")) return group(words);
    words = again;
    if (words.word("event")) return event(words);
    words = again;
    if (words.word("end")) return end(words);
    return "a line begins with none of `group`, `event`, `end`";
  }

  const char* group(Words& words) {
    if (wanted != 0) return "a group has fewer events than it says";
    if (plan.group_count == most_groups) return "there are too many groups";
    Group& made = plan.groups[plan.group_count];
    const char* extent = nullptr;
    std::size_t length = 0;
    if (!words.next(extent, length)) return "a group does not say whose work it counts";
    unsigned index = 0;
    while (index < 4 && (std::strlen(extent_words[index]) != length ||
                         std::memcmp(extent_words[index], extent, length) != 0))
      ++index;
    if (index == 4) return "a group counts the work of something unknown";
    made.extent = static_cast<Extent>(index);
    if (!words.name(made.component, most_component)) return "a group has no component";
    if (!words.number(wanted) || wanted == 0 || !words.over())
      return "a group does not say how many events it has";
    if (plan.event_count + wanted > most_events) return "there are too many events";
    made.first = static_cast<std::uint16_t>(plan.event_count);
    made.count = static_cast<std::uint16_t>(wanted);
    ++plan.group_count;
    return nullptr;
  }

  const char* event(Words& words) {
    if (wanted == 0) return "an event is in no group";
    if (!words.name(plan.events[plan.event_count], most_name) || !words.over())
      return "an event has no name";
    ++plan.event_count;
    --wanted;
    return nullptr;
  }

  const char* end(Words& words) {
    unsigned events = 0;
    if (wanted != 0) return "a group has fewer events than it says";
    if (!words.number(events) || !words.over() || events != plan.event_count || events == 0)
      return "the number of events at the end is wrong";
    ended = true;
    return nullptr;
  }
};

const char* parse(const char* text, std::size_t length, Plan& plan) {
  Parser parser{plan};
  const auto take = [&](unsigned number, const char* begin, const char* end) -> const char* {
    Words words{begin, end};
    if (number > 1) return parser.line(words);
    if (words.word(first_line) && words.over()) return nullptr;
    return "it is no plan for PAPI of this version";
  };
  unsigned line = 0;
  if (const char* const wrong = each_plan_line(text, length, line, take)) return wrong;
  return parser.ended ? nullptr : "the text has no `end`";
}

}  // namespace

const char* spelling(Extent extent) {
  return extent_words[static_cast<unsigned>(extent) & 3];
}

bool is_plan_word(const char* word, std::size_t length, unsigned room) {
  if (length == 0 || length >= room) return false;
  for (std::size_t i = 0; i < length; ++i)
    if (word[i] <= ' ' || word[i] > '~') return false;
  return true;
}

const char* parse_plan(const char* text, std::size_t length, Plan& plan) {
  plan.group_count = plan.event_count = 0;
  const char* const wrong = parse(text, length, plan);
  if (wrong != nullptr) plan.group_count = plan.event_count = 0;
  return wrong;
}

std::size_t write_plan(const Plan& plan, char* text, std::size_t room) {
  if (room == 0 || plan.group_count > most_groups || plan.event_count > most_events) return 0;
  PlanWriter out{text, room};
  out.add("%s\n", first_line);
  unsigned events = 0;
  for (unsigned g = 0; g < plan.group_count; ++g) {
    const Group& group = plan.groups[g];
    if (group.first != events || group.count == 0 || events + group.count > plan.event_count)
      return 0;
    out.add("group %s %s %u\n", spelling(group.extent), group.component,
            static_cast<unsigned>(group.count));
    for (const unsigned end = events + group.count; events < end; ++events)
      out.add("event %s\n", plan.events[events]);
  }
  out.add("end %u\n", events);
  return out.full || events == 0 || events != plan.event_count ? 0 : out.length;
}

}  // namespace roofmark::papi
