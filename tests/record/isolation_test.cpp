// The second run's view of the files and of stdin.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/record/overlay.hpp>
#include <analysis/record/stdin_capture.hpp>
#include <functional>
#include <iostream>

#include "catch.hpp"
#include "support.hpp"
#include "tests/support/in_child.hpp"

using namespace roofmark;
using roofmark::test::in_child;
using roofmark::test::read_text;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;
namespace fs = std::filesystem;

namespace {

constexpr int no_overlay = 99;

/// Changes every kind of thing below the working directory and in `shared`.
int change_everything(const fs::path& shared, bool as_nobody) {
  if (as_nobody && (setgid(65534) != 0 || setuid(65534) != 0)) return no_overlay;
  // Changing the user made /proc/self root's; a process that starts as this user has its own.
  prctl(PR_SET_DUMPABLE, 1);
  const std::string problem = enter_overlay({{shared}});
  if (!problem.empty()) {
    std::cerr << problem << '\n';
    return no_overlay;
  }
  const fs::path here = fs::current_path();
  write_text("written", "by the second run");
  write_text("new", "by the second run");
  fs::remove("removed");
  fs::rename("moved", "elsewhere");
  write_text(shared / "kept", "by the second run");
  const bool seen = read_text("written") == "by the second run" && !fs::exists("removed") &&
                    fs::exists(here / "elsewhere") && fs::exists("/proc/self/exe") &&
                    fs::exists("/dev/null");
  return seen ? 0 : 1;
}

void check_isolation(bool as_nobody) {
  const TemporaryDirectory base, shared;
  for (const char* name : {"written", "removed", "moved"}) write_text(base.path() / name, "first");
  if (as_nobody)
    for (const fs::path& path : {base.path(), shared.path(), base.path() / "written",
                                 base.path() / "removed", base.path() / "moved"})
      REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
  const int status = in_child([&] {
    if (chdir(base.path().c_str()) != 0) return 2;
    return change_everything(shared.path(), as_nobody);
  });
  if (status == no_overlay) {
    std::cerr << "skipped: this system refuses the overlay\n";
    return;
  }
  CHECK(status == 0);
  for (const char* name : {"written", "removed", "moved"})
    CHECK(read_text(base.path() / name) == "first");
  CHECK_FALSE(fs::exists(base.path() / "new"));
  CHECK_FALSE(fs::exists(base.path() / "elsewhere"));
  CHECK(read_text(shared.path() / "kept") == "by the second run");
}

/// Whether the changes lie on `directory`, which shows as a mount where no new root is needed.
bool changes_lie_on(const fs::path& directory) {
  return read_text("/proc/self/mountinfo").find(" " + directory.string() + " ") !=
         std::string::npos;
}

/// Descriptor 0 replaced for the length of a test.
class Input {
 public:
  explicit Input(int fd) : saved_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10)) {
    if (fd >= 0) {
      dup2(fd, STDIN_FILENO);
      ::close(fd);
    } else {
      ::close(STDIN_FILENO);
    }
  }
  ~Input() {
    dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

std::string read_all(int fd) {
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

std::string replayed(const StdinCapture& capture) {
  const auto fd = capture.replay();
  REQUIRE(fd);
  return read_all(fd->get());
}

/// A pipe that holds `text` (which must fit) and is closed.
int pipe_with(const std::string& text) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  return ends[0];
}

/// What a target reads that takes `bytes` bytes and ends.
std::string run_target(StdinCapture& capture, std::size_t bytes) {
  const int fd = dup(capture.target_descriptor());
  capture.target_started();
  std::string text(bytes, '\0');
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t more = read(fd, text.data() + got, bytes - got);
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  close(fd);
  capture.stop();
  text.resize(got);
  return text;
}

}  // namespace

TEST_CASE("what the second run does to files is gone with it") {
  check_isolation(false);
}

TEST_CASE("an ordinary user's second run is private too") {
  if (geteuid() != 0) return;  // then the test above was this one
  check_isolation(true);
}

