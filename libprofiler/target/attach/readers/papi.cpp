// PAPI's high-level interface: regions by name, of each thread. Reading and stopping are PAPI's
// own; its Fortran interface calls these functions.
#include "original.hpp"
#include "reader.hpp"

namespace roofmark::readers {
namespace {

using Marker = int(const char*);
Original<Marker> region_begin{"PAPI_hl_region_begin", "libpapi.so"};
Original<Marker> region_end{"PAPI_hl_region_end", "libpapi.so"};
constexpr int papi_ok = 0;

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

// The tool's own work stays out of the region.
ROOFMARK_READER_EXPORT int PAPI_hl_region_begin(const char* name) {
  auto* const original = region_begin.get(PAPI_hl_region_begin);
  const int result = original != nullptr ? original(name) : papi_ok;
  if (reads(Tool::papi)) enter(name);
  return result;
}

ROOFMARK_READER_EXPORT int PAPI_hl_region_end(const char* name) {
  if (reads(Tool::papi)) leave_named(name);
  auto* const original = region_end.get(PAPI_hl_region_end);
  return original != nullptr ? original(name) : papi_ok;
}
