/* The runtime's table beyond what annotation headers know of: for our own plug-ins in the program.
   The table only grows, so `markers.size` says what is there: a plug-in looks for
   `roofmark_api_v1` by dlsym and does without what an older runtime lacks. C99. */
#ifndef ROOFMARK_RUNTIME_TABLE_H
#define ROOFMARK_RUNTIME_TABLE_H

#include <roofmark/roofmark.h>

#define ROOFMARK_SAME_PATH ((size_t)-1)

typedef struct roofmark_runtime_table {
  roofmark_api markers;
  /* The regions that are open in the calling thread, below those of its creator. Writes for each,
     outermost first, its name's length (uint32_t, unaligned) and bytes; returns how many bytes that
     are. More than `room`: nothing was written. 0: nothing is open, or nothing is recorded.
     `identity` stands for the path, in this thread only, as long as the thread lives: if
     the path is the one that it holds already, nothing is written and ROOFMARK_SAME_PATH returned.
     Not for signal handlers. Null in a counted run. */
  size_t (*open_path)(const void** identity, char* to, size_t room);
  /* declare() and leave() in one, for less. Not below an emulator, which has a table of its own. */
  void (*leave_declared)(roofmark_token token, double flop, double bytes);

  /* For calls of functions that nobody wrote as markers, all of whose arguments are in registers.
     As markers.enter, where that takes few steps; touches no vector register. node == 0: nothing
     was done, enter has to be called. Null: always. */
  roofmark_token (*try_enter)(roofmark_site* site);
  /* As markers.leave, likewise; may use the low halves of the first two vector registers. 0:
     nothing was done. */
  int (*try_leave)(roofmark_token token);
  /* As markers.leave, of a visit whose end nobody saw: it is flagged. */
  void (*abandon)(roofmark_token token);
} roofmark_runtime_table;

#endif
