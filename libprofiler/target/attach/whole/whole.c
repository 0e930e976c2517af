/* A region around a whole process, for programs that have none and counters that are read in the
   program: preloaded beside the runtime, which it needs, so that it is started after it and ended
   before it. C99. */
#include <roofmark/roofmark.h>
#include <string.h>

static roofmark_token whole;
static int entered;

__attribute__((constructor)) static void enter(void) {
  static const char name[] = "(program)"; /* analysis/record/whole_program.hpp */
  if (roofmark_api_v1.connect() == 0) return;
  whole = roofmark_api_v1.enter_name(name, strlen(name));
  entered = 1;
}

__attribute__((destructor)) static void leave(void) {
  if (entered) roofmark_api_v1.leave(whole);
}
