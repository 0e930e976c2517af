// Where recordings and profiles go.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <analysis/record/install_paths.hpp>
#include <analysis/record/mounts.hpp>
#include <analysis/record/output_file.hpp>
#include <analysis/record/scratch.hpp>
#include <iostream>

#include "catch.hpp"
#include "environment.hpp"
#include "support.hpp"

using namespace roofmark;
using roofmark::test::Environment;
using roofmark::test::read_text;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;
namespace fs = std::filesystem;

TEST_CASE("a scratch directory is private and goes with all that it holds") {
  const TemporaryDirectory base;
  fs::path path;
  {
    auto scratch = Scratch::create({base.path()});
    REQUIRE(scratch);
    path = scratch->path();
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    CHECK(path.is_absolute());
    const auto inner = scratch->subdirectory("arenas");
    REQUIRE(inner);
    write_text(*inner / "file", "x");
    CHECK_FALSE(scratch->subdirectory("arenas"));
  }
  CHECK_FALSE(fs::exists(path));
  CHECK(fs::is_empty(base.path()));
}

TEST_CASE("a candidate that can't be used gives way to the next") {
  const TemporaryDirectory base;
  write_text(base.path() / "file", "");
  const auto scratch = Scratch::create({base.path() / "absent", base.path() / "file", base.path()});
  REQUIRE(scratch);
  CHECK(scratch->path().parent_path() == base.path());
}

TEST_CASE("without any candidate the reasons of all are told") {
  const auto scratch = Scratch::create({"/nowhere/at/all", "/proc"});
  REQUIRE_FALSE(scratch);
  CHECK(scratch.error().reason.find("/nowhere/at/all (No such file or directory)") !=
        std::string::npos);
  CHECK(scratch.error().reason.find("/proc (") != std::string::npos);
  CHECK(scratch.error().remedy.find("TMPDIR") != std::string::npos);
}

TEST_CASE("a full file system gives way to the next candidate") {
  const TemporaryDirectory base;
  const fs::path small = base.path() / "small";
  fs::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=1m") != 0) {
    std::cerr << "skipped: no tmpfs can be mounted here (needs root)\n";
    return;
  }
  {
    const auto scratch = Scratch::create({small, base.path()});
    CHECK(scratch);
    if (scratch) CHECK(scratch->path().parent_path() == base.path());
    CHECK(fs::is_empty(small));
    const auto none = Scratch::create({small});
    CHECK_FALSE(none);
    if (!none) CHECK(none.error().reason.find("No space left") != std::string::npos);
  }
  umount2(small.c_str(), MNT_DETACH);
}

TEST_CASE("default names never overwrite, and profile and page keep one stem") {
  const TemporaryDirectory base;
  const auto first = claim_name(base.path(), "out.roofmark", ".json", ".html");
  REQUIRE(first);
  CHECK(first->filename() == "out.roofmark.json");
  write_text(base.path() / "out.roofmark-2.html", "somebody's");
  const auto second = claim_name(base.path(), "out.roofmark", ".json", ".html");
  REQUIRE(second);
  CHECK(second->filename() == "out.roofmark-3.json");
  CHECK_FALSE(claim_name("/nowhere", "out.roofmark", ".json", ".html"));
}

TEST_CASE("a file is replaced as a whole, through links, and devices are written to") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  const fs::path link = base.path() / "link.json";
  write_text(file, "old");
  fs::create_symlink("profile.json", link);
  CHECK_FALSE(write_file(link, "new"));
  CHECK(fs::is_symlink(link));
  CHECK(read_text(file) == "new");
  CHECK_FALSE(write_file("/dev/null", "gone"));
  CHECK(write_file("/nowhere/profile.json", "x"));
  const auto full = write_file("/dev/full", "x");
  REQUIRE(full);
  CHECK(full->reason == "No space left on device");
  CHECK(std::distance(fs::directory_iterator(base.path()), fs::directory_iterator()) == 2);
}

