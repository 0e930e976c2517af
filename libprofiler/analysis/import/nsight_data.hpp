// data/nsight.json, compiled in.
#pragma once

#include <string_view>

namespace roofmark::import {

std::string_view nsight_text();

}  // namespace roofmark::import
