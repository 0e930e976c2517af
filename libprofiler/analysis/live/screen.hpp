// What `roofmark top` shows: text, no terminal.
#pragma once

#include <string>
#include <vector>

#include "snapshot.hpp"

namespace roofmark::live {

struct ScreenOptions {
  unsigned width = 80, height = 24;
  bool utf8 = true;
  bool colour = false;
  bool chart = true;  ///< where there is room, and a region with known work
};

/// At most so many lines and columns.
std::string screen(const Snapshot& now, const std::vector<Row>& rows, const std::string& title,
                   const ScreenOptions& options);

}  // namespace roofmark::live
