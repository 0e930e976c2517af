// Parallel regions of GCC's OpenMP: its compiler puts the body into a function of its own and calls
// the runtime with it. Each thread of the team enters the region, so that the time of each is
// known; waiting for the others at the end of the construct is outside of it.
#include "original.hpp"
#include "reader.hpp"
#include "sites.hpp"

namespace roofmark::readers {
namespace {

using Body = void(void*);

struct Team {
  Body* body;
  void* data;
  roofmark_site* site;
};

void in_team(void* given) {
  const Team team = *static_cast<const Team*>(given);
  const roofmark_api* const api = runtime();
  (void)api->enter(team.site);
  team.body(team.data);
  api->leave_site(team.site);
}

/// Runs the construct with the body that was given, or around it.
template <class Run>
auto around(Body* body, void* data, const Run& run) {
  roofmark_site* const site = reads(Tool::openmp) && runtime() != nullptr
                                  ? site_of(reinterpret_cast<const void*>(body))
                                  : nullptr;
  if (site == nullptr) return run(body, data);
  // It lives until all threads have left the construct.
  Team team{body, data, site};
  return run(in_team, static_cast<void*>(&team));
}

constexpr const char* library = "libgomp.so";

using Parallel = void(Body*, void*, unsigned, unsigned);
using Reductions = unsigned(Body*, void*, unsigned, unsigned);
using Sections = void(Body*, void*, unsigned, unsigned, unsigned);
using Chunked = void(Body*, void*, unsigned, long, long, long, long, unsigned);
using Scheduled = void(Body*, void*, unsigned, long, long, long, unsigned);

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

// A construct without a runtime behind it is run by its own thread, which is a team as well.
#define ROOFMARK_GOMP(NAME, TYPE, RETURN, PARAMETERS, ...)           \
  ROOFMARK_READER_EXPORT RETURN NAME PARAMETERS {                    \
    static Original<TYPE> original{#NAME, library};                  \
    TYPE* const next = original.get(NAME);                           \
    return around(body, data, [&](Body* run, void* with) -> RETURN { \
      if (next == nullptr) return run(with), RETURN();               \
      return next(run, with, __VA_ARGS__);                           \
    });                                                              \
  }

#define ROOFMARK_GOMP_CHUNKED(NAME)                                                          \
  ROOFMARK_GOMP(NAME, Chunked, void,                                                         \
                (Body * body, void* data, unsigned threads, long start, long end, long step, \
                 long chunk, unsigned flags),                                                \
                threads, start, end, step, chunk, flags)
#define ROOFMARK_GOMP_SCHEDULED(NAME)                                                        \
  ROOFMARK_GOMP(NAME, Scheduled, void,                                                       \
                (Body * body, void* data, unsigned threads, long start, long end, long step, \
                 unsigned flags),                                                            \
                threads, start, end, step, flags)

ROOFMARK_GOMP(GOMP_parallel, Parallel, void,
              (Body * body, void* data, unsigned threads, unsigned flags), threads, flags)
ROOFMARK_GOMP(GOMP_parallel_reductions, Reductions, unsigned,
              (Body * body, void* data, unsigned threads, unsigned flags), threads, flags)
ROOFMARK_GOMP(GOMP_parallel_sections, Sections, void,
              (Body * body, void* data, unsigned threads, unsigned count, unsigned flags), threads,
              count, flags)
ROOFMARK_GOMP_CHUNKED(GOMP_parallel_loop_static)
ROOFMARK_GOMP_CHUNKED(GOMP_parallel_loop_dynamic)
ROOFMARK_GOMP_CHUNKED(GOMP_parallel_loop_guided)
ROOFMARK_GOMP_CHUNKED(GOMP_parallel_loop_nonmonotonic_dynamic)
ROOFMARK_GOMP_CHUNKED(GOMP_parallel_loop_nonmonotonic_guided)
ROOFMARK_GOMP_SCHEDULED(GOMP_parallel_loop_runtime)
ROOFMARK_GOMP_SCHEDULED(GOMP_parallel_loop_nonmonotonic_runtime)
ROOFMARK_GOMP_SCHEDULED(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
