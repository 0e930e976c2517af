// A disk that is full is named where something could not be written.
#include "analysis/files/full_disk.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "../record/support.hpp"
#include "catch.hpp"
#include "tests/support/in_child.hpp"
#include "tests/support/small_disk.hpp"

using namespace roofmark;
using roofmark::test::in_child;
using roofmark::test::mount_small_disk;
using roofmark::test::TemporaryDirectory;

namespace {

constexpr int not_allowed = 77;

/// Writes until there is no room.
void fill(const std::string& file) {
  const int open_file = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::vector<char> block(4096, 'x');
  while (write(open_file, block.data(), block.size()) > 0) {
  }
  close(open_file);
}

void check_ends_well(int status) {
  if (status == not_allowed)
    WARN("skipped: no file system may be mounted here, not even in a user namespace");
  else
    CHECK(status == 0);
}

}  // namespace

TEST_CASE("a disk with room is not named") {
  const TemporaryDirectory base;
  CHECK_FALSE(full_disk(base.path()));
  CHECK_FALSE(full_disk("/nowhere"));
  CHECK_FALSE(full_disk("/proc"));  // tells of no sizes
}

TEST_CASE("a full disk is named by where it is mounted") {
  const TemporaryDirectory base;
  check_ends_well(in_child([&] {
    if (!mount_small_disk(base.path().string(), "size=256k")) return not_allowed;
    std::filesystem::create_directories(base.path() / "scratch" / "counts");
    if (full_disk(base.path() / "scratch")) return 1;
    fill((base.path() / "scratch" / "full").string());
    const auto full = full_disk(base.path() / "scratch" / "counts");
    if (!full ||
        full->reason != "the disk of " + base.path().string() + " is full (0 KiB are free)")
      return 2;
    if (full->remedy != "make room there, or set TMPDIR to another disk") return 3;
    std::filesystem::remove(base.path() / "scratch" / "full");
    return full_disk(base.path()) ? 4 : 0;
  }));
}

TEST_CASE("a disk on which no file can be made is named") {
  const TemporaryDirectory base;
  check_ends_well(in_child([&] {
    if (!mount_small_disk(base.path().string(), "size=10m,nr_inodes=8")) return not_allowed;
    for (int i = 0; i < 20; ++i) std::ofstream(base.path() / std::to_string(i)) << "";
    const auto full = full_disk(base.path());
    return full && full->reason ==
                       "the disk of " + base.path().string() + " has room for no more files"
               ? 0
               : 1;
  }));
}
