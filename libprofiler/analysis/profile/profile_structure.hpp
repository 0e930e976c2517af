// What the parts of a profile have to be to one another: each field may be well on its own, and
// the document tell two stories.
#pragma once

#include <functional>
#include <roofmark/profile.hpp>
#include <string>

namespace roofmark {

/// Calls `refuse` with a place in the document ("regions[3].path") and what is wrong there.
void find_contradictions(
    const Profile& profile,
    const std::function<void(const std::string& place, const std::string& reason)>& refuse);

}  // namespace roofmark
