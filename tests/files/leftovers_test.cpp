// What a killed process left behind goes, and nothing else.
#include "analysis/files/leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <analysis/record/scratch.hpp>
#include <iostream>
#include <set>

#include "../record/support.hpp"
#include "analysis/files/descriptor.hpp"
#include "catch.hpp"
#include "in_child.hpp"

using namespace roofmark;
using roofmark::test::in_child;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;
namespace fs = std::filesystem;

namespace {

std::set<std::string> names(const fs::path& directory) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory))
    found.insert(entry.path().filename().string());
  return found;
}

fs::path make_tree(const fs::path& top) {
  fs::create_directories(top / "one" / "two" / "three");
  for (const fs::path& place : {top, top / "one", top / "one" / "two" / "three"})
    for (const char* name : {"a", "b"}) write_text(place / name, "x");
  return top;
}

}  // namespace

TEST_CASE("leftovers of a name go with all they hold; what is held or named otherwise stays") {
  const TemporaryDirectory base;
  make_tree(base.path() / "left-1.tmp");
  write_text(base.path() / "left-2.tmp", "x");
  write_text(base.path() / "left-.tmp", "the prefix and the suffix alone");
  write_text(base.path() / "left-3", "no suffix");
  write_text(base.path() / "other.tmp", "no prefix");
  make_tree(base.path() / "elsewhere");
  fs::create_directory_symlink("elsewhere", base.path() / "left-4.tmp");
  const fs::path held = make_tree(base.path() / "left-5.tmp");
  Descriptor lock(open(held.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(hold(lock.get(), held));

  remove_leftovers(base.path(), "left-", ".tmp");
  CHECK(names(base.path()) == std::set<std::string>{"left-.tmp", "left-3", "other.tmp", "elsewhere",
                                                    "left-4.tmp", "left-5.tmp"});
  CHECK(fs::exists(held / "one" / "two" / "three" / "b"));
  CHECK(fs::exists(base.path() / "elsewhere" / "a"));
  lock.close();
  remove_leftovers(base.path(), "left-", ".tmp");
  CHECK_FALSE(fs::exists(held));
  remove_leftovers("/nowhere", "left-", ".tmp");
}

TEST_CASE("what was removed before it was locked is not held") {
  const TemporaryDirectory base;
  const fs::path path = base.path() / "left-1.tmp";
  write_text(path, "x");
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  remove_leftovers(base.path(), "left-", ".tmp");
  CHECK_FALSE(hold(file.get(), path));
  write_text(path, "another one's");
  CHECK_FALSE(hold(file.get(), path));
}

TEST_CASE("another user's files are left alone") {
  const TemporaryDirectory base;
  const fs::path path = base.path() / "left-1.tmp";
  write_text(path, "x");
  if (geteuid() != 0 || chown(path.c_str(), 65534, 65534) != 0) {
    std::cerr << "skipped: this user can't give a file away\n";
    return;
  }
  remove_leftovers(base.path(), "left-", ".tmp");
  CHECK(fs::exists(path));
}

TEST_CASE("a tree goes where a single descriptor is to be had") {
  const TemporaryDirectory base;
  const fs::path tree = make_tree(base.path() / "tree");
  in_child([&] {
    const int next = dup(STDERR_FILENO);
    const rlimit one{static_cast<rlim_t>(next) + 1, static_cast<rlim_t>(next) + 1};
    close(next);
    setrlimit(RLIMIT_NOFILE, &one);
    remove_tree(tree);
    return 0;
  });
  CHECK_FALSE(fs::exists(tree));
}

TEST_CASE(
    "the next recording removes the scratch directory of a killed one, not that of a live one") {
  const TemporaryDirectory base;
  const auto alive = Scratch::create({base.path()});
  REQUIRE(alive);
  const int end = in_child([&] {
    const auto killed = Scratch::create({base.path()});
    if (killed) make_tree(killed->path() / "arenas");
    return kill(getpid(), SIGKILL);
  });
  REQUIRE(end == 128 + SIGKILL);
  CHECK(names(base.path()).size() == 2);
  {
    // Also where it is not the candidate that is chosen.
    const TemporaryDirectory chosen;
    const auto next = Scratch::create({chosen.path(), base.path()});
    REQUIRE(next);
    CHECK(next->path().parent_path() == chosen.path());
    CHECK(names(base.path()) == std::set<std::string>{alive->path().filename().string()});
  }
}
