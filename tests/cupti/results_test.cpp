// The plug-in's results, whole and spoilt.
#include "collectors/cupti/results.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "results_lines.hpp"

using namespace roofmark;
using namespace roofmark::cupti;
using sample::activity_lines;
using sample::counters_lines;
using sample::text_of;

namespace {

/// A directory of its own that goes with it.
struct Directory {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("roofmark-cupti-" + std::to_string(getpid()));
  Directory() { std::filesystem::create_directories(path); }
  ~Directory() { std::filesystem::remove_all(path); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
};

Result<GpuProcess> read_text(const std::string& text) {
  return results_from_text(text, "gpu-4711-0.jsonl");
}

std::string fault_of(const std::string& text) {
  const auto read = read_text(text);
  if (read) return "";
  CHECK(read.error().reason.find('\n') == std::string::npos);
  CHECK(read.error().where.starts_with("gpu-4711-0.jsonl"));
  return read.error().where + ": " + read.error().reason;
}

/// The text with the n-th line replaced; a problem must name that line.
std::string problem_with(std::vector<std::string> lines, std::size_t at, std::string line) {
  lines.at(at) = std::move(line);
  return fault_of(text_of(lines));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a run for times is read with all that is in it") {
  const auto read = read_text(text_of(activity_lines()));
  REQUIRE(read);
  const GpuProcess& p = *read;
  CHECK(p.host == "node1");
  CHECK(p.pid == 4711);
  CHECK(p.driver_version == 13000);
  CHECK(p.cupti_version == 130001);
  CHECK(p.kind == RunKind::activity);
  CHECK(p.begin_s == 1.0);
  CHECK(p.markers);
  CHECK(p.end == ResultsEnd::exit);
  REQUIRE(p.devices.size() == 1);
  CHECK(p.devices[0].chip == "GH100");
  CHECK(p.devices[0].sm_clock_hz == 1.98e9);
  CHECK_FALSE(p.devices[0].memory_clock_hz);
  REQUIRE(p.kernels.size() == 1);
  CHECK(p.kernels[0].device == p.devices[0].uuid);
  CHECK(p.kernels[0].path == LaunchPath{"solve", "sp\xffmv"});
  CHECK(p.kernels[0].launches == 3);
  CHECK(p.kernels[0].graph_launches == 1);
  CHECK(p.kernels[0].time_s == 600 * 1e-9);
  CHECK(p.kernels[0].grid[0] == 65535);
  REQUIRE(p.launches.size() == 2);
  CHECK(p.launches[0].launch_s == 500 * 1e-9);
  CHECK_FALSE(p.launches[1].launch_s);
  CHECK(p.launches[1].graph == 5);
  REQUIRE(p.busy.size() == 1);
  CHECK(p.busy[0].path.empty());
  REQUIRE(p.copies.size() == 1);
  CHECK(p.copies[0].kind == CopyKind::peer_to_peer);
  CHECK(std::string(spelling(p.copies[0].kind)) == "PtoP");
  CHECK(p.copies[0].bytes == 4096);
  REQUIRE(p.host_calls.size() == 1);
  CHECK(p.host_calls[0].wait_s == 4000 * 1e-9);
  REQUIRE(p.problems.size() == 1);
  CHECK(p.problems[0].device == p.devices[0].uuid);
  CHECK(p.problems[0].count == 2);
  CHECK(p.launches_left_out == 1);
  CHECK(p.launches_unfinished == 2);
  CHECK(p.records_dropped == 3);
  CHECK(p.launches_of_unknown_path == 4);
}

TEST_CASE("a run for counters is read with all that is in it") {
  const auto read = read_text(text_of(counters_lines()));
  REQUIRE(read);
  CHECK(read->kind == RunKind::counters);
  CHECK(read->set == "sass");
  CHECK(read->end == ResultsEnd::snapshot);
  REQUIRE(read->ranges.size() == 1);
  CHECK(read->ranges[0].metrics ==
        std::map<std::string, double>{{"dram__bytes.sum", 402653184.0}, {"a.max", 7.0}});
  CHECK(read->ranges[0].lacking == std::vector<std::string>{"b.sum"});
}

TEST_CASE("results that were cut off anywhere are one problem with file and line") {
  for (const auto& lines : {activity_lines(), counters_lines()}) {
    const std::string text = text_of(lines);
    for (std::size_t length = 0; length < text.size(); ++length) {
      INFO(length);
      CHECK(!fault_of(text.substr(0, length)).empty());
    }
  }
}

TEST_CASE("any byte of the results may be changed: read or refused, never worse") {
  for (const auto& lines : {activity_lines(), counters_lines()}) {
    const std::string text = text_of(lines);
    for (std::size_t at = 0; at < text.size(); ++at)
      for (const char byte : {'\0', '"', '9', '{', '\xff'}) {
        std::string spoilt = text;
        spoilt[at] = byte;
        (void)fault_of(spoilt);
      }
  }
}

TEST_CASE("a line that is missing, doubled or behind the end is seen") {
  const std::vector<std::string> lines = activity_lines();
  for (std::size_t at = 0; at < lines.size(); ++at) {
    INFO(lines[at]);
    auto fewer = lines, more = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    CHECK(!fault_of(text_of(fewer)).empty());
    CHECK(!fault_of(text_of(more)).empty());
  }
}

TEST_CASE("what a line says wrongly is told with its number") {
  const auto& lines = activity_lines();
  const auto say = [&](std::size_t at, const char* from, const char* to) {
    return problem_with(lines, at, replaced(lines[at], from, to));
  };
  CHECK(say(0, "roofmark-gpu/1", "roofmark-gpu/2") == "gpu-4711-0.jsonl:1: not roofmark-gpu/1");
  CHECK(say(0, "\"activity\"", "\"both\"") == "gpu-4711-0.jsonl:1: \"kind\" is an unknown word");
  CHECK(say(0, "\"set\":\"\"", "\"set\":\"hw\"").find("does not fit the kind") !=
        std::string::npos);
  CHECK(say(0, "13000", "-1") == "gpu-4711-0.jsonl:1: \"driver\" is no whole number");
  CHECK(say(0, "13000", "99999999999") == "gpu-4711-0.jsonl:1: \"driver\" is too large");
  CHECK(say(0, "\"markers\":1", "\"markers\":2") ==
        "gpu-4711-0.jsonl:1: \"markers\" is neither 0 nor 1");
  CHECK(say(2, "solve", "\xe2\x82\xac") ==
        "gpu-4711-0.jsonl:3: \"names\" holds a character beyond U+00FF");
  CHECK(say(4, "\"device\":0", "\"device\":1") ==
        "gpu-4711-0.jsonl:5: \"device\" names a device that is not there");
  CHECK(say(4, "\"path\":1", "\"path\":2") ==
        "gpu-4711-0.jsonl:5: \"path\" names a path that is not there");
  CHECK(say(4, "\"launches\":3", "\"launches\":0") == "gpu-4711-0.jsonl:5: \"launches\" is 0");
  CHECK(say(4, "\"min_ns\":100", "\"min_ns\":301") ==
        "gpu-4711-0.jsonl:5: \"sum_ns\" does not fit");
  CHECK(say(4, "\"sum_ns\":600", "\"sum_ns\":299") ==
        "gpu-4711-0.jsonl:5: \"sum_ns\" does not fit");
  CHECK(say(4, "\"last_ns\":5000", "\"last_ns\":999") ==
        "gpu-4711-0.jsonl:5: \"last_ns\" is before the first");
  CHECK(say(4, "[256,1,1]", "[256,1]") == "gpu-4711-0.jsonl:5: \"block\" needs three numbers");
  CHECK(say(5, "\"launch\":0", "\"launch\":1") ==
        "gpu-4711-0.jsonl:6: \"launch\" names a kernel that is not there");
  CHECK(say(7, "\"ns\":600", "\"ns\":4001") ==
        "gpu-4711-0.jsonl:8: \"ns\" is longer than the time it lies in");
  CHECK(say(8, "PtoP", "PtoQ") == "gpu-4711-0.jsonl:9: \"copy\" is an unknown word");
  CHECK(say(10, "not here", "") == "gpu-4711-0.jsonl:11: \"reason\" is empty");
  CHECK(problem_with(lines, 6, R"({"planet":0})") ==
        "gpu-4711-0.jsonl:7: a line of an unknown kind");
  CHECK(problem_with(lines, 6, "[1]") == "gpu-4711-0.jsonl:7: no JSON object");
  CHECK(problem_with(lines, 6, std::string(100000, '[')) == "gpu-4711-0.jsonl:7: no JSON object");
}

TEST_CASE("values that are no numbers, or of the other kind of run, are refused") {
  const auto& lines = counters_lines();
  const auto say = [&](const char* from, const char* to) {
    return problem_with(lines, 3, replaced(lines[3], from, to));
  };
  CHECK(say("402653184.0", "\"nan\"").find("is no number") != std::string::npos);
  CHECK(say("402653184.0", "null").find("is no number") != std::string::npos);
  CHECK(say("402653184.0", "1e999") == "gpu-4711-0.jsonl:4: no JSON object");
  CHECK(say("{\"dram__bytes.sum\":402653184.0,\"a.max\":7}", "[]") ==
        "gpu-4711-0.jsonl:4: \"metrics\" is no object");
  CHECK(problem_with(lines, 3, activity_lines()[7]).find("does not fit the kind of run") !=
        std::string::npos);
  CHECK(problem_with(activity_lines(), 6, lines[3]).find("does not fit the kind of run") !=
        std::string::npos);
}

TEST_CASE("a file is read as its text") {
  const Directory here;
  CHECK(read_results(here.file("gpu-1-0.jsonl", text_of(activity_lines()))));
  CHECK(read_results(here.file("gpu-1-1.jsonl", "")).error().reason ==
        "the GPU's results are empty");
  CHECK(read_results(here.path / "absent").error().reason == "the GPU's results can't be read");
  CHECK(read_results(here.path).error().where == here.path.filename());
}

TEST_CASE("a run's files are read by process; a spoilt one hides none of the others") {
  const Directory here;
  here.file("gpu-9-0.jsonl", replaced(text_of(activity_lines()), "\"pid\":4711", "\"pid\":9"));
  here.file("gpu-4711-1.jsonl", text_of(counters_lines()));
  here.file("gpu-5-0.jsonl", "");
  here.file("other.jsonl", "no results");
  here.file("gpu-7-0.jsonl.new", "half of");
  const GpuResultsOfRun run = read_results_of_run(here.path);
  REQUIRE(run.processes.size() == 2);
  CHECK(run.processes[0].pid == 9);
  CHECK(run.processes[1].pid == 4711);
  REQUIRE(run.problems.size() == 1);
  CHECK(run.problems[0].where == "gpu-5-0.jsonl");
  CHECK(read_results_of_run(here.path / "absent").problems.size() == 1);
}
