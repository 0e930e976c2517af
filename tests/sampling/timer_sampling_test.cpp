#include <libprofiler/arena/timer_layout.h>
#include <unistd.h>

#include <analysis/sampling/proc_maps.hpp>
#include <analysis/sampling/system_calls.hpp>
#include <analysis/sampling/timer_sampling.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"

namespace roofmark::sampling {
namespace {

constexpr pid_t nobody = 0x7ffffff0;  // no process has this number

/// What processes of a program leave in a recording's directory.
class Recording {
 public:
  Recording() {
    std::string folder =
        (std::filesystem::temp_directory_path() / "roofmark-timer-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    path_ = folder;
  }
  ~Recording() { std::filesystem::remove_all(path_); }

  void ring(const std::string& name, pid_t process, std::uint64_t created_ns,
            const std::vector<arena::TimerSample>& samples, std::uint32_t refusals = 0) const {
    std::vector<char> bytes(arena::timer_ring_header_bytes +
                            arena::timer_ring_capacity * sizeof(arena::TimerSample));
    arena::TimerRing header{};
    header.magic = arena::timer_ring_magic;
    header.pid = process;
    header.capacity = arena::timer_ring_capacity;
    header.created_ns = created_ns;
    header.refusals = refusals;
    header.head = samples.size();
    std::memcpy(bytes.data(), &header, sizeof header);
    if (!samples.empty())
      std::memcpy(bytes.data() + arena::timer_ring_header_bytes, samples.data(),
                  samples.size() * sizeof samples[0]);
    std::ofstream(path_ / (name + ".samples"), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void maps(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / (name + ".maps")) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_CASE(
    "lines of /proc/PID/maps that are executable become mappings, later ones in their place") {
  AddressSpaces spaces;
  std::istringstream maps(
      "1000-2000 r--p 00000000 fd:01 7    /bin/a\n"
      "2000-4000 r-xp 00001000 fd:01 7    /bin/a\n"
      "5000-6000 r-xp 00000000 00:00 0 \n"
      "nonsense\n"
      "3000-4000 r-xp 00008000 fd:01 8    /lib/with blank.so\n");
  add_mappings(maps, 1, spaces);
  const auto name_at = [&](std::uint64_t address) {
    const auto place = spaces.find_mapped(1, address);
    return place ? spaces.objects()[place->object] : "(not mapped)";
  };
  REQUIRE(name_at(0x1800) == "(not mapped)");
  REQUIRE(name_at(0x2800) == "/bin/a");
  REQUIRE(spaces.find_mapped(1, 0x2800)->offset == 0x1800);
  REQUIRE(name_at(0x3800) == "/lib/with blank.so");
  REQUIRE(spaces.find_mapped(1, 0x3800)->offset == 0x8800);
  REQUIRE(name_at(0x5800).empty());
  REQUIRE(name_at(0x9000) == "(not mapped)");
}

#if defined(__x86_64__)
TEST_CASE("the instruction before an address tells a call of the kernel") {
  const Recording recording;
  const std::string file = (recording.path() / "code").string();
  std::ofstream(file, std::ios::binary).write("\x90\x0f\x05\x90\x90", 5);
  SystemCalls calls;
  REQUIRE(calls.returns_to(file, 3));
  REQUIRE_FALSE(calls.returns_to(file, 4));
  REQUIRE_FALSE(calls.returns_to(file, 1));
  REQUIRE_FALSE(calls.returns_to(file, 1000));
  REQUIRE_FALSE(calls.returns_to("[vdso]", 3));
  REQUIRE_FALSE(calls.returns_to("", 3));
}
#endif

TEST_CASE("samples of processes that have ended are read, and their files removed") {
  const Recording recording;
  auto sampling = TimerSampling::begin(recording.path());
  REQUIRE(sampling);
  recording.maps("timer-1-0", "2000-4000 r-xp 00001000 fd:01 7 /bin/a\n");
  recording.ring("timer-1-0", nobody, 1,
                 {{1, 0x2800, 5'000'000'000, 11, 4},
                  {2, 0x3000, 5'100'000'000, 12, 1},
                  {3, 0x9000, 5'200'000'000, 12, 1},    // in no mapping
                  {0, 0x2800, 5'300'000'000, 12, 1}});  // never became whole
  recording.ring("timer-1-1", nobody, 2, {}, arena::timer_in_use);
  std::ofstream(recording.path() / "timer-2-0.samples") << "just being made";
  sampling->drain();
  REQUIRE_FALSE(std::filesystem::exists(recording.path() / "timer-1-0.samples"));
  REQUIRE_FALSE(std::filesystem::exists(recording.path() / "timer-1-0.maps"));
  const auto run = sampling->take(0.006);
  REQUIRE(run);
  REQUIRE(run->means == "timer");
  REQUIRE_FALSE(run->sees_kernel);
  REQUIRE(run->samples.size() == 2);
  REQUIRE(run->lost == 2);
  REQUIRE(run->samples[0].period_s == Approx(4 * timer_period_s));
  REQUIRE(run->samples[0].time_s == Approx(5.0));
  REQUIRE(run->samples[0].offset == 0x1800);
  REQUIRE(run->samples[1].thread == 12);
  REQUIRE(run->objects[run->samples[1].object] == "/bin/a");
  REQUIRE(run->notes.size() == 1);
  REQUIRE(run->notes[0].find("1 of 2 processes use SIGPROF") == 0);
}

TEST_CASE("a process that became another program keeps the addresses of both apart") {
  const Recording recording;
  auto sampling = TimerSampling::begin(recording.path());
  REQUIRE(sampling);
  // This process, as it runs; its number is used again by a later image.
  recording.maps("timer-1-0", "2000-4000 r-xp 00000000 fd:01 7 /bin/a\n");
  recording.ring("timer-1-0", getpid(), 1, {{1, 0x2800, 1, 11, 1}});
  recording.maps("timer-1-1", "2000-4000 r-xp 00000000 fd:01 7 /bin/b\n");
  recording.ring("timer-1-1", getpid(), 2, {{1, 0x2800, 2, 11, 1}, {2, 0x2900, 3, 11, 1}});
  sampling->drain();
  REQUIRE_FALSE(std::filesystem::exists(recording.path() / "timer-1-0.samples"));
  REQUIRE(std::filesystem::exists(recording.path() / "timer-1-1.samples"));
  const auto run = sampling->take(0);
  REQUIRE(run);
  REQUIRE(run->samples.size() == 3);
  std::map<std::string, int> counts;
  for (const TimeSample& sample : run->samples) ++counts[run->objects[sample.object]];
  REQUIRE(counts == std::map<std::string, int>{{"/bin/a", 1}, {"/bin/b", 2}});
}

TEST_CASE("what the samples don't stand for is said, and so is a program that loaded no sampler") {
  const Recording recording;
  auto sampling = TimerSampling::begin(recording.path());
  REQUIRE(sampling);
  recording.maps("timer-1-0", "2000-4000 r-xp 00000000 fd:01 7 /bin/a\n");
  recording.ring("timer-1-0", nobody, 1, {{1, 0x2800, 1, 11, 1}}, arena::timer_blocked);
  const auto run = sampling->take(10);
  REQUIRE(run);
  REQUIRE(run->notes.size() == 2);
  REQUIRE(run->notes[0].find("SIGPROF blocked") != std::string::npos);
  REQUIRE(run->notes[1].find("of 10 s of processor time") != std::string::npos);
  const Recording empty;
  auto nothing = TimerSampling::begin(empty.path());
  REQUIRE(nothing);
  REQUIRE_FALSE(nothing->take(1));
}

}  // namespace
}  // namespace roofmark::sampling
