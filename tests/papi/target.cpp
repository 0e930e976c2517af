// A program whose work is known: software-defined events, and pages that are touched for the first
// time.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <roofmark/roofmark.hpp>
#include <thread>
#include <vector>

#ifdef WITH_SDE
extern "C" void fake_sde_start();
extern "C" void fake_sde_work(long long);
#else
static void fake_sde_start() {}
static void fake_sde_work(long long) {}
#endif

namespace {

constexpr std::size_t page = 4096;

/// Memory whose pages are not there yet: taking it faults nowhere else.
class Pages {
 public:
  explicit Pages(std::size_t count)
      : bytes_(count * page),
        memory_(static_cast<volatile char*>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    madvise(const_cast<char*>(memory_), bytes_, MADV_NOHUGEPAGE);
  }
  void touch() {
    for (std::size_t at = 0; at < bytes_; at += page) memory_[at] = 1;
  }

 private:
  std::size_t bytes_;
  volatile char* memory_;
};

void region(const char* name, Pages& pages) {
  roofmark::Scope scope{name};
  pages.touch();
}

/// So that the first visit, which makes the region's record, is not the one that counts pages.
void warm(const char* name) {
  for (int i = 0; i < 3; ++i) roofmark::Scope scope{name};
}

void nested() {
  fake_sde_work(7);  // outside of every region
  for (int i = 0; i < 10; ++i) {
    ROOFMARK_SCOPE("solve");
    fake_sde_work(100);
    {
      ROOFMARK_SCOPE("first");
      fake_sde_work(2000);
    }
    for (int k = 0; k < 3; ++k) {
      ROOFMARK_SCOPE("second");
      fake_sde_work(30);
    }
  }
  ROOFMARK_SCOPE("nothing");
}

void threads() {
  warm("team");
  ROOFMARK_SCOPE("team");
  std::vector<std::thread> team;
  for (std::size_t i = 0; i < 8; ++i)
    team.emplace_back([i] {
      Pages pages(10 * (i + 1));
      warm("work");
      region("work", pages);
    });
  for (std::thread& one : team) one.join();
}

void forks() {
  warm("before");
  warm("after");
  Pages before(30), after(7), child(50);
  region("before", before);
  if (const pid_t pid = fork(); pid == 0) {
    warm("child");
    region("child", child);
    _exit(0);
  } else {
    waitpid(pid, nullptr, 0);
  }
  region("after", after);
}

void late() {
  for (int i = 0; i < 2; ++i) {
    ROOFMARK_SCOPE("before");
  }
  fake_sde_start();
  for (int i = 0; i < 2; ++i) {
    ROOFMARK_SCOPE("after");
    fake_sde_work(5);
  }
}

void pages() {
  warm("pages");
  Pages some(1000);
  region("pages", some);
}

}  // namespace

int main(int count, char** words) {
  const char* const scenario = count > 1 ? words[1] : "nested";
  const struct {
    const char* name;
    void (*run)();
  } scenarios[] = {
      {"nested", nested}, {"threads", threads}, {"forks", forks}, {"late", late}, {"pages", pages}};
  if (std::strcmp(scenario, "late") != 0) fake_sde_start();
  for (const auto& each : scenarios)
    if (std::strcmp(each.name, scenario) == 0) {
      each.run();
      std::puts("ran");
      return 7;
    }
  return 1;
}
