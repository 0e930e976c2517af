#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <roofmark/roofmark.hpp>
#include <thread>

#include "target.hpp"

namespace {

void closed_and_open() {
  for (int i = 0; i < 100; ++i) {
    ROOFMARK_SCOPE("closed");
  }
}
int killed() {
  closed_and_open();
  ROOFMARK_SCOPE("open");
  closed_and_open();
  kill(getpid(), SIGKILL);
  pause();
  return 1;
}
int ends_by_underscore_exit() {
  ROOFMARK_SCOPE("open");
  closed_and_open();
  _exit(3);
}
int ends_by_exit() {
  ROOFMARK_SCOPE("open");
  closed_and_open();
  std::exit(4);
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

int forks() {
  ROOFMARK_SCOPE("parent");
  closed_and_open();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 7; ++i) {
      ROOFMARK_SCOPE("in child");
    }
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      ROOFMARK_SCOPE("in grandchild");
      return 0;  // closes what it inherited
    }
    return wait_for(grandchild);
  }
  const int status = wait_for(child);
  closed_and_open();
  return status;
}

// Handlers that were there before the runtime's run while it holds its lock.
void annotated_handler() {
  ROOFMARK_SCOPE("handler");
}
int fork_handlers() {
  pthread_atfork(annotated_handler, annotated_handler, annotated_handler);
  ROOFMARK_SCOPE("parent");
  for (int i = 0; i < 3; ++i) {
    annotated_handler();
    const pid_t child = fork();
    if (child == 0) {
      { ROOFMARK_SCOPE("in child"); }
      _exit(0);
    }
    if (wait_for(child) != 0) return 1;
  }
  return 0;
}

int fork_in_thread() {
  ROOFMARK_SCOPE("main");
  int status = 1;
  std::thread([&] {
    ROOFMARK_SCOPE("thread");
    const pid_t child = fork();
    if (child == 0) {
      { ROOFMARK_SCOPE("in child"); }
      std::thread([] { ROOFMARK_SCOPE("its thread"); }).join();
      _exit(0);
    }
    status = wait_for(child);
  }).join();
  return status;
}

// A function of the C library that the runtime itself calls, and that the program has replaced by
// an annotated one.
bool getpid_is_annotated = false;

int annotated_getpid() {
  ROOFMARK_SCOPE("parent");
  closed_and_open();
  getpid_is_annotated = true;
  const auto child =
      static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child == 0) {
    { ROOFMARK_SCOPE("in child"); }
    _exit(0);
  }
  return wait_for(child);
}

// Forks while another thread makes the recording: it is held up in the middle of that, where it
// asks for its process, until the fork is over or waits for it.
enum Stage { not_asked, asked, connecting, forked };
std::atomic<Stage> stage{not_asked};

void hold_up_connecting() {
  Stage expected = asked;
  if (!stage.compare_exchange_strong(expected, connecting)) return;
  for (int i = 0; i < 100 && stage != forked; ++i) usleep(2000);
}

void wait_until_connecting() {
  if (stage != not_asked) return;
  std::thread([] {
    stage = asked;
    ROOFMARK_SCOPE("first");
  }).detach();
  while (stage != connecting) usleep(100);
}

int forks_while_connecting(pid_t (*fork_now)()) {
  const pid_t child = fork_now();
  if (child == 0) {
    { ROOFMARK_SCOPE("in child"); }
    { ROOFMARK_SCOPE("in child"); }
    _exit(0);
  }
  stage = forked;
  const int status = wait_for(child);
  ROOFMARK_SCOPE("after");
  return status;
}

int fork_while_connecting() {
  pthread_atfork(wait_until_connecting, nullptr, nullptr);
  return forks_while_connecting(fork);
}

int raw_clone_while_connecting() {
  wait_until_connecting();
  return forks_while_connecting([] {
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  });
}

int raw_clone() {
  ROOFMARK_SCOPE("parent");
  closed_and_open();
  const auto child =
      static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  if (child == 0) {
    { ROOFMARK_SCOPE("in child"); }
    _exit(0);
  }
  return wait_for(child);
}

int vforks() {
  ROOFMARK_SCOPE("parent");
  for (int i = 0; i < 3; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      { ROOFMARK_SCOPE("in child"); }
      _exit(0);
    }
    if (wait_for(child) != 0) return 1;
    ROOFMARK_SCOPE("after");
  }
  return 0;
}

int execs() {
  ROOFMARK_SCOPE("before exec");
  closed_and_open();
  execl("/proc/self/exe", "again", "ends by exit", static_cast<char*>(nullptr));
  return 1;
}

}  // namespace

extern "C" pid_t getpid() noexcept {
  hold_up_connecting();
  if (!getpid_is_annotated) return static_cast<pid_t>(syscall(SYS_getpid));
  ROOFMARK_SCOPE("getpid");
  return static_cast<pid_t>(syscall(SYS_getpid));
}

Scenarios process_scenarios() {
  return {{"killed", killed},
          {"ends by _exit", ends_by_underscore_exit},
          {"ends by exit", ends_by_exit},
          {"forks", forks},
          {"fork handlers", fork_handlers},
          {"fork in thread", fork_in_thread},
          {"annotated getpid", annotated_getpid},
          {"raw clone", raw_clone},
          {"fork while connecting", fork_while_connecting},
          {"raw clone while connecting", raw_clone_while_connecting},
          {"vforks", vforks},
          {"execs", execs}};
}
