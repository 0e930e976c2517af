// Further timed runs of a program, added to the profile of one of them.
#pragma once

#include <roofmark/profile.hpp>
#include <vector>

namespace roofmark {

/// Each region's time becomes the median over all runs, as a range from the fastest to the slowest,
/// and `runs_wall_s` holds every one, this profile's own last. A region that one of the others did
/// not enter as often is flagged `visits_differ` and keeps its time. Rooflines are the caller's to
/// make again.
void add_repeats(Profile& profile, const std::vector<Profile>& others);

}  // namespace roofmark
