/* What a batch system would start: preload_target SCENARIO. */
#include <roofmark/roofmark.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(const char* name, int visits) {
  for (int i = 0; i < visits; ++i) {
    const roofmark_token token = roofmark_begin(name);
    roofmark_declare(1000, 4000);
    const struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    roofmark_end(token);
  }
}

int main(int count, char** words) {
  const char* const scenario = count > 1 ? words[1] : "";
  if (strcmp(scenario, "regions") == 0) {
    work("work", 3);
  } else if (strcmp(scenario, "fork") == 0) {
    const pid_t child = fork();
    work(child == 0 ? "child" : "parent", 2);
    if (child == 0) return 0;
    waitpid(child, NULL, 0);
  } else if (strcmp(scenario, "children") == 0) {
    /* Programs that it starts, one of them from another directory. */
    char command[4200];
    snprintf(command, sizeof command, "'%s' regions; cd / && '%s' regions", words[0], words[0]);
    work("parent", 1);
    if (system(command) != 0) return 1;
  } else if (strcmp(scenario, "exec") == 0) {
    work("before", 1);
    execl(words[0], words[0], "regions", (char*)NULL);
    return 1;
  } else if (strcmp(scenario, "killed") == 0) {
    work("work", 80); /* the clocks are compared every 100 ms */
    raise(SIGKILL);
  }
  puts("ran");
  return 7;
}
