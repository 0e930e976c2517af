#include <unistd.h>

#include <analysis/arena/arena_reader.hpp>
#include <analysis/trace/trace.hpp>
#include <analysis/trace/trace_regions.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <roofmark/profile.hpp>
#include <set>
#include <tuple>

#include "catch.hpp"
#include "libprofiler/arena/layout.h"
#include "libprofiler/arena/trace_layout.h"
#include "trace_image.hpp"

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

using test::name_at;
using test::put;
std::string recording() {
  return test::recording_of_a_trace();
}
std::string visits() {
  return test::trace_of_two_visits();
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

namespace {

/// solve { spmv, dot } on the main thread; a worker below solve/spmv and one below solve/dot.
TracedProcess nested() {
  TracedProcess process;
  process.host = "h";
  process.executable = "/bin/app";
  process.pid = 7;
  process.names = {"solve", "spmv", "dot", "worker"};
  process.visits = {{1, 7, 1.0, 1.0, false},
                    {2, 7, 2.0, 1.0, false},
                    {0, 7, 1.0, 3.0, false},
                    {3, 8, 1.5, 0.5, false},
                    {3, 9, 2.5, 0.5, false}};
  process.entered = {{7, {"solve"}},
                     {7, {"solve", "spmv"}},
                     {7, {"solve", "dot"}},
                     {8, {"solve", "spmv", "worker"}},
                     {9, {"solve", "dot", "worker"}}};
  return process;
}

std::string path_of(const RegionsOfVisits& regions, std::uint32_t number) {
  if (number == RegionsOfVisits::several) return "several";
  if (number == RegionsOfVisits::unknown) return "unknown";
  std::string text;
  for (const std::string& name : regions.paths.at(number)) text += "/" + name;
  return text;
}

Region judged_region(std::vector<std::string> path, Verdict verdict, const std::string& detail) {
  Region region;
  region.path = std::move(path);
  Roofline roofline;
  roofline.verdict = verdict;
  roofline.verdict_detail = detail;
  roofline.binding = "DRAM";
  if (verdict != Verdict::undetermined) {
    roofline.fraction = 0.5;
    roofline.levels["L1"] = {0.0625, 1, 1, 1, 1};
    roofline.levels["DRAM"] = {0.125, 1, 1, 1, 1};
  }
  region.rooflines = region.self_rooflines = {roofline};
  return region;
}

}  // namespace

TEST_CASE("a visit's region follows from what was open around it and below whom its thread was") {
  const TracedProcess process = nested();
  const RegionsOfVisits regions = regions_of_visits(process);
  std::vector<std::string> paths;
  for (const std::uint32_t number : regions.visits) paths.push_back(path_of(regions, number));
  CHECK(paths == std::vector<std::string>{"/solve/spmv", "/solve/dot", "/solve",
                                          "/solve/spmv/worker", "/solve/dot/worker"});
}

TEST_CASE("a visit of a thread that ended, or below visits that were not kept, may be of several") {
  TracedProcess process = nested();
  for (auto& [tid, path] : process.entered)
    if (tid != 7) tid = TracedProcess::ended_threads;
  RegionsOfVisits regions = regions_of_visits(process);
  // Only one of them was open then.
  CHECK(path_of(regions, regions.visits[3]) == "/solve/spmv/worker");
  CHECK(path_of(regions, regions.visits[4]) == "/solve/dot/worker");
  CHECK(path_of(regions, regions.visits[1]) == "/solve/dot");
  // Visits that were left out may have been around it in its own thread.
  process.untraced = 1;
  regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.visits[3]) == "several");
  // Both were open, each in a thread.
  process.untraced = 0;
  process.visits.push_back({2, 10, 1.2, 0.6, false});
  process.visits.push_back({0, 10, 1.1, 0.8, false});
  process.entered.push_back({10, {"solve"}});
  process.entered.push_back({10, {"solve", "dot"}});
  regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.visits[3]) == "several");
  CHECK(path_of(regions, regions.visits[4]) == "/solve/dot/worker");

  // A recursion: f was in f; the outer one was not kept.
  process = nested();
  process.entered = {{7, {"solve"}}, {7, {"solve", "solve"}}};
  process.visits = {{0, 7, 2.0, 1.0, false}};
  regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.visits[0]) == "/solve");
  process.untraced = 1;
  regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.visits[0]) == "several");
}

