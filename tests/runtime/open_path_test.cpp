// What the runtime tells a plug-in of the regions that are open in the calling thread.
#include "libprofiler/target/runtime/runtime_table.h"

#include <stdlib.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <roofmark/roofmark.hpp>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

namespace fs = std::filesystem;

namespace {

/// The header declares no more than the part that it knows of: read as one who looked it up.
const roofmark_runtime_table& table() {
  static const void* volatile found = &roofmark_api_v1;
  return *static_cast<const roofmark_runtime_table*>(found);
}

struct Recording {
  Recording() {
    std::string name = (fs::temp_directory_path() / "roofmark-path-XXXXXX").string();
    path = mkdtemp(name.data());
    setenv("ROOFMARK_RECORDING", path.c_str(), 1);
  }
  ~Recording() { fs::remove_all(path); }
  std::string path;
};

using Path = std::vector<std::string>;

Path path_now(const void*& identity) {
  char bytes[4096];
  const std::size_t length = table().open_path(&identity, bytes, sizeof bytes);
  Path path;
  if (length > sizeof bytes) return {"neither new nor the same"};
  for (std::size_t at = 0; at < length;) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes + at, sizeof size);
    path.emplace_back(bytes + at + sizeof size, size);
    at += sizeof size + size;
  }
  return path;
}
Path path_now() {
  const void* unknown = nullptr;
  return path_now(unknown);
}

}  // namespace

TEST_CASE("the table tells the open regions of a thread, and those of its creator") {
  REQUIRE(table().markers.size == sizeof(roofmark_runtime_table));
  CHECK(path_now().empty());  // nothing is recorded yet
  // Kept to the end: threads of later tests need room in it.
  static const Recording recording;
  REQUIRE(roofmark::attach());
  CHECK(path_now().empty());
  ROOFMARK_SCOPE("outer");
  CHECK(path_now() == Path{"outer"});
  {
    const std::string odd("in\0ner", 6);
    roofmark::Scope inner(odd.c_str());
    roofmark::Scope innermost(std::string(3000, 'x').c_str());
    const void* identity = nullptr;
    CHECK(path_now(identity) == Path{"outer", "in", std::string(3000, 'x')});
    // The same place: nothing is written.
    char none[1] = {'?'};
    CHECK(table().open_path(&identity, none, 0) == ROOFMARK_SAME_PATH);
    CHECK(none[0] == '?');
    // No room: nothing at all rather than a part.
    char few[3000];
    const void* unknown = nullptr;
    const std::size_t needed = 3 * sizeof(std::uint32_t) + 5 + 2 + 3000;
    CHECK(table().open_path(&unknown, few, sizeof few) == needed);
    CHECK(unknown == nullptr);
    CHECK(table().open_path(&unknown, nullptr, 0) == needed);
  }
  CHECK(path_now() == Path{"outer"});
  std::thread([] {
    CHECK(path_now() == Path{"outer"});
    ROOFMARK_SCOPE("work");
    CHECK(path_now() == Path{"outer", "work"});
  }).join();
  std::thread([] {
    roofmark::detach_thread();
    CHECK(path_now().empty());
  }).join();
}

TEST_CASE("threads ask for their paths while others come and go") {
  setenv("ROOFMARK_RECORDING", fs::temp_directory_path().c_str(), 0);
  REQUIRE(roofmark::attach());
  std::atomic<int> wrong{0};  // the test library is for one thread
  for (int round = 0; round < 5; ++round) {
    ROOFMARK_SCOPE("round");
    std::vector<std::thread> team;
    for (int member = 0; member < 4; ++member)
      team.emplace_back([member, &wrong] {
        const std::string name = "member" + std::to_string(member);
        for (int i = 0; i < 200; ++i) {
          roofmark::Scope scope(name.c_str());
          const void* identity = nullptr;
          const Path path = path_now(identity);
          if (path.empty() || path.back() != name) ++wrong;
          char none[1];
          if (table().open_path(&identity, none, 0) != ROOFMARK_SAME_PATH) ++wrong;
        }
      });
    for (std::thread& member : team) member.join();
  }
  CHECK(wrong == 0);
}
