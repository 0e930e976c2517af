// The tables that are installed, as tests use them.
#pragma once

#include "catch.hpp"
#include "collectors/cupti/chip_table.hpp"
#include "collectors/cupti/pass_table.hpp"

namespace roofmark::cupti {

inline const ChipTable& chips() {
  static const ChipTable table = [] {
    auto loaded = load_chip_table(ROOFMARK_CHIP_TABLES);
    if (!loaded) FAIL(to_line(loaded.error()));
    return *loaded;
  }();
  return table;
}

inline const PassTable& passes() {
  static const PassTable table = [] {
    auto loaded = load_pass_table(ROOFMARK_CHIP_TABLES);
    if (!loaded) FAIL(to_line(loaded.error()));
    return *loaded;
  }();
  return table;
}

inline const Chip& chip(std::string_view name) {
  const Chip* found = chips().chip(name);
  if (found == nullptr) FAIL("no chip " << name);
  return *found;
}

}  // namespace roofmark::cupti
