// How the kernel writes of a process, proc(5).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace roofmark {

/// A field of /proc/PID/stat by its number there, from 3 (the state) on: the second is a name that
/// may hold anything. Nothing where the line does not have it.
std::optional<std::string_view> stat_field(std::string_view line, int number);

/// The parts of /proc/PID/cmdline and environ, each of which a zero byte ends.
std::vector<std::string_view> zero_ended(std::string_view text);

}  // namespace roofmark
