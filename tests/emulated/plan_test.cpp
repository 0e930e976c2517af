// What a counted pass is started with, and what is said of one that left nothing.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <collectors/emulated/plan.hpp>

#include <algorithm>
#include <csignal>

#include "../record/support.hpp"
#include "catch.hpp"
#include "in_child.hpp"
#include "small_disk.hpp"

using namespace roofmark;
using roofmark::test::in_child;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;
namespace fs = std::filesystem;

namespace {

/// The files that planning looks for, and a program.
struct Installed {
  TemporaryDirectory base;
  emulated::Install install{base.path(), base.path()};
  Installed() {
    for (const char* name :
         {"roofmark-emulator", "roofmark-emulator-amd64-linux", "libroofmark-counted.so"}) {
      write_text(base.path() / name, "");
      chmod((base.path() / name).c_str(), 0755);
    }
  }
};

bool has_option(const emulated::CountedCommand& command, const std::string& start) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [&](const std::string& word) { return word.starts_with(start); });
}

}  // namespace

TEST_CASE("a list of hot paths that can't be written costs their precedence and no more") {
  const Installed files;
  if (emulated::unavailable(files.install)) return;  // another architecture
  emulated::PassOptions options;
  options.caches = emulated::Caches::none;
  options.hot_paths = {{"solve", "spmv"}};
  const auto served = emulated::plan(files.install, {"true"}, files.base.path(), options);
  REQUIRE(served);
  CHECK(served->serves_hot_paths);
  CHECK(has_option(*served, "--hot="));

  fs::remove(files.base.path() / "hot-paths");
  fs::create_directory(files.base.path() / "hot-paths");
  const auto plain = emulated::plan(files.install, {"true"}, files.base.path(), options);
  REQUIRE(plain);
  CHECK_FALSE(plain->serves_hot_paths);
  CHECK_FALSE(has_option(*plain, "--hot="));
  REQUIRE(plain->notes.size() == served->notes.size() + 1);
  CHECK(plain->notes.back().find("could not be written") != std::string::npos);
}

TEST_CASE("what an inspection has found is not looked for again") {
  const Installed files;
  if (emulated::unavailable(files.install)) return;
  emulated::PassOptions options;
  options.caches = emulated::Caches::none;
  emulated::Executable found;
  found.path = "/somewhere/program";
  found.machine = "x86-64";
  found.gains_rights = "the set-user-ID bit";
  options.executable = &found;
  // What stands there itself has no such bit.
  const auto planned = emulated::plan(files.install, {"true"}, files.base.path(), options);
  REQUIRE_FALSE(planned);
  CHECK(planned.error().where == "/somewhere/program");
  CHECK(planned.error().reason.find("set-user-ID") != std::string::npos);
}

TEST_CASE("counts that were not written have the reason that the log shows") {
  const TemporaryDirectory output;
  const fs::path counts = output.path() / "counts-17-0.jsonl";
  const fs::path log = output.path() / "emulator-17.log";
  write_text(counts, "");
  CHECK_FALSE(unwritten(counts));
  write_text(output.path() / "emulator-170.log", "roofmark: can't write elsewhere\n");
  write_text(log, "==17== something else\n");
  CHECK_FALSE(unwritten(counts));
  CHECK(read_counts_of_pass(output.path()).problems.at(0).reason.find("killed") !=
        std::string::npos);

  write_text(log, "==17== roofmark: can't write " + counts.string() + ".part\n");
  REQUIRE(unwritten(counts));
  CHECK(unwritten(counts)->reason.find("root directory") != std::string::npos);
  CHECK(unwritten(counts)->where == "counted process 17");
  write_text(log, "==17== roofmark: can't write all of " + counts.string() + "\n");
  REQUIRE(unwritten(counts));
  CHECK(unwritten(counts)->reason.find("room") != std::string::npos);

  // The one reason, and no scratch directory in it.
  const CountsOfPass pass = read_counts_of_pass(output.path());
  REQUIRE(pass.problems.size() == 1);
  CHECK(to_line(pass.problems[0]).find(output.path().string()) == std::string::npos);
}

TEST_CASE("an instruction that can't be emulated is shown with its place") {
  const TemporaryDirectory output;
  const auto reason_of = [&](const std::string& log) {
    write_text(output.path() / "emulator-7.log", log);
    const auto problem = emulated::diagnose(output.path(), SIGILL);
    return problem ? problem->reason : "";
  };
  const std::string died = "==7== Process terminating with default action of signal 4 (SIGILL)\n";
  const std::string bytes =
      "vex amd64->IR: unhandled instruction bytes: 0xF 0x38 0xC9 0xD1 0x48 "
      "0x8D 0x5 0x60 0x2D 0x0\n";
  const std::string what = "the program executes an instruction that can't be emulated";
  CHECK(reason_of(bytes + "==7== valgrind: Unrecognised instruction at address 0x1092d5.\n" +
                  "==7==    at 0x1092D5: hash (in /home/me/program)\n" + died) ==
        what + " (0F 38 C9 D1 48 8D 05 60, at hash in /home/me/program)");
  CHECK(reason_of(bytes + died) == what + " (0F 38 C9 D1 48 8D 05 60)");
  CHECK(reason_of("unhandled instruction bytes: nothing\n" + died) == what);
  CHECK(reason_of("unhandled instruction bytes: 0x62 0xF1\n" + died).find("AVX-512") !=
        std::string::npos);
  CHECK(reason_of(bytes).empty());  // it went on
}

