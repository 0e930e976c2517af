// What libroofmark-preload.so adds to the runtime: it records without the command, where a batch
// system starts the programs. It chooses the directory, begins at once (a program without regions
// has a time too), and leaves beside each arena what `roofmark report DIRECTORY` can't learn from
// it.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libprofiler/target/runtime/runtime.hpp"

namespace roofmark::runtime {
namespace {

constexpr const char* default_directory = "roofmark-recording";
constexpr const char* off = "off";  // what children find where recording could not begin

bool begun = false;

bool wants_silence() {
  const char* quiet = secure_getenv("ROOFMARK_QUIET");
  return quiet != nullptr && strcmp(quiet, "1") == 0;
}

/// One line, by the first process of a tree: its children find recording switched off.
void give_up(const char* directory, const char* why) {
  setenv("ROOFMARK_RECORDING", off, 1);
  if (wants_silence()) return;
  char line[2048];
  const int length = snprintf(
      line, sizeof line,
      "roofmark: not recorded: %s: %s; set ROOFMARK_DIRECTORY to a directory on a local disk\n",
      directory, why);
  if (length <= 0) return;
  const size_t whole =
      static_cast<size_t>(length) < sizeof line ? static_cast<size_t>(length) : sizeof line - 1;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, whole);
}

/// ROOFMARK_RECORDING, which children inherit, as an absolute directory that is there. False: not
/// to be recorded.
bool choose_directory() {
  if (secure_getenv("ROOFMARK_RECORDING") != nullptr)
    return true;  // by `record`, or by the parent process
  if (getauxval(AT_SECURE) != 0) return false;
  const char* wanted = getenv("ROOFMARK_DIRECTORY");
  if (wanted == nullptr || *wanted == '\0') wanted = default_directory;
  char path[1024];
  if (wanted[0] == '/') {
    if (strlen(wanted) >= sizeof path) return give_up(wanted, strerror(ENAMETOOLONG)), false;
    strcpy(path, wanted);
  } else {
    char here[1024];
    if (getcwd(here, sizeof here) == nullptr) return give_up(wanted, strerror(errno)), false;
    const int length = snprintf(path, sizeof path, "%s/%s", here, wanted);
    if (length < 0 || static_cast<size_t>(length) >= sizeof path)
      return give_up(wanted, strerror(ENAMETOOLONG)), false;
  }
  if (mkdir(path, 0777) != 0 && errno != EEXIST) return give_up(path, strerror(errno)), false;
  if (access(path, W_OK | X_OK) != 0) return give_up(path, strerror(errno)), false;
  setenv("ROOFMARK_RECORDING", path, 1);
  return true;
}

uint64_t raw_now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

/// A new file beside the arena; below 0: there is none.
int open_beside(const char* extension) {
  char path[1700];
  const int length = snprintf(path, sizeof path, "%s", runtime.file.path());
  constexpr int arena = sizeof ".arena" - 1;
  if (length <= arena || static_cast<size_t>(length) >= sizeof path - 16) return -1;
  strcpy(path + length - arena, extension);
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void put(int file, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = write(file, bytes, count);
    if (written <= 0) return;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
}

/// The command line as the kernel keeps it: arguments with a zero behind each.
void write_command() {
  const int file = open_beside(".command");
  if (file < 0) return;
  if (const int from = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC); from >= 0) {
    char bytes[4096];
    for (ssize_t got = read(from, bytes, sizeof bytes); got > 0;
         got = read(from, bytes, sizeof bytes))
      put(file, bytes, static_cast<size_t>(got));
    close(from);
  }
  close(file);
}

/// Under `roofmark record` another runtime comes first, and two would be one too many. By the
/// objects: the name of the table is the first one's in here too.
bool is_first_runtime() {
  static const char here = 0;
  Dl_info first, mine;
  const void* table = dlsym(RTLD_DEFAULT, "roofmark_api_v1");
  return table != nullptr && dladdr(table, &first) != 0 && dladdr(&here, &mine) != 0 &&
         first.dli_fbase == mine.dli_fbase;
}

__attribute__((constructor)) void begin() {
  if (!is_first_runtime()) return;
  const bool told = secure_getenv("ROOFMARK_RECORDING") != nullptr;
  if (!choose_directory()) return;
  const char* directory = secure_getenv("ROOFMARK_RECORDING");
  if (directory == nullptr || directory[0] != '/') return;
  const int error = errno;
  if (!connect()) {
    if (!told)
      give_up(directory, "no file can be mapped there (a network file system, or no room)");
    errno = error;
    return;
  }
  begun = true;
  write_command();
  errno = error;
}

// What a process that is killed does not leave: its times are then known up to its last marker.
__attribute__((destructor)) void end() {
  if (!begun || forked() || getpid() != runtime.pid) return;
  const int file = open_beside(".ended");
  if (file < 0) return;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  char text[256];
  const int length = snprintf(text, sizeof text, "raw_ns %llu\nuser_us %llu\nsystem_us %llu\n",
                              static_cast<unsigned long long>(raw_now_ns()),
                              static_cast<unsigned long long>(usage.ru_utime.tv_sec) * 1000000u +
                                  static_cast<unsigned long long>(usage.ru_utime.tv_usec),
                              static_cast<unsigned long long>(usage.ru_stime.tv_sec) * 1000000u +
                                  static_cast<unsigned long long>(usage.ru_stime.tv_usec));
  if (length > 0) put(file, text, static_cast<size_t>(length));
  close(file);
}

}  // namespace
}  // namespace roofmark::runtime
