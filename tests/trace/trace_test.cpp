#include <unistd.h>

#include <analysis/profile/arena_reader.hpp>
#include <analysis/trace/trace.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "libprofiler/arena/layout.h"
#include "libprofiler/arena/trace_layout.h"

namespace fs = std::filesystem;
using namespace roofmark;

namespace {

struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "roofmark-trace-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

constexpr std::uint64_t name_at = 4096 + sizeof(arena::SegmentHeader);

template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// A recording whose only item is the name "work", on a clock of nanoseconds.
std::string recording() {
  std::string bytes;
  arena::FileHeader header{};
  header.magic = arena::file_magic;
  header.version = arena::layout_version;
  header.byte_order = arena::byte_order_mark;
  header.header_bytes = 4096;
  header.pid = 7;
  header.calibration.clock = arena::Clock::monotonic_raw;
  put(bytes, 0, header);
  arena::SegmentHeader segment{};
  segment.magic = arena::segment_magic;
  segment.bytes = arena::first_segment_bytes;
  segment.used = sizeof(segment) + sizeof(arena::Name);
  put(bytes, 4096, segment);
  arena::Name name{};
  name.item = {arena::ItemKind::name, sizeof(arena::Name)};
  name.length = 4;
  std::memcpy(name.bytes, "work", 4);
  put(bytes, name_at, name);
  bytes.resize(4096 + arena::first_segment_bytes);
  return bytes;
}

/// Two visits, and a place that was claimed and never written.
std::string visits() {
  std::string bytes;
  put(bytes, 0,
      arena::TraceFileHeader{arena::trace_file_magic, arena::trace_layout_version, 0,
                             arena::trace_header_bytes + 4096});
  arena::TraceBlock block{arena::trace_block_magic, 4096, 100, 3, {}};
  put(bytes, 4096, block);
  const std::uint32_t name = name_at / arena::item_alignment;
  const std::size_t first = 4096 + offsetof(arena::TraceBlock, visits);
  put(bytes, first, arena::TraceVisit{2000, 500, name, 7});
  put(bytes, first + 2 * sizeof(arena::TraceVisit), arena::TraceVisit{3000, 250, name, 8});
  bytes.resize(8192);
  return bytes;
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Result<TracedProcess> read(const std::string& trace) {
  const Folder folder;
  write(folder.path / "a.arena", recording());
  write(folder.path / "a.trace", trace);
  const auto process = read_arena((folder.path / "a.arena").string());
  REQUIRE(process);
  return read_trace(*process, std::nullopt);
}

}  // namespace

TEST_CASE("visits are read with their names, threads and times") {
  const auto trace = read(visits());
  REQUIRE(trace);
  CHECK(trace->names == std::vector<std::string>{"work"});
  REQUIRE(trace->visits.size() == 2);
  CHECK(trace->visits[0].start_s == Approx(2e-6));
  CHECK(trace->visits[0].duration_s == Approx(5e-7));
  CHECK(trace->visits[1].tid == 8);
}

TEST_CASE("a process that kept no visit has an empty trace") {
  const Folder folder;
  write(folder.path / "a.arena", recording());
  const auto process = read_arena((folder.path / "a.arena").string());
  REQUIRE(process);
  const auto trace = read_trace(*process, std::nullopt);
  REQUIRE(trace);
  CHECK(trace->visits.empty());
}

TEST_CASE("a damaged trace gives what is whole of it, or one line") {
  const std::string whole = visits();
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const auto trace = read(whole.substr(0, length));
    if (trace)
      CHECK(trace->visits.size() <= 2);
    else
      CHECK(trace.error().remedy == "record again");
  }
  for (std::size_t at = 0; at < 4096 + 128; at += at < 48 || at >= 4090 ? 1 : 64)
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      const auto trace = read(damaged);
      if (trace) CHECK(trace->visits.size() <= 100);
    }
}

TEST_CASE("a trace is JSON of the Trace Event Format") {
  Trace trace;
  trace.command = {"a\"b", "\xff"};
  TracedProcess process;
  process.host = "h";
  process.executable = "/bin/app";
  process.pid = 7;
  process.names = {"</script>", "\xfe"};
  process.visits = {{0, 7, 100.0000015, 2.5e-6, false}, {1, 9, 100.000001, 1e-9, true}};
  process.open = {{"late", 7, 101, false}};
  process.untraced = 3;
  trace.processes = {process, process};
  trace.processes[1].host = "other";
  const auto json = nlohmann::json::parse(render_trace_events(trace));
  CHECK(json["otherData"]["visits_left_out"] == 6);
  const auto& events = json["traceEvents"];
  CHECK(events[0]["args"]["name"] == "app");
  CHECK(events[1]["args"]["name"] == "main thread");
  CHECK(events[2]["args"]["name"] == "thread 9");
  CHECK(events[3]["name"] == "</script>");
  CHECK(events[3]["ts"] == Approx(0.5));
  CHECK(events[3]["dur"] == Approx(2.5));
  CHECK(events[4]["ts"] == 0);
  CHECK(events[4]["dur"] == Approx(0.001));
  CHECK(events[4]["cat"] == "region,inherited");
  CHECK(events[5]["ph"] == "B");
  // The same number on two hosts is two processes.
  CHECK(events[0]["pid"] == 7);
  CHECK(events[6]["pid"] != 7);
}

TEST_CASE("what a trace lacks is said with its reason") {
  Trace trace;
  TracedProcess process;
  process.pid = 7;
  trace.processes = {process, process, process};
  trace.processes[1].untraced = 4;
  trace.processes[2].untraced = 5;
  trace.processes[2].untraced_reason = "No space left on device";
  CHECK(shortcomings(trace) ==
        std::vector<std::string>{
            "The trace of process 7 holds 0 of its visits and lacks 4: --trace-visits keeps more.",
            "The trace of process 7 holds 0 of its visits and lacks 5: No space left on device."});
}
