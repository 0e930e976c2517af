// The files of data/, and the table of GPU metrics, compiled in.
#pragma once

#include <string_view>

namespace roofmark::import {

std::string_view nsight_text();
std::string_view likwid_text();
/// collectors/cupti/chips.json: a table needs no other file to be read.
std::string_view chips_text();

}  // namespace roofmark::import
