// LIKWID's marker API: regions by name, of each thread. All else of it is the library's own; its
// Fortran interface calls these functions.
#include "original.hpp"
#include "reader.hpp"

namespace roofmark::readers {
namespace {

using Marker = int(const char*);
Original<Marker> start{"likwid_markerStartRegion", "liblikwid.so"};
Original<Marker> stop{"likwid_markerStopRegion", "liblikwid.so"};

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

// The tool's own work stays out of the region.
ROOFMARK_READER_EXPORT int likwid_markerStartRegion(const char* name) {
  auto* const original = start.get(likwid_markerStartRegion);
  const int result = original != nullptr ? original(name) : 0;
  if (reads(Tool::likwid)) enter(name);
  return result;
}

ROOFMARK_READER_EXPORT int likwid_markerStopRegion(const char* name) {
  if (reads(Tool::likwid)) leave_named(name);
  auto* const original = stop.get(likwid_markerStopRegion);
  return original != nullptr ? original(name) : 0;
}
