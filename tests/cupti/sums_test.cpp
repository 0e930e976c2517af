// What the plug-in adds up in the program: pure parts, without CUDA.
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "catch.hpp"
#include "collectors/cupti/device_identity.hpp"
#include "collectors/cupti/error_table.hpp"
#include "collectors/cupti/target/activity_tally.hpp"
#include "collectors/cupti/target/busy_union.hpp"
#include "collectors/cupti/target/correlations.hpp"
#include "collectors/cupti/target/driver_calls.hpp"
#include "collectors/cupti/target/path_table.hpp"
#include "collectors/cupti/target/range_tally.hpp"

using namespace roofmark::cupti;

namespace {

std::string encoded(const LaunchPath& path) {
  std::string text;
  for (const std::string& name : path) {
    const auto length = static_cast<std::uint32_t>(name.size());
    text.append(reinterpret_cast<const char*>(&length), sizeof length);
    text += name;
  }
  return text;
}

KernelRun run_of(const char* name, std::uint32_t path, std::int64_t start, std::int64_t end) {
  KernelRun run;
  run.name = name;
  run.path = path;
  run.start_ns = start;
  run.end_ns = end;
  run.grid = run.block = {1, 1, 1};
  return run;
}

}  // namespace

TEST_CASE("busy time is the union of intervals, in whatever order they come") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    constexpr std::int64_t longest = 300;
    std::vector<bool> busy(longest + 60);
    BusyUnion sum;
    std::int64_t first = longest + 60, last = 0;
    for (int i = 0; i < 25; ++i) {
      const auto start = static_cast<std::int64_t>(random() % longest);
      const auto end = start + static_cast<std::int64_t>(random() % 40);
      sum.add(start, end);
      first = std::min(first, start);
      last = std::max(last, end);
      for (std::int64_t at = start; at < end; ++at) busy[static_cast<std::size_t>(at)] = true;
      std::uint64_t expected = 0;
      for (const bool one : busy) expected += one ? 1 : 0;
      REQUIRE(sum.busy() == expected);
    }
    CHECK(sum.first() == first);
    CHECK(sum.last() == last);
    CHECK(sum.exact());
  }
}

TEST_CASE("busy time keeps few intervals, and says where that was too few") {
  BusyUnion sum(8);
  for (std::int64_t i = 0; i < 100000; ++i) sum.add(10 * i, 10 * i + 3);
  CHECK(sum.busy() == 300000);
  CHECK(sum.intervals() <= 8);
  CHECK(sum.exact());
  // Still open: in time.
  sum.add(999980, 999999);
  CHECK(sum.busy() == 300000 - 6 + 19);
  CHECK(sum.exact());
  // Long settled: left out rather than counted twice.
  sum.add(5, 9);
  CHECK(sum.busy() == 300000 - 6 + 19);
  CHECK_FALSE(sum.exact());
  BusyUnion empty;
  empty.add(10, 9);
  CHECK(empty.empty());
  CHECK(empty.busy() == 0);
}

TEST_CASE("launch paths are numbered once, parents before children") {
  PathTable table;
  CHECK(table.number_of("") == 0);
  const LaunchPath path{"solve", std::string("a\0b", 3), ""};
  const auto number = table.number_of(encoded(path));
  CHECK(table.names(number) == path);
  CHECK(table.number_of(encoded(path)) == number);
  CHECK(table.names(table.parent(number)) == LaunchPath{"solve", std::string("a\0b", 3)});
  CHECK(table.size() == 4);
  // What does not hold together makes nothing.
  const std::string text = encoded(path);
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK(table.number_of(text.substr(0, length)) <= number);
  CHECK(table.number_of("\xff\xff\xff\xffshort") == 0);
  CHECK(table.size() == 4);
}

TEST_CASE("launch paths beyond the limit share one") {
  PathTable table(5);
  for (int i = 0; i < 1000; ++i) table.number_of(encoded({"r" + std::to_string(i), "inner"}));
  CHECK(table.size() == 6);
  const auto other = table.number_of(encoded({"new", "one"}));
  CHECK(table.names(other) == LaunchPath{"(other)"});
  CHECK(table.number_of(encoded({"r0", "inner"})) != other);
}

