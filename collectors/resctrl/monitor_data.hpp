// What a resctrl monitor group says of its memory traffic, and what two looks at it mean. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark::resctrl {

/// What a counter's file holds: a number, or one of the words that the kernel writes instead.
enum class State : std::uint8_t {
  counted,
  unavailable,  ///< "Unavailable": the hardware has no value at this moment
  error,        ///< "Error": the hardware does not accept the group's number or the event
  unassigned,   ///< "Unassigned": no hardware counter was given to the group
  absent,       ///< there is no such file
  unreadable,   ///< the file can't be read: `error_number`
  malformed     ///< something else
};

struct Counter {
  State state = State::absent;
  std::uint64_t bytes = 0;  ///< meaningful where `counted`
  int error_number = 0;
};

/// The text of a file `mbm_total_bytes` or `mbm_local_bytes`.
Counter parse_counter(std::string_view text);

/// The number of the cache whose folder is so called ("mon_L3_01": 1); nothing for other folders.
std::optional<unsigned> domain_of(std::string_view folder);

struct Domain {
  Counter total;  ///< all traffic of the cache beyond it
  Counter local;  ///< the part to the memory of its own NUMA node
};

/// One look at a group: every last-level cache that it has.
struct Reading {
  double time_s = 0;
  std::map<unsigned, Domain> domains;
};

enum class Event : std::uint8_t { total, local };
/// The name of its file.
const char* name_of(Event event);

/// Bytes between two looks, summed over all domains, reads and writes together. One domain that
/// was not counted makes the sum a wrong one: a Problem. `root` is named in remedies.
Result<std::uint64_t> traffic(const Reading& before, const Reading& after, Event event,
                              const std::string& root);

/// No memory is faster: a value that went backwards by more than this allows was set back.
inline constexpr double fastest_bytes_per_s = 1e14;

}  // namespace roofmark::resctrl