TEST_CASE("a pass without counts says how it ended, and which limit was in the way") {
  const TemporaryDirectory output;
  const Problem left = emulated::no_counts(output.path(), 3 << 8);
  CHECK(left.reason.find("status 3") != std::string::npos);
  CHECK(emulated::no_counts(output.path(), SIGSEGV).reason.find("Segmentation fault") !=
        std::string::npos);

  const Problem other = emulated::other_end(output.path(), 134, 0);
  CHECK(other.reason.find("status 134, the timed run with 0") != std::string::npos);
  CHECK(other.remedy == "make the program take the same path in both runs");

  write_text(output.path() / "emulator-17.log", "==17== Valgrind cannot continue\n");
  REQUIRE(emulated::diagnose(output.path(), 1 << 8));
  CHECK(emulated::diagnose(output.path(), 1 << 8)->remedy == "count a smaller case");
  const int said = in_child([&] {
    const rlimit little{rlim_t{1} << 46, rlim_t{1} << 46};
    setrlimit(RLIMIT_AS, &little);
    const bool named =
        emulated::diagnose(output.path(), 1 << 8)->remedy == "ulimit -v unlimited" &&
        emulated::no_counts(output.path(), SIGSEGV).remedy == "ulimit -v unlimited" &&
        emulated::other_end(output.path(), 134, 0).remedy == "ulimit -v unlimited";
    return named ? 0 : 1;
  });
  CHECK(said == 0);
}

TEST_CASE("a full disk is the reason why counts are missing, wherever that is told") {
  const TemporaryDirectory output;
  const int said = in_child([&] {
    constexpr int not_allowed = 77;
    if (!test::mount_small_disk(output.path().string(), "size=64k")) return not_allowed;
    const auto empty = output.path() / "counts-17-0.jsonl",
               cut = output.path() / "counts-18-0.jsonl";
    write_text(empty, "");
    write_text(cut, "{\"schema\": ");
    write_text(output.path() / "emulator-17.log",
               "==17== roofmark: can't write all of " + empty.string() + "\n");
    const auto named = [&] {
      const std::string full = "the disk of " + output.path().string() + " is full";
      const auto is = [&](const Problem& problem, const std::string& before) {
        return problem.reason.find(before) == 0 && problem.reason.find(full) != std::string::npos &&
               problem.remedy == "make room there, or set TMPDIR to another disk";
      };
      return is(emulated::no_counts(output.path(), SIGSEGV), "the counted run left no counts") &&
             is(emulated::other_end(output.path(), 134, 0),
                "the counted run ended with status 134") &&
             is(read_counts(empty).error(), "the process left no counts") &&
             is(read_counts(cut).error(), "the counts end early") &&
             is(*unwritten(empty), "there was no room for all of its counts");
    };
    return named() ? 0 : 1;  // less is left than a buffer: three files of one page each, of 64 KiB
  });
  if (said == 77)
    WARN("skipped: no file system may be mounted here, not even in a user namespace");
  else
    CHECK(said == 0);
}

TEST_CASE("processes that fill the last cache together have a part of it each") {
  const auto shape = [](std::uint64_t l3_bytes) {
    return emulated::Geometry{
        {{"L1", 48U << 10U, 12, 64}, {"L2", 2U << 20U, 16, 64}, {"L3", l3_bytes, 16, 64}}, "test"};
  };
  emulated::Geometry alone = shape(32U << 20U);
  emulated::divide_last_cache(alone, 1);
  CHECK(alone.levels.back().bytes == 32U << 20U);
  CHECK(alone.reduced.empty());

  emulated::Geometry divided = shape(32U << 20U);
  emulated::divide_last_cache(divided, 4);
  CHECK(divided.levels[0].bytes == 48U << 10U);
  CHECK(divided.levels[1].bytes == 2U << 20U);
  CHECK(divided.levels[2].bytes == 8U << 20U);
  CHECK(divided.reduced.at("L3") == "L3 of 8 MiB (32 MiB among 4 processes)");

  // What was reported before a pointer chase found less stays named.
  emulated::Geometry usable = shape(8U << 20U);
  usable.reported_bytes["L3"] = 32U << 20U;
  usable.reduced["L3"] = "L3 of 8 MiB (32 MiB reported)";
  emulated::divide_last_cache(usable, 2);
  CHECK(usable.reduced.at("L3") == "L3 of 4 MiB (8 MiB among 2 processes, 32 MiB reported)");

  // A size that is a multiple of nothing stays one that can be simulated; one set is the least.
  emulated::Geometry odd = shape(21U << 20U);
  emulated::divide_last_cache(odd, 10);
  CHECK(odd.levels[2].bytes % (std::uint64_t{16} * 16 * 64) == 0);
  emulated::Geometry tiny = shape(1U << 20U);
  emulated::divide_last_cache(tiny, 1U << 20U);
  CHECK(tiny.levels[2].bytes >= 64U * 16U);

  emulated::Geometry without{{{"L1", 48U << 10U, 12, 64}, {"L2", 2U << 20U, 16, 64}}, "test"};
  emulated::divide_last_cache(without, 4);
  CHECK(without.levels.back().bytes == 2U << 20U);
}