TEST_CASE("a visit of a team's thread is below what was open when its team began") {
  // One thread that is kept and used again, as OpenMP does it: in spmv, in dot, and outside of all.
  TracedProcess process = nested();
  process.names.emplace_back("inner");
  process.visits.resize(3);
  for (const double start_s : {1.5, 2.5})
    for (const auto& [name, tid, length_s] : {std::tuple{4U, 8, 0.1}, std::tuple{3U, 8, 0.5}})
      process.visits.push_back({name, tid, start_s, length_s, false});
  process.entered.resize(3);
  for (const char* around : {"spmv", "dot"}) {
    process.entered.emplace_back(8, std::vector<std::string>{"solve", around, "worker"});
    process.entered.emplace_back(8, std::vector<std::string>{"solve", around, "worker", "inner"});
  }
  RegionsOfVisits regions = regions_of_visits(process);
  std::vector<std::string> paths;
  for (std::size_t i = 3; i < 7; ++i) paths.push_back(path_of(regions, regions.visits[i]));
  CHECK(paths == std::vector<std::string>{"/solve/spmv/worker/inner", "/solve/spmv/worker",
                                          "/solve/dot/worker/inner", "/solve/dot/worker"});
  // A thread that nobody waits for may have been begun outside of all: time does not tell.
  process.entered.emplace_back(8, std::vector<std::string>{"worker"});
  regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.visits[4]) == "several");
}

TEST_CASE("slices have the names of the profile, and their verdicts") {
  Trace trace;
  trace.processes = {nested()};
  trace.processes[0].open = {{"_Z4lastv", 7, 5, false}};
  trace.shown_as = {{"worker", "work(int)"}, {"_Z4lastv", "last()"}};
  Profile judged;
  judged.regions = {judged_region({"solve", "dot", "worker"}, Verdict::memory, "DRAM")};
  const auto document = nlohmann::json::parse(render_trace_events(trace, &judged));
  std::multiset<std::string> names;
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] == "M") continue;
    names.insert(event["name"].get<std::string>());
    if (event["name"] != "work(int)" || event["tid"] != 9) continue;
    CHECK(event["args"]["region"] == "solve/dot/work(int)");
    CHECK(event["args"]["verdict"] == "memory DRAM");
  }
  CHECK(names ==
        std::multiset<std::string>{"solve", "spmv", "dot", "work(int)", "work(int)", "last()"});
}

TEST_CASE("what was open at the end is around what was done last") {
  TracedProcess process = nested();
  process.visits.erase(process.visits.begin() + 2);
  process.open = {{"solve", 7, 1.0, false}};
  const RegionsOfVisits regions = regions_of_visits(process);
  CHECK(path_of(regions, regions.open[0]) == "/solve");
  CHECK(path_of(regions, regions.visits[0]) == "/solve/spmv");
}

TEST_CASE("slices bear what their regions were judged to be") {
  Trace trace;
  trace.processes = {nested()};
  Profile profile;
  profile.regions = {judged_region({"solve"}, Verdict::undetermined, "DRAM not counted"),
                     judged_region({"solve", "spmv"}, Verdict::memory, "DRAM")};
  const auto json = nlohmann::json::parse(render_trace_events(trace, &profile));
  CHECK_FALSE(json["otherData"].contains("no_verdicts"));
  nlohmann::json slices;
  for (const auto& event : json["traceEvents"])
    if (event["ph"] == "X") slices[event["name"].get<std::string>()] = event;
  const auto& spmv = slices["spmv"]["args"];
  CHECK(spmv["region"] == "solve/spmv");
  CHECK(spmv["verdict"] == "memory DRAM");
  CHECK(spmv["roof_fraction"] == Approx(0.5));
  CHECK(spmv["flop_per_byte_DRAM"] == Approx(0.125));
  CHECK_FALSE(spmv.contains("flop_per_byte_L1"));
  const auto& solve = slices["solve"]["args"];
  CHECK(solve["verdict"] == "undetermined");
  CHECK(solve["why"] == "DRAM not counted");
  CHECK_FALSE(solve.contains("roof_fraction"));
  CHECK_FALSE(slices["dot"].contains("args"));  // no region of the profile

  // Of another program its outermost regions bear that one's name in the profile.
  trace.processes[0].foreign = true;
  profile.regions[1].path = {"solve [app]", "spmv"};
  const auto foreign = nlohmann::json::parse(render_trace_events(trace, &profile));
  CHECK(foreign["traceEvents"][4]["args"]["region"] == "solve [app]/spmv");
}

TEST_CASE("a trace without verdicts says why") {
  Trace trace;
  trace.processes = {nested()};
  const auto why = [&](const Profile* profile) {
    const auto json = nlohmann::json::parse(render_trace_events(trace, profile));
    return json["otherData"]["no_verdicts"].get<std::string>();
  };
  CHECK(why(nullptr).find("before the run was judged") != std::string::npos);
  Profile profile;
  profile.regions = {judged_region({"solve"}, Verdict::undetermined, "FLOPs not counted")};
  CHECK(why(&profile) == "FLOPs not counted");
  profile.regions[0].rooflines.clear();
  profile.notes = {"No roof: it was recorded with --no-machine, which uses no ceilings."};
  CHECK(why(&profile) == "it was recorded with --no-machine, which uses no ceilings");
  const auto json = nlohmann::json::parse(render_trace_events(trace, &profile));
  for (const auto& event : json["traceEvents"])
    if (event["name"] == "solve") {
      CHECK(event["args"]["verdict"] == "not judged");
      CHECK(event["args"]["why"] == "it was recorded with --no-machine, which uses no ceilings");
    }
}
