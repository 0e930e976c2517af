// What a monitor group counted of the whole program, as quantities of a profile.
#pragma once

#include <collectors/resctrl/program_traffic.hpp>
#include <roofmark/profile.hpp>

namespace roofmark {

/// Into the row of the whole program: its regions share one group, so theirs is not known. After
/// join(), which makes that row.
void add_program_traffic(const Result<resctrl::Traffic>& traffic, Profile& profile);

}  // namespace roofmark
