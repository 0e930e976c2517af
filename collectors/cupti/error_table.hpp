// What CUPTI's errors mean to who runs the program, and what else keeps kernels from being counted:
// data. Known to the plug-in in the program and to the analysis.
#pragma once

#include <string_view>

namespace roofmark::cupti {

struct Explanation {
  int code;            ///< of CUPTI; 0: a case of our own
  const char* name;    ///< as CUPTI's header names it, or a word of our own
  const char* reason;  ///< one clause, no full stop
  const char* fix;     ///< one thing to do; empty: there is none
};

/// For a code that is not in the table: one that names no reason.
const Explanation& explain(int code);
/// One of our own cases; the name must be in the table.
const Explanation& explain(std::string_view name);

/// All of them, for tests and documentation.
struct Explanations {
  const Explanation* begin_;
  const Explanation* end_;
  const Explanation* begin() const { return begin_; }
  const Explanation* end() const { return end_; }
};
Explanations all_explanations();

}  // namespace roofmark::cupti