TEST_CASE("a call is found by its correlation until another takes its place") {
  Correlations calls(4);
  CHECK_FALSE(calls.find(0));
  CHECK_FALSE(calls.find(3));
  calls.put(3, {0, 77});
  REQUIRE(calls.find(3));
  CHECK(calls.find(3)->path == 0);
  CHECK(calls.find(3)->begin_ns == 77);
  CHECK_FALSE(calls.find(3 + 16));
  calls.put(3 + 16, {5, 78});
  CHECK_FALSE(calls.find(3));
  CHECK(calls.find(19)->path == 5);
}

TEST_CASE("a call that is being overwritten is unknown, never another's") {
  Correlations calls(2);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};  // the test library is for one thread
  std::thread reader([&] {
    while (!done)
      for (std::uint32_t i = 1; i < 4000; ++i)
        if (const auto call = calls.find(i); call && (call->path != i || call->begin_ns != i))
          ++wrong;
  });
  for (int round = 0; round < 50; ++round)
    for (std::uint32_t i = 1; i < 4000; ++i) calls.put(i, {i, i});
  done = true;
  reader.join();
  CHECK(wrong == 0);
}

TEST_CASE("kernels are summed by name, device and path; their ancestors are busy too") {
  PathTable paths;
  const auto inner = paths.number_of(encoded({"solve", "inner"})), solve = paths.parent(inner);
  ActivityTally tally{GpuLimits{}};
  tally.add(run_of("a", inner, 100, 200), paths);
  tally.add(run_of("a", inner, 150, 300), paths);
  tally.add(run_of("a", solve, 400, 450), paths);
  KernelRun of_graph = run_of("b", solve, 500, 510);
  of_graph.graph = 3;
  of_graph.grid = {2, 1, 1};
  of_graph.device = 1;
  tally.add(of_graph, paths);
  tally.add_launch_call(inner, 30);
  tally.add_wait_call(inner, 70);
  tally.add_launch_call(inner, -5);  // a clock that went back is no time
  CopyRun copy;
  copy.kind = CopyKind::peer_to_peer;
  copy.peer = 1;
  copy.bytes = 8;
  copy.start_ns = 5;
  copy.end_ns = 9;
  tally.add(copy);
  tally.add(copy);
  Snapshot s;
  tally.write(s);
  REQUIRE(s.kernels.size() == 3);
  CHECK(s.kernels[0].launches == 2);
  CHECK(s.kernels[0].sum_ns == 250);
  CHECK(s.kernels[0].min_ns == 100);
  CHECK(s.kernels[0].max_ns == 150);
  CHECK(s.kernels[0].first_ns == 100);
  CHECK(s.kernels[0].last_ns == 300);
  CHECK_FALSE(s.kernels[0].shapes_differ);
  CHECK(s.kernels[2].graph_launches == 1);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> busy;
  for (const BusyRow& row : s.busy) busy[{row.device, row.path}] = row.busy_ns;
  CHECK(busy[{0, inner}] == 200);
  CHECK(busy[{0, solve}] == 250);
  CHECK(busy[{0, 0}] == 250);
  CHECK(busy[{1, 0}] == 10);
  REQUIRE(s.host_calls.size() == 1);
  CHECK(s.host_calls[0].launches == 2);
  CHECK(s.host_calls[0].launch_ns == 30);
  CHECK(s.host_calls[0].wait_ns == 70);
  REQUIRE(s.copies.size() == 1);
  CHECK(s.copies[0].count == 2);
  CHECK(s.copies[0].bytes == 16);
  CHECK(s.copies[0].ns == 8);
}

