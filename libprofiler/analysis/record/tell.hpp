// Lines for the user, where somebody listens.
#pragma once

#include <analysis/record/record.hpp>
#include <string>

namespace roofmark {

inline void tell(const RecordOptions& options, const std::string& line) {
  if (options.tell) options.tell(line);
}

}  // namespace roofmark
