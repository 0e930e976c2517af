#include "monitor_data.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace roofmark::resctrl {
namespace {

const Counter& counter_of(const Domain& domain, Event event) {
  return event == Event::total ? domain.total : domain.local;
}

Problem not_counted(const Counter& counter, unsigned domain, Event event, const std::string& root) {
  const std::string where = fmt::format("mon_L3_{:02}/{}", domain, name_of(event));
  switch (counter.state) {
    case State::unavailable:
      return {"the hardware had no value for the monitor group (`Unavailable`)", where,
              "record again, or a longer run: it follows fewer groups at once than it has numbers"};
    case State::error:
      return {"the hardware refused the monitor group's number or the event (`Error`)", where,
              "update the kernel, or boot without what limits the events (rdt=, bmec)"};
    case State::unassigned:
      return {"no hardware counter was assigned to the monitor group (`Unassigned`)", where,
              fmt::format("echo default | sudo tee {}/info/L3_MON/mbm_assign_mode, or remove "
                          "groups that hold counters",
                          root)};
    case State::absent:
      return {"the kernel shows no such counter for this cache", where,
              "keep the CPUs of this cache online during the run"};
    case State::unreadable:
      return {std::string("the counter can't be read: ") + std::strerror(counter.error_number),
              where, "run it as root, or as the owner of the monitor groups"};
    case State::malformed:
      return {"the counter holds neither a number nor a word that is known", where,
              "report this with the kernel's release"};
    case State::counted:
      break;
  }
  return {};
}

/// Of one counter; nothing where it was set back in between.
std::optional<std::uint64_t> advance(std::uint64_t before, std::uint64_t after, double seconds) {
  const std::uint64_t distance = after - before;  // modulo 2^64
  if (after >= before) return distance;
  // The kernel makes 64 bits of the hardware's fewer. Those wrap after centuries, but what is near
  // the top may; from anywhere else a step back means that somebody started again from 0.
  const double most = fastest_bytes_per_s * (seconds > 0 ? seconds : 0);
  if (static_cast<double>(distance) <= most) return distance;
  return std::nullopt;
}

}  // namespace

const char* name_of(Event event) {
  return event == Event::total ? "mbm_total_bytes" : "mbm_local_bytes";
}

Counter parse_counter(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text == "Unavailable") return {State::unavailable, 0, 0};
  if (text == "Error") return {State::error, 0, 0};
  if (text == "Unassigned") return {State::unassigned, 0, 0};
  Counter counter;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), counter.bytes);
  const bool whole = fault == std::errc() && stop == text.data() + text.size();
  counter.state = whole ? State::counted : State::malformed;
  if (!whole) counter.bytes = 0;
  return counter;
}

std::optional<unsigned> domain_of(std::string_view folder) {
  constexpr std::string_view start = "mon_L3_";
  if (!folder.starts_with(start)) return std::nullopt;
  folder.remove_prefix(start.size());
  unsigned number = 0;
  const auto [stop, fault] = std::from_chars(folder.data(), folder.data() + folder.size(), number);
  if (fault != std::errc() || stop != folder.data() + folder.size()) return std::nullopt;
  return number;
}

Result<std::uint64_t> traffic(const Reading& before, const Reading& after, Event event,
                              const std::string& root) {
  if (before.domains.empty() || after.domains.empty())
    return tl::unexpected(Problem{"the monitor group shows no last-level cache", name_of(event),
                                  "report this with the output of: ls " + root + "/mon_data"});
  std::map<unsigned, std::pair<Counter, Counter>> both;
  for (const auto& [id, domain] : before.domains) both[id].first = counter_of(domain, event);
  for (const auto& [id, domain] : after.domains) both[id].second = counter_of(domain, event);
  std::uint64_t sum = 0;
  for (const auto& [id, looks] : both) {
    for (const Counter* counter : {&looks.first, &looks.second})
      if (counter->state != State::counted)
        return tl::unexpected(not_counted(*counter, id, event, root));
    const auto bytes = advance(looks.first.bytes, looks.second.bytes, after.time_s - before.time_s);
    if (!bytes)
      return tl::unexpected(
          Problem{fmt::format("the counter went backwards, from {} to {}: it was set back during "
                              "the run",
                              looks.first.bytes, looks.second.bytes),
                  fmt::format("mon_L3_{:02}/{}", id, name_of(event)),
                  "record again, without CPUs going offline and without changes below " + root});
    sum += *bytes;
  }
  return sum;
}

}  // namespace roofmark::resctrl
