// Parallel regions of an OpenMP runtime with the tools interface (OMPT, OpenMP 5): LLVM's and those
// made from it. The runtime asks for the one function exported here. Numbers and forms are those of
// the OpenMP specification, 5.1, sections 4.4 and 4.5.
#include <stdlib.h>

#include "reader.hpp"
#include "sites.hpp"

namespace roofmark::readers {
namespace {

union Data {
  uint64_t value;
  void* pointer;
};
using Callback = void();
using Lookup = Callback*(const char*);
using SetCallback = int(int, Callback*);

constexpr int on_parallel_begin = 3, on_implicit_task = 7, on_sync_region = 16;
constexpr int endpoint_begin = 1, endpoint_end = 2;
constexpr int initial_task = 1;
/// A barrier at the end of a parallel region: as runtimes before 5.1 call it, and since.
constexpr int barrier_implicit = 2, barrier_implicit_parallel = 9;

/// What a thread has open, the innermost construct last: a worker hears of its end when it is next
/// needed, so the region ends where its waiting begins.
constexpr int deepest = 64;
struct Open {
  void* parallel;
  roofmark_site* site;
};
__thread Open open[deepest] __attribute__((tls_model("initial-exec")));
__thread int depth __attribute__((tls_model("initial-exec")));

void close_innermost() {
  if (depth == 0 || depth > deepest) return;
  Open& innermost = open[depth - 1];
  if (innermost.site != nullptr) runtime()->leave_site(innermost.site);
  innermost.site = nullptr;
}

void parallel_begin(Data*, const void*, Data* parallel, unsigned, int, const void* code) {
  if (parallel != nullptr && code != nullptr) parallel->pointer = site_of(code);
}

void implicit_task(int endpoint, Data* parallel, Data*, unsigned, unsigned, int flags) {
  if ((flags & initial_task) != 0) return;
  if (endpoint == endpoint_begin) {
    auto* const site =
        parallel != nullptr ? static_cast<roofmark_site*>(parallel->pointer) : nullptr;
    if (depth++ >= deepest) return;
    open[depth - 1] = {parallel, site};
    if (site != nullptr) (void)runtime()->enter(site);
  } else if (endpoint == endpoint_end && depth > 0) {
    close_innermost();
    --depth;
  }
}

/// The barrier of a work-sharing loop has the first of the two numbers as well in older runtimes:
/// it is told by the code that it belongs to, which the end of a parallel region has none of.
void sync_region(int kind, int endpoint, Data*, Data*, const void* code) {
  if (endpoint != endpoint_begin) return;
  if (kind == barrier_implicit_parallel || (kind == barrier_implicit && code == nullptr))
    close_innermost();
}

int initialise(Lookup* lookup, int, Data*) {
  auto* const set = reinterpret_cast<SetCallback*>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  set(on_parallel_begin, reinterpret_cast<Callback*>(parallel_begin));
  set(on_implicit_task, reinterpret_cast<Callback*>(implicit_task));
  set(on_sync_region, reinterpret_cast<Callback*>(sync_region));
  return 1;
}

void finalise(Data*) {}

struct Start {
  int (*initialise)(Lookup*, int, Data*);
  void (*finalise)(Data*);
  Data data;
};
Start start{initialise, finalise, {0}};

}  // namespace
}  // namespace roofmark::readers

using namespace roofmark::readers;

/// Null where another tool is to be asked: a runtime takes the first that answers.
ROOFMARK_READER_EXPORT void* ompt_start_tool(unsigned, const char*) {
  const char* const others = getenv("OMP_TOOL_LIBRARIES");
  const bool other_tool = others != nullptr && *others != '\0';
  return !other_tool && reads(Tool::openmp) && runtime() != nullptr ? &start : nullptr;
}