TEST_CASE("however many kernels there are, the sums stay bounded and none is lost") {
  PathTable paths;
  GpuLimits limits;
  limits.kernels = 100;
  limits.launches = 10;
  ActivityTally tally(limits);
  constexpr int many = 100000;
  for (int i = 0; i < many; ++i)
    tally.add(
        run_of(("kernel" + std::to_string(i)).c_str(),
               paths.number_of(encoded({"r" + std::to_string(i % 1000)})), 10 * i, 10 * i + 7),
        paths);
  Snapshot s;
  tally.write(s);
  CHECK(s.kernels.size() <= 2 * limits.kernels + 1);
  CHECK(s.launches.size() == 10);
  CHECK(s.totals.launches_left_out == many - 10);
  std::uint64_t launches = 0, sum = 0;
  for (const KernelRow& row : s.kernels) {
    launches += row.launches;
    sum += row.sum_ns;
  }
  CHECK(launches == many);
  CHECK(sum == 7 * many);
  for (const BusyRow& row : s.busy)
    if (row.path == 0) CHECK(row.busy_ns == 7 * many);
}

TEST_CASE("however many paths there are, busy time takes one bounded amount of memory") {
  PathTable paths;
  ActivityTally tally{GpuLimits{}};
  constexpr int many_paths = 15000, rounds = 60;
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < many_paths; ++i)
    numbers.push_back(paths.number_of(encoded({"r" + std::to_string(i)})));
  std::int64_t at = 0;
  std::size_t most = 0;
  for (int round = 0; round < rounds; ++round)
    for (const std::uint32_t path : numbers) {
      tally.add(run_of("k", path, at, at + 7), paths);
      at += 10;
      most = std::max(most, tally.busy_intervals());
    }
  CHECK(most <= ActivityTally::most_busy_intervals + 2);
  CHECK(most > ActivityTally::most_busy_intervals / 2);
  // A little late: still joined.
  tally.add(run_of("k", numbers.back(), at - 13, at - 10), paths);
  Snapshot s;
  tally.write(s);
  REQUIRE(s.busy.size() == many_paths + 1);
  for (const BusyRow& row : s.busy) {
    if (row.path == 0)
      REQUIRE(row.busy_ns == std::uint64_t{7} * rounds * many_paths + 3);
    else
      REQUIRE(row.busy_ns == 7 * rounds + (row.path == numbers.back() ? 3 : 0));
    REQUIRE(row.exact);
  }
}

TEST_CASE("a device has one name, whoever asks and whatever type its bytes have") {
  const unsigned char bytes[16] = {0xfa, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x80};
  char of_driver[16];
  std::memcpy(of_driver, bytes, sizeof bytes);
  CHECK(device_uuid(bytes, false) == "GPU-fa010203-0405-0607-0809-0a0b0c0d0e80");
  CHECK(device_uuid(of_driver, true) == "MIG-fa010203-0405-0607-0809-0a0b0c0d0e80");
  CHECK(is_mig_instance("NVIDIA A100-SXM4-40GB MIG 1g.5gb"));
  CHECK_FALSE(is_mig_instance("NVIDIA MIGHTY 3000"));
}

