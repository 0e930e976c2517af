// Files that somebody keeps, under everything that file systems do.
#include "analysis/files/write_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "../record/support.hpp"
#include "catch.hpp"
#include "tests/support/in_child.hpp"

using namespace roofmark;
using roofmark::test::in_child;
using roofmark::test::read_text;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;
namespace fs = std::filesystem;

namespace {

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a new file gets the mode that the umask leaves, a replaced one keeps its own") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  const mode_t before = umask(027);
  CHECK_FALSE(write_file(file, "one"));
  umask(before);
  CHECK(mode_of(file) == 0640);
  for (const mode_t mode : {0600, 0664, 0755}) {
    REQUIRE(chmod(file.c_str(), mode) == 0);
    CHECK_FALSE(write_file(file, std::to_string(mode)));
    CHECK(mode_of(file) == mode);
    CHECK(read_text(file) == std::to_string(mode));
  }
  CHECK(entries(base.path()) == 1);
}

TEST_CASE("a link stays one, wherever it leads") {
  const TemporaryDirectory base;
  fs::create_directory(base.path() / "elsewhere");
  const fs::path file = base.path() / "elsewhere" / "file";
  fs::create_symlink("elsewhere/file", base.path() / "relative");
  fs::create_symlink(file, base.path() / "absolute");
  fs::create_symlink("relative", base.path() / "chain");
  // The first of them leads nowhere yet.
  for (const char* link : {"relative", "absolute", "chain"}) {
    CHECK_FALSE(write_file(base.path() / link, link));
    CHECK(fs::is_symlink(base.path() / link));
    CHECK(read_text(file) == link);
  }
  CHECK(entries(base.path()) == 4);
  CHECK(entries(base.path() / "elsewhere") == 1);
  fs::create_symlink("circle", base.path() / "circle");
  CHECK(write_file(base.path() / "circle", "x"));
  CHECK(fs::is_symlink(base.path() / "circle"));
}

TEST_CASE("a name as long as names can be") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / std::string(255, 'n');
  CHECK_FALSE(write_file(file, "one"));
  CHECK_FALSE(write_file(file, "two"));
  CHECK(read_text(file) == "two");
}

TEST_CASE("where there is no room, the old file stays and nothing else") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  write_text(file, "old");
  const int status = in_child([&] {
    const rlimit little{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &little);
    signal(SIGXFSZ, SIG_IGN);
    const auto problem = write_file(file, std::string(100000, 'x'));
    return problem && problem->reason == "File too large" && !problem->remedy.empty() ? 0 : 1;
  });
  CHECK(status == 0);
  CHECK(read_text(file) == "old");
  CHECK(entries(base.path()) == 1);
}

TEST_CASE("a process that is killed while it writes leaves the old file, and nothing for long") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  write_text(file, "old");
  const int status = in_child([&] {
    const rlimit little{1000, 1000}, no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &little);
    signal(SIGXFSZ, SIG_DFL);  // kills in the middle of the write
    write_file(file, std::string(100000, 'x'));
    return 0;
  });
  CHECK(status == 128 + SIGXFSZ);
  CHECK(read_text(file) == "old");
  // Where the file system has no files without a name, the next one clears up.
  CHECK_FALSE(write_file(file, "new"));
  CHECK(read_text(file) == "new");
  CHECK(entries(base.path()) == 1);
}

TEST_CASE("a file that may not be written is not replaced") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  write_text(file, "old");
  chmod(file.c_str(), 0444);
  chmod(base.path().c_str(), 0777);
  const int status = in_child([&] {
    // Root may write everything.
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 2;
    const auto problem = write_file(file, "new");
    return problem && problem->reason == "Permission denied" ? 0 : 1;
  });
  if (status == 2)
    std::cerr << "skipped: this user can't become another one\n";
  else
    CHECK(status == 0);
  CHECK(read_text(file) == "old");
  CHECK(entries(base.path()) == 1);
}

TEST_CASE("pipes and devices are written to as they are") {
  const TemporaryDirectory base;
  CHECK_FALSE(write_file("/dev/null", "gone"));
  const auto full = write_file("/dev/full", "x");
  REQUIRE(full);
  CHECK(full->reason == "No space left on device");
  CHECK(full->where == "/dev/full");
  CHECK(write_file(base.path(), "a directory"));
  CHECK(write_file("/nowhere/file", "x"));

  const fs::path pipe = base.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read_text(pipe); });
  CHECK_FALSE(write_file(pipe, "through a pipe"));
  reader.join();
  CHECK(got == "through a pipe");
  CHECK(fs::is_fifo(pipe));

  // A reader that goes away without reading all: an error, and the signal kills nobody.
  std::thread gone([&] { close(open(pipe.c_str(), O_RDONLY | O_CLOEXEC)); });
  const auto broken = write_file(pipe, std::string(std::size_t{1} << 22, 'x'));
  gone.join();
  REQUIRE(broken);
  CHECK(broken->reason == "Broken pipe");
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  CHECK(sigismember(&blocked, SIGPIPE) == 0);
}
