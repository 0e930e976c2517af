// Where and when a recording is made.
#pragma once

#include <string>

namespace roofmark {

std::string host_name();
/// Now, as RFC 3339 has it.
std::string now_rfc3339();

}  // namespace roofmark
