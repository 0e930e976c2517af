/* Starts the emulator that lies beside this program, with the two variables that Valgrind's core
 * asks for. Valgrind's own wrapper is not used: it changes the program's environment on some
 * systems. The core starts the programs that the target executes through this launcher too
 * (--trace-children), so one that the emulator can't run is started natively: the target's work
 * goes on, uncounted. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1: an ELF program of another machine than the emulator's. Scripts, and what can't be read, are
 * the emulator's to judge. */
static int foreign(const char* path) {
  unsigned char head[20];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = read(file, head, sizeof head);
  close(file);
  if (size != (ssize_t)sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0) return 0;
  const unsigned machine = head[18] | (unsigned)head[19] << 8;
  return head[EI_CLASS] != ELFCLASS64 || machine != ROOFMARK_ELF_MACHINE;
}

static const char* loader_library(const char* directory, char* buffer, size_t size) {
  snprintf(buffer, size, "%s/vgpreload_core-" ROOFMARK_VALGRIND_PLATFORM ".so", directory);
  return buffer;
}

/* The core put its own library first in LD_PRELOAD. */
static void without_preload(const char* library) {
  const char* list = getenv("LD_PRELOAD");
  const size_t length = strlen(library);
  if (list == NULL || strncmp(list, library, length) != 0) return;
  list += length;
  if (*list == ':') ++list;
  if (*list == '\0')
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", list, 1);
}

int main(int argc, char** argv) {
  (void)argc;
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) {
    fprintf(stderr, "roofmark-emulator: /proc/self/exe can't be read: %s\n", strerror(errno));
    return 125;
  }
  self[length] = '\0';
  char directory[PATH_MAX];
  memcpy(directory, self, (size_t)length + 1);
  *strrchr(directory, '/') = '\0';

  int target = 1;
  while (argv[target] != NULL && strncmp(argv[target], "--", 2) == 0) ++target;
  char path[PATH_MAX + 64];
  if (argv[target] != NULL && foreign(argv[target])) {
    without_preload(loader_library(directory, path, sizeof path));
    unsetenv("VALGRIND_LIB");
    unsetenv("VALGRIND_LAUNCHER");
    execv(argv[target], &argv[target]);
  } else {
    setenv("VALGRIND_LAUNCHER", self, 1);
    setenv("VALGRIND_LIB", directory, 1);
    snprintf(path, sizeof path, "%s/roofmark-emulator-" ROOFMARK_VALGRIND_PLATFORM, directory);
    execv(path, argv);
  }
  fprintf(stderr, "roofmark-emulator: can't execute %s: %s\n", path, strerror(errno));
  return errno == ENOENT ? 127 : 126;
}
