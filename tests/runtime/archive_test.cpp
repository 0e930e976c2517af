// A static program on the emulator: whoever asks first changes the table, nobody after that.
#include <roofmark/roofmark.h>

#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"

namespace {

int times_changed = 0;  // plain, so that ThreadSanitizer sees two at once
std::atomic<int> entered{0};

roofmark_token counted_enter(roofmark_site*) {
  ++entered;
  return {nullptr, 0};
}

}  // namespace

extern "C" int roofmark_count_instead(roofmark_api* table) {
  ++times_changed;
  table->enter = counted_enter;
  return 1;
}

TEST_CASE("threads that look for the runtime at once find one table, changed once") {
  constexpr int threads = 8;
  // The header's declaration is const: loads of it may be moved before the call that changes it.
  static const roofmark_api* volatile table = &roofmark_api_v1;
  std::vector<std::thread> team;
  for (int i = 0; i < threads; ++i)
    team.emplace_back([] {
      static roofmark_site site = {"region", 6, 0, {nullptr, nullptr}};
      // As each source file does it for itself.
      if (table->connect() != 0) (void)table->enter(&site);
    });
  for (std::thread& member : team) member.join();
  CHECK(table->connect() == 1);
  CHECK(entered == threads);
  CHECK(times_changed == 1);
}
