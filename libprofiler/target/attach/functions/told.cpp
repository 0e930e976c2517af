// The list of redirected functions beside a recording: who reads it knows which regions are
// functions, of which files, and what redirecting them cost. A line each, at the first call:
// nothing waits for the end of a process, which may never come.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "calls.hpp"

namespace roofmark::functions {
namespace {

// No points where a thread can be cancelled.
void append(const char* line, size_t length) {
  const char* const directory = secure_getenv("ROOFMARK_RECORDING");
  if (directory == nullptr || directory[0] != '/') return;
  char host[256];
  if (gethostname(host, sizeof host) != 0) host[0] = '\0';
  host[sizeof host - 1] = '\0';
  char path[1536];
  const int written = snprintf(path, sizeof path, "%s/%s-%d.functions", directory, host,
                               static_cast<int>(getpid()));
  if (written < 0 || static_cast<size_t>(written) >= sizeof path) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path,
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, length);
  syscall(SYS_close, file);
}

/// "redirected SYMBOL<tab>OBJECT": of an executable by its own path.
size_t compose(char* line, size_t room, const char* symbol, const char* object) {
  char executable[1024];
  if (object == nullptr || object[0] == '\0') {
    const ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[length < 0 ? 0 : length] = '\0';
    object = executable;
  }
  const int length = snprintf(line, room, "redirected %s\t%s\n", symbol, object);
  return length > 0 && static_cast<size_t>(length) < room ? static_cast<size_t>(length) : 0;
}

}  // namespace

void tell(Hook& hook) {
  char line[8192];
  append(line, compose(line, sizeof line, hook.site.name, hook.object));
}

void tell_once(const char* word, uint32_t& told) {
  if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) != 0) return;
  char line[64];
  const int length = snprintf(line, sizeof line, "%s\n", word);
  if (length > 0) append(line, static_cast<size_t>(length));
}

void tell_cost(double nanoseconds) {
  char line[256];
  const int length = snprintf(line, sizeof line, "cost_ps %.0f\n", nanoseconds * 1000);
  if (length > 0) append(line, static_cast<size_t>(length));
}

}  // namespace roofmark::functions
