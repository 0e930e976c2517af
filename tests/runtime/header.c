/* Every use of roofmark.h that its first lines promise, as C99 and C11. */
#include <roofmark/roofmark.h>

int header_uses_c(const char* name);
int header_uses_c(const char* name) {
  roofmark_token token = roofmark_begin(name);
  ROOFMARK_BEGIN("solve");
  ROOFMARK_DECLARE(1.0, 2.0);
  roofmark_end(roofmark_begin_bytes(name, 1));
  if (name[0] == '\0') ROOFMARK_BEGIN("inner");
  ROOFMARK_END("solve");
  roofmark_end(token);
  roofmark_detach_thread();
  return roofmark_attach();
}
