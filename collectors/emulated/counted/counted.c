/* The runtime of a counted pass: the same table as the recording runtime, but entering and leaving
 * a region are requests to the emulator. Keeps no state, calls nothing. */
#define ROOFMARK_DISABLE /* the types only */
#include <roofmark/roofmark.h>
#include <valgrind/valgrind.h>

#include "collectors/emulated/protocol.h"
#include "libprofiler/target/runtime/runtime_table.h"

/* All code lies in one section of its own, so that the emulator can leave it out by address. */
#define CODE __attribute__((section("roofmark_counted_code"), noinline))
extern const char code_start[] __asm__("__start_roofmark_counted_code")
    __attribute__((visibility("hidden")));
extern const char code_end[] __asm__("__stop_roofmark_counted_code")
    __attribute__((visibility("hidden")));

CODE static uint64_t bits_of(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

CODE static roofmark_token token_of(uint64_t visit) {
  /* A non-null node says that the visit is recorded. */
  roofmark_token token = {(void*)(uintptr_t)visit, visit};
  return token;
}

CODE static int connect_emulator(void) {
  return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ROOFMARK_REQUEST_CONNECT, code_start, code_end, 0, 0,
                                         0) == 1;
}

CODE static roofmark_token enter_name(const char* name, size_t length) {
  return token_of(
      VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ROOFMARK_REQUEST_ENTER, name, length, 0, 0, 0));
}

CODE static roofmark_token enter(roofmark_site* site) {
  return token_of(VALGRIND_DO_CLIENT_REQUEST_EXPR(0, ROOFMARK_REQUEST_ENTER, site->name,
                                                  site->length, 0, 0, 0));
}

CODE static void leave(roofmark_token token) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(ROOFMARK_REQUEST_LEAVE, token.visit, 0, 0, 0, 0);
}

CODE static void leave_site(roofmark_site* site) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(ROOFMARK_REQUEST_LEAVE_NAME, site->name, site->length, 0, 0, 0);
}

CODE static void abandon(roofmark_token token) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(ROOFMARK_REQUEST_ABANDON, token.visit, 0, 0, 0, 0);
}

CODE static void declare(roofmark_token token, double flop, double bytes) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(ROOFMARK_REQUEST_DECLARE, token.node != 0 ? token.visit : 0,
                                  bits_of(flop), bits_of(bytes), 0, 0);
}

CODE static void detach_thread(void) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(ROOFMARK_REQUEST_DETACH, 0, 0, 0, 0, 0);
}

#if defined(ROOFMARK_COUNTED_IN_ARCHIVE)
/* In a static program the archive of the recording runtime has the table, and no other runtime can
 * be loaded. On the emulator its entries are replaced; anywhere else asking for it does nothing. */
int roofmark_count_instead(roofmark_api* table);
CODE int roofmark_count_instead(roofmark_api* table) {
  if (!connect_emulator()) return 0;
  table->enter = enter;
  table->leave = leave;
  table->enter_name = enter_name;
  table->leave_site = leave_site;
  table->declare = declare;
  table->detach_thread = detach_thread;
  roofmark_runtime_table* const all = (roofmark_runtime_table*)table;
  all->leave_declared = 0;
  all->try_enter = 0;
  all->try_leave = 0;
  all->abandon = abandon;
  return 1;
}
#else
__attribute__((visibility("default"))) const roofmark_runtime_table roofmark_api_v1 = {
    .markers = {1, sizeof(roofmark_runtime_table), connect_emulator, enter, leave, enter_name,
                leave_site, declare, detach_thread},
    .abandon = abandon};
#endif
