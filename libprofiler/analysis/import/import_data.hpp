// The files of data/, compiled in.
#pragma once

#include <string_view>

namespace roofmark::import {

std::string_view nsight_text();
std::string_view likwid_text();

}  // namespace roofmark::import
