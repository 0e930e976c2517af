// Caliper's macros, C and C++, as they expand.
#include "caliper_client.hpp"
#include "work.h"

static void solve() {
  const cali::Function function("solve");
  for (int i = 0; i < 2; ++i) {
    const cali::ScopeAnnotation scope("in a scope");
    work(100);
  }
}

int main() {
  cali_begin_region("main \xc3\xb6");
  cali_begin_string(cali_loop_attr_id, "main loop");
  const cali_id_t iteration = cali_make_loop_iteration_attribute("main");
  for (int i = 0; i < 3; ++i) {
    cali_begin_int(iteration, i);
    cali_begin_region("kernel");
    work(100);
    cali_end_region("kernel");
    cali_end(iteration);
  }
  cali_end(cali_loop_attr_id);
  cali_begin_phase("a phase");
  cali_begin_comm_region("halo");
  cali_end_comm_region("halo");
  cali_end_phase("a phase");
  cali_end_region("main \xc3\xb6");

  cali_begin_string_byname("my phase", "setup");
  cali_begin_string_byname("function", "setup_grid");
  work(10);
  cali_end_byname("function");
  cali_end_byname("my phase");
  cali_begin_byname("initialised");
  cali_end_byname("initialised");
  solve();
  return 0;
}
