#include "analysis/record/resident_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "catch.hpp"

namespace roofmark {
namespace {

constexpr const char* rollup =
    "55d0c0a00000-7ffd0000 ---p 00000000 00:00 0                              [rollup]\n"
    "Rss:              500000 kB\n"
    "Pss_Anon:         399000 kB\n"
    "Pss_Shmem:         10000 kB\n"
    "Anonymous:        400000 kB\n"
    "AnonHugePages:    204800 kB\n"
    "ShmemPmdMapped:     4096 kB\n"
    "FilePmdMapped:      2048 kB\n"
    "Shared_Hugetlb:        0 kB\n"
    "Private_Hugetlb:    2048 kB\n";

TEST_CASE("resident pages are anonymous, shared and reserved memory, not files") {
  const auto pages = parse_resident_pages(rollup);
  REQUIRE(pages);
  CHECK(pages->bytes == std::uint64_t{400000 + 10000 + 2048} * 1024);
  CHECK(pages->large_bytes == std::uint64_t{204800 + 4096 + 2048} * 1024);
}

TEST_CASE("a text without the fields says nothing, one without large pages says none") {
  CHECK_FALSE(parse_resident_pages(""));
  CHECK_FALSE(parse_resident_pages("Anonymous: 5 kB\n"));  // no line of its own before it
  const auto pages = parse_resident_pages("[rollup]\nAnonymous: 8 kB\n");
  REQUIRE(pages);
  CHECK(pages->bytes == 8192);
  CHECK(pages->large_bytes == 0);
  const auto odd = parse_resident_pages("[rollup]\nAnonymous: x\nAnonHugePages: 4 kB\n");
  REQUIRE(odd);
  CHECK(odd->large_bytes <= odd->bytes);
}

TEST_CASE("memory in small pages is seen as such") {
  const auto before = resident_pages(getpid());
  if (!before) {
    WARN("skipped: this kernel has no /proc/PID/smaps_rollup");
    return;
  }
  constexpr std::size_t bytes = std::size_t{64} << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  std::memset(memory, 1, bytes);
  const auto after = resident_pages(getpid());
  munmap(memory, bytes);
  REQUIRE(after);
  CHECK(after->bytes >= before->bytes + bytes);
  CHECK(after->bytes - after->large_bytes >= bytes);
  CHECK_FALSE(resident_pages(-1));
}

}  // namespace
}  // namespace roofmark