TEST_CASE("the changes lie in TMPDIR, and what was there is still seen") {
  for (const bool as_nobody : {false, true}) {
    const TemporaryDirectory base, shared;
    const fs::path temporary = base.path() / "temporary";
    fs::create_directory(temporary);
    write_text(temporary / "file", "was there");
    for (const fs::path& path : {base.path(), shared.path(), temporary, temporary / "file"})
      if (as_nobody) REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
    const int status = in_child([&] {
      if (as_nobody && (setgid(65534) != 0 || setuid(65534) != 0)) return no_overlay;
      prctl(PR_SET_DUMPABLE, 1);
      // The first is no directory: the next one is taken.
      setenv("TMPDIR", (as_nobody ? temporary : temporary / "absent").c_str(), 1);
      if (chdir(base.path().c_str()) != 0) return 2;
      if (!enter_overlay({{shared.path()}}).empty()) return no_overlay;
      if (as_nobody && !changes_lie_on(temporary)) return 3;
      const bool seen = read_text(temporary / "file") == "was there";
      write_text(temporary / "file", "by the second run");
      return seen && read_text(temporary / "file") == "by the second run" ? 0 : 4;
    });
    if (status == no_overlay) {
      std::cerr << "skipped: this system refuses the overlay\n";
      continue;
    }
    CHECK(status == 0);
    CHECK(read_text(temporary / "file") == "was there");
    CHECK(fs::exists(temporary));
  }
}

TEST_CASE("a trial says whether an overlay can be had and leaves nothing behind") {
  const TemporaryDirectory shared;
  const OverlayTrial trial = try_overlay({{shared.path()}});
  if (trial.refused)
    CHECK_FALSE(trial.refused->reason.empty());
  else
    CHECK(trial.exposed.empty());
  CHECK(fs::is_empty(shared.path()));
  const OverlayTrial refused = try_overlay({{"/nowhere/to/be/shared"}});
  REQUIRE(refused.refused);
}

TEST_CASE("a pipe is passed on to the target and replayed") {
  const TemporaryDirectory base;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i) + '\0';
  const Input input(pipe_with(text));
  StdinCapture capture(base.path(), 1 << 20);
  REQUIRE(capture.target_descriptor() >= 0);
  CHECK(run_target(capture, text.size() + 1) == text);
  CHECK(replayed(capture) == text);
  CHECK(replayed(capture) == text);
}

TEST_CASE("a target that reads only a part, or nothing, does not block the recorder") {
  const TemporaryDirectory base;
  int ends[2];
  REQUIRE(pipe(ends) == 0);  // the writing end stays open: more might come
  REQUIRE(write(ends[1], "abcdef", 6) == 6);
  {
    const Input input(ends[0]);
    StdinCapture capture(base.path(), 1 << 20);
    CHECK(run_target(capture, 3) == "abc");
    CHECK(replayed(capture).substr(0, 3) == "abc");
  }
  close(ends[1]);
}

TEST_CASE("input beyond the bound reaches the target, and the second run is refused") {
  const TemporaryDirectory base;
  const std::string text(10000, 'x');
  const Input input(pipe_with(text));
  StdinCapture capture(base.path(), 100);
  CHECK(run_target(capture, text.size() + 1) == text);
  REQUIRE_FALSE(capture.replay());
  CHECK(capture.replay().error().reason.find("longer than 100") != std::string::npos);
}

TEST_CASE("a file is read again from where it stood") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "input";
  write_text(file, "0123456789");
  const int fd = open(file.c_str(), O_RDONLY);
  REQUIRE(lseek(fd, 4, SEEK_SET) == 4);
  const Input input(fd);
  StdinCapture capture(base.path(), 1 << 20);
  CHECK(capture.target_descriptor() == -1);
  CHECK(read_all(STDIN_FILENO) == "456789");
  CHECK(replayed(capture) == "456789");
}

TEST_CASE("a closed stdin is left closed, and read as empty by the second run") {
  const TemporaryDirectory base;
  const Input input(-1);
  StdinCapture capture(base.path(), 1 << 20);
  CHECK(capture.target_descriptor() == -1);
  capture.target_started();
  capture.stop();
  CHECK(replayed(capture).empty());
}
