// The trace of a recording, as it is handed over: once at the end of the timed run, and again with
// what is known of its regions.
#pragma once

#include <analysis/join/join.hpp>
#include <analysis/record/record.hpp>
#include <roofmark/profile.hpp>

namespace roofmark {

/// At once: what comes later may be killed.
void hand_over_trace(const RecordOptions& options, const JoinInput& input, Profile& profile);

/// Again, when it is known what the regions did.
void hand_over_trace_with(const Profile& joined, const RecordOptions& options,
                          const JoinInput& input);

}  // namespace roofmark
