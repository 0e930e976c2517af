// The processors that events can be opened on.
#pragma once

#include <vector>

namespace roofmark::sampling {

std::vector<int> online_cpus();

}  // namespace roofmark::sampling
