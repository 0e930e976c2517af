#include "job.hpp"

#include "libprofiler/arena/rank.h"

namespace roofmark::emulator {
namespace {

constinit Long rank = arena::no_number;

}  // namespace

void find_rank() {
  rank = arena::rank_of([](const char* name) -> const char* { return VG_(getenv)(name); }).rank;
}

Long rank_in_job() {
  return rank;
}

}  // namespace roofmark::emulator
