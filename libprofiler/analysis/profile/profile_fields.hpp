// The fields of a profile's document that this version knows: all others belong to a later one and
// are kept as they are.
#pragma once

#include <array>
#include <string_view>

namespace roofmark {

inline constexpr std::array<std::string_view, 10> profile_fields = {
    "schema", "program", "machine", "passes",  "sampling",
    "notes",  "compact", "origins", "missing", "regions"};

inline constexpr std::array<std::string_view, 34> region_fields = {
    "path",     "name_bytes", "visits",    "found_by", "code",        "function",     "threads",
    "flags",    "wall_s",     "thread_s",  "flop",     "bytes",       "mix",          "operations",
    "events",   "declared",   "marker_s",  "visit_s",  "runs_wall_s", "imbalance",    "ranks",
    "mpi_s",    "mpi_ranks",  "kernel",    "gpu",      "gpu_calls",   "off_cpu_s",    "cores_used",
    "clock_hz", "self",       "rooflines", "missing",  "shares",      "visits_source"};

/// Program::exit_status of a recording that nobody saw the end of; the document has none then.
inline constexpr int unknown_exit_status = -1;

}  // namespace roofmark