TEST_CASE("only a regular file that is no open descriptor's gets a first document and a second") {
  const TemporaryDirectory base;
  const fs::path file = base.path() / "profile.json";
  const fs::path link = base.path() / "link.json";
  const fs::path pipe = base.path() / "pipe";
  fs::create_symlink("profile.json", link);
  CHECK(is_replaceable(file));
  CHECK(is_replaceable(link));
  write_text(file, "old");
  CHECK(is_replaceable(file));
  CHECK(is_replaceable(link));
  CHECK(is_replaceable("profile.json"));
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(is_replaceable(pipe));
  CHECK_FALSE(is_replaceable("/dev/null"));
  CHECK_FALSE(is_replaceable(base.path()));
  CHECK_FALSE(is_replaceable("/nowhere/profile.json"));
  // A file, but by way of a descriptor.
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  for (const char* folder : {"/proc/self/fd/", "/dev/fd/"}) {
    const fs::path name = folder + std::to_string(descriptor);
    if (fs::exists(name)) CHECK_FALSE(is_replaceable(name));
  }
  const fs::path indirect = base.path() / "indirect";
  fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor), indirect);
  CHECK_FALSE(is_replaceable(indirect));
  close(descriptor);
  fs::create_symlink("loop", base.path() / "loop");
  CHECK_FALSE(is_replaceable(base.path() / "loop"));
}

TEST_CASE("what can't be written where it was wanted goes elsewhere, and that is said") {
  const TemporaryDirectory base;
  const auto written =
      write_somewhere("/nowhere/profile.json", "text", {"/also/nowhere", base.path()});
  REQUIRE(written);
  CHECK(written->path == base.path() / "profile.json");
  REQUIRE(written->moved);
  CHECK(written->moved->where == "/nowhere/profile.json");
  CHECK(read_text(written->path) == "text");
  CHECK_FALSE(write_somewhere("/nowhere/profile.json", "text", {"/also/nowhere"}));
}

TEST_CASE("installed parts lie beside the executable, and ROOFMARK_PREFIX overrides") {
  const TemporaryDirectory base;
  const InstallPaths paths = InstallPaths::beside(base.path() / "bin" / "roofmark");
  CHECK(paths.lib == base.path() / "lib");
  CHECK(paths.libexec == base.path() / "libexec" / "roofmark");
  CHECK(paths.share == base.path() / "share" / "roofmark");
  REQUIRE_FALSE(paths.runtime());
  CHECK(paths.runtime().error().remedy.find("ROOFMARK_PREFIX") != std::string::npos);

  fs::create_directories(base.path() / "lib" / "some-linux-gnu");
  write_text(base.path() / "lib" / "some-linux-gnu" / "libroofmark-runtime.so", "");
  const InstallPaths multiarch = [&] {
    const Environment prefix("ROOFMARK_PREFIX", base.path().c_str());
    return InstallPaths::find();
  }();
  CHECK(multiarch.lib == base.path() / "lib" / "some-linux-gnu");
  CHECK(multiarch.runtime());
  const Environment none("ROOFMARK_PREFIX", nullptr);
  CHECK(InstallPaths::find().bin ==
        fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin");
}

TEST_CASE("a runtime that ld.so can't be told of is refused") {
  const TemporaryDirectory base;
  const fs::path prefix = base.path() / "with blank";
  fs::create_directories(prefix / "lib");
  write_text(prefix / "lib" / "libroofmark-runtime.so", "");
  const auto runtime = InstallPaths::beside(prefix / "bin" / "roofmark").runtime();
  REQUIRE_FALSE(runtime);
  CHECK(runtime.error().reason.find("blank") != std::string::npos);
}

TEST_CASE("mountinfo is understood: optional fields, escapes, read-only, nonsense") {
  const auto mounts = parse_mountinfo(
      "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:7 - ext3 /dev/root "
      "rw,errors=continue\n"
      "nonsense\n"
      "37 35 98:0 / /ro ro,nosuid - tmpfs none rw\n"
      "38 35 98:0 / /rodent rodent - proc none rw\n");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0].id == 36);
  CHECK(mounts[0].parent == 35);
  CHECK(mounts[0].point == "/mnt 2");
  CHECK(mounts[0].type == "ext3");
  CHECK_FALSE(mounts[0].read_only);
  CHECK(mounts[1].read_only);
  CHECK_FALSE(mounts[2].read_only);
  CHECK(holds_files("ext4"));
  CHECK_FALSE(holds_files("proc"));
}
