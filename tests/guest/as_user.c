/* usage: as_user UID COMMAND...: without the privileges of root. */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned id = (unsigned)strtoul(argv[1], NULL, 10);
  if (setgroups(0, NULL) != 0 || setgid(id) != 0 || setuid(id) != 0) {
    perror("as_user");
    return 1;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