TEST_CASE("values of several launches become one as their metric says") {
  CHECK(combination_of("dram__bytes.sum") == Combination::sum);
  CHECK(combination_of("sm__cycles_elapsed.max") == Combination::most);
  CHECK(combination_of("sm__cycles_elapsed.min") == Combination::least);
  CHECK(combination_of("sm__cycles_elapsed.avg.per_second") == Combination::mean);
  CHECK(combination_of("dram__bytes.sum.per_second") == Combination::mean);
  CHECK(combination_of("dram__bytes.sum.peak_sustained") == Combination::most);
  const std::vector<std::string> metrics = {
      "gpu__time_duration.sum", "a.sum", "a.max", "a.min", "a.avg", "b.sum"};
  RangeTally tally{GpuLimits{}};
  tally.add("k", 0, 0, metrics, {100, 1, 5, 5, 10, 1});
  tally.add("k", 0, 0, metrics, {300, 2, 7, 3, 20, std::nan("")});
  tally.add("k", 0, 0, metrics, {0, 3, 6, 4, 1000, 1});  // no duration: hardly a weight
  tally.add("k", 0, 1, metrics, {1, 1});                 // too few values: not there
  Snapshot s;
  tally.write(s);
  REQUIRE(s.ranges.size() == 2);
  CHECK(s.ranges[0].launches == 3);
  CHECK(s.ranges[0].metrics.at("gpu__time_duration.sum") == 400);
  CHECK(s.ranges[0].metrics.at("a.sum") == 6);
  CHECK(s.ranges[0].metrics.at("a.max") == 7);
  CHECK(s.ranges[0].metrics.at("a.min") == 3);
  CHECK(s.ranges[0].metrics.at("a.avg") == (100 * 10.0 + 300 * 20.0 + 1 * 1000.0) / 401);
  CHECK(s.ranges[0].lacking == std::vector<std::string>{"b.sum"});
  CHECK(s.ranges[1].lacking == std::vector<std::string>{"a.avg", "a.max", "a.min", "b.sum"});

  GpuLimits limits;
  limits.kernels = 10;
  RangeTally many(limits);
  for (unsigned i = 0; i < 1000; ++i) many.add("k" + std::to_string(i), 0, i, {"a.sum"}, {1});
  Snapshot bounded;
  many.write(bounded);
  CHECK(bounded.ranges.size() <= 21);
  double sum = 0;
  for (const RangeRow& row : bounded.ranges) sum += row.metrics.at("a.sum");
  CHECK(sum == 1000);
}

TEST_CASE("what a function of the driver does is known by its name, in all its variants") {
  using Kind = CallKind;
  for (const char* name : {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx_ptsz",
                           "cuLaunchCooperativeKernel", "cudaLaunchKernel_v7000",
                           "cudaLaunchKernelExC_v11060", "cuLaunchGridAsync"})
    CHECK(kind_of_call(name) == Kind::launch);
  for (const char* name : {"cuGraphLaunch", "cuGraphLaunch_ptsz", "cudaGraphLaunch_v10000"})
    CHECK(kind_of_call(name) == Kind::graph);
  for (const char* name : {"cuCtxSynchronize", "cuCtxSynchronize_v2", "cuStreamSynchronize_ptsz",
                           "cuEventSynchronize", "cudaDeviceSynchronize_v3020"})
    CHECK(kind_of_call(name) == Kind::wait);
  for (const char* name :
       {"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2_ptds", "cuMemcpy", "cudaMemcpy_v3020", "cuMemcpy3D_v2"})
    CHECK(kind_of_call(name) == Kind::blocking_copy);
  for (const char* name : {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoD_v2", "cuMemcpyBatchAsync_v2",
                           "cuMemsetD8_v2", "cudaMemsetAsync_v3020"})
    CHECK(kind_of_call(name) == Kind::copy);
  for (const char* name : {"cuLaunchHostFunc", "cuLaunchHostFunc_ptsz", "cuMemAlloc_v2", "cuInit",
                           "cuGraphAddKernelNode", "cuStreamWaitEvent", "launch", "", "cu"})
    CHECK(kind_of_call(name) == Kind::none);
}

TEST_CASE("every error has one sentence and is there once") {
  std::set<int> codes;
  std::set<std::string> names;
  for (const Explanation& row : all_explanations()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    if (row.code != 0) {
      CHECK(codes.insert(row.code).second);
      CHECK(std::string(row.name).starts_with("CUPTI_ERROR_"));
      CHECK(&explain(row.code) == &row);
    }
    CHECK(&explain(std::string_view(row.name)) == &row);
    const std::string reason = row.reason;
    CHECK(!reason.empty());
    CHECK(reason.find('\n') == reason.npos);
    CHECK(reason.back() != '.');
  }
  for (const int code : {7, 10, 12, 15, 26, 27, 33, 35, 38, 39, 40, 41, 42, 43, 44, 45, 46, 999})
    CHECK(codes.contains(code));
  CHECK(explain(123456).name == std::string("unknown"));
  CHECK(explain("no such case").name == std::string("unknown"));
}
