#include "driver_calls.hpp"

namespace roofmark::cupti {
namespace {

using Kind = CallKind;

struct Row {
  std::string_view prefix;
  Kind kind;
};
// The first row that fits. cuLaunch, cuLaunchGrid: interfaces of CUDA 3, gone since.
constexpr Row rows[] = {
    {"LaunchHostFunc", Kind::none},    {"Launch", Kind::launch},
    {"GraphLaunch", Kind::graph},      {"CtxSynchronize", Kind::wait},
    {"DeviceSynchronize", Kind::wait}, {"StreamSynchronize", Kind::wait},
    {"EventSynchronize", Kind::wait},  {"Memset", Kind::copy},
    {"Memcpy", Kind::blocking_copy},
};

/// Copies within a device return before they are done; others without Async do not.
bool blocks(std::string_view function) {
  for (const std::string_view word : {"Async", "DtoD", "DtoA", "AtoD", "AtoA"})
    if (function.find(word) != function.npos) return false;
  return true;
}

}  // namespace

CallKind kind_of_call(std::string_view function) {
  if (function.starts_with("cuda"))
    function.remove_prefix(4);
  else if (function.starts_with("cu"))
    function.remove_prefix(2);
  else
    return Kind::none;
  for (const Row& row : rows)
    if (function.starts_with(row.prefix)) {
      if (row.kind == Kind::blocking_copy && !blocks(function)) return Kind::copy;
      return row.kind;
    }
  return Kind::none;
}

}  // namespace roofmark::cupti
