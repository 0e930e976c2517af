// Makes regions of what was seen of functions' entries and returns, in one process or several.
// Pure.
#pragma once

#include <analysis/arena/arena_reader.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace roofmark {

struct CallEvent {
  std::int32_t process = 0, thread = 0;
  std::uint64_t time_ns = 0;        ///< CLOCK_MONOTONIC_RAW
  std::uint64_t stack_pointer = 0;  ///< at an entry: below that of any call around it
  std::size_t function = 0;
  bool is_return = false;  ///< its stack pointer lies above those of the calls that are over
};

/// A thread that another one made: its regions hang below what was open there.
struct ThreadEvent {
  std::int32_t process = 0, thread = 0, creator_process = 0, creator = 0;
  std::uint64_t time_ns = 0;
};

struct CallFacts {
  std::vector<std::string> names;  ///< by function
  std::vector<bool> left_out;      ///< functions of which not all calls were seen
  std::string host, executable;
  double cost_s = 0;        ///< of a call to what is around it
  double inner_cost_s = 0;  ///< what an empty one measures
};

std::vector<RawProcess> tree_of_calls(std::vector<CallEvent> calls,
                                      std::vector<ThreadEvent> threads, const CallFacts& facts);

}  // namespace roofmark
