// The scenarios of the recorded program, each in a function that returns the exit status.
#pragma once

#include <string>
#include <utility>
#include <vector>

using Scenarios = std::vector<std::pair<std::string, int (*)()>>;

Scenarios thread_scenarios();
Scenarios process_scenarios();
Scenarios counted_scenarios();
