// "event=0xc7,umask=0x01" -> what the kernel is given, by the `format` files of the PMU.
#pragma once

#include <cstdint>
#include <map>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

#include "event_table.hpp"

namespace roofmark {

/// By term: "config:0-7,32-35", the content of /sys/bus/event_source/devices/PMU/format/TERM.
using PmuFormat = std::map<std::string, std::string>;

/// A term without a value is 1. `where` is what a Problem calls it.
Result<AttributeNumbers> encode_terms(std::string_view terms, const PmuFormat& format,
                                      const std::string& where);

}  // namespace roofmark
