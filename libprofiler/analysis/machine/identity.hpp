// What makes two measurements comparable: the same identity, the same ceilings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topology.hpp"

namespace roofmark {

using Identity = std::map<std::string, std::string>;

Identity machine_identity(const MachineLayout& layout);

/// A name for files: equal for equal identities, sixteen hexadecimal digits.
std::string identity_key(const Identity& identity);

/// "0-3,8": OS numbers in ascending order.
std::string cpu_list(std::vector<unsigned> cpus);

}  // namespace roofmark
