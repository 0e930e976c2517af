// Sums of hardware events on regions, from closed forms: what is taken out for the markers, what is
// a bound, what is absent and why.
#include <analysis/join/measured.hpp>

#include "catch.hpp"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;

namespace {

CounterEvent event(const std::string& name) {
  CounterEvent made;
  made.name = name;
  return made;
}

Formula formula(const std::string& quantity, Scope scope, Bound bound,
                std::vector<std::pair<double, std::string>> sum) {
  Formula made;
  made.quantity = quantity;
  made.scope = scope;
  made.bound = bound;
  for (auto& [weight, name] : sum) made.sum.push_back({weight, name, std::nullopt, ""});
  return made;
}

PlannedGroup group(std::vector<std::string> names, unsigned pass = 0, int cpu = -1) {
  PlannedGroup made;
  made.pass = pass;
  made.pmu = cpu < 0 ? "cpu" : "imc";
  made.cpu = cpu;
  made.package = cpu < 0 ? -1 : 0;
  for (std::string& name : names) made.events.push_back({std::move(name), {}});
  return made;
}

/// Scalars and vectors of four; lines; one table that outlives the plan.
std::shared_ptr<MeasuredPasses> passes(std::vector<PlannedGroup> groups) {
  auto tables = std::make_shared<EventTables>();
  EventTable& table = tables->tables.emplace_back();
  table.name = "made_up";
  for (const char* name : {"scalar", "packed", "lines", "imc_read", "imc_write"})
    table.events.push_back(event(name));
  table.formulas = {
      formula("flop.f64", Scope::process, Bound::exact, {{1, "scalar"}, {4, "packed"}}),
      formula("bytes.DRAM.read", Scope::process, Bound::lower, {{64, "lines"}}),
      formula("bytes.DRAM.read", Scope::socket, Bound::exact, {{64, "imc_read"}}),
      formula("bytes.DRAM.write", Scope::socket, Bound::exact, {{64, "imc_write"}})};
  auto made = std::make_shared<MeasuredPasses>();
  made->tables = tables;
  made->plan.table = &table;
  made->plan.groups = std::move(groups);
  const auto planned = [&](const Formula& candidate) {
    return std::all_of(candidate.sum.begin(), candidate.sum.end(), [&](const FormulaTerm& term) {
      for (const PlannedGroup& one : made->plan.groups)
        for (const PlannedEvent& known : one.events)
          if (known.name == term.event) return (one.cpu >= 0) == (candidate.scope == Scope::socket);
      return false;
    });
  };
  for (const Formula& candidate : table.formulas)
    if (planned(candidate)) made->plan.formulas.push_back(&candidate);
  for (const PlannedGroup& one : made->plan.groups)
    made->plan.passes = std::max(made->plan.passes, one.pass + 1);
  return made;
}

/// What an empty visit counts: the same for every event.
RawCounting counting(const std::vector<std::size_t>& sizes, double inner = 0, double whole = 0,
                     double scatter = 0) {
  RawCounting made;
  for (const std::size_t size : sizes) {
    made.groups.push_back({static_cast<unsigned>(size), false, false});
    made.inner.emplace_back(2 + size, inner);
    made.whole.emplace_back(2 + size, whole);
    made.scatter.emplace_back(2 + size, scatter);
  }
  return made;
}

RawEventGroup counted_whole(std::uint64_t visits, std::vector<std::uint64_t> values) {
  RawEventGroup made;
  made.whole = visits;
  made.enabled = made.running = 1000 * visits;
  made.values = std::move(values);
  return made;
}

/// solve (1 visit) with spmv (10 visits) inside, of one group of three events.
RawProcess program(std::vector<std::uint64_t> solve, std::vector<std::uint64_t> spmv,
                   std::uint64_t spmv_visits = 10) {
  RawProcess made = process();
  made.counting = counting({3});
  RawThread main = thread(1, true);
  const auto outer = add(main, top, "solve", 1, 6000, 1000, 7000);
  const auto inner = add(main, outer, "spmv", spmv_visits, 4000, 1000, 6900);
  main.nodes[outer].events = RawEvents{{counted_whole(1, std::move(solve))}, 0, 0, 0};
  main.nodes[inner].events = RawEvents{{counted_whole(spmv_visits, std::move(spmv))}, 0, 0, 0};
  made.threads.push_back(main);
  return made;
}

Profile measured(std::vector<RawProcess> native, std::shared_ptr<MeasuredPasses> passes) {
  JoinInput input = input_of(std::move(native));
  input.measured = std::move(passes);
  return joined(input);
}

const Missing* missing(const Region& region, const std::string& quantity) {
  for (const Missing& one : region.missing)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

bool has_caveat(const Count& count, const std::string& part) {
  return std::any_of(count.caveats.begin(), count.caveats.end(), [&](const std::string& caveat) {
    return caveat.find(part) != std::string::npos;
  });
}

RawProcess with_groups(std::vector<RawEventGroup> groups, std::uint64_t visits = 10) {
  RawProcess made = process();
  std::vector<std::size_t> sizes;
  for (const auto& one : groups) sizes.push_back(one.values.size());
  made.counting = counting(sizes);
  RawThread main = thread(1, true);
  const auto node = add(main, top, "solve", visits, 6000, 1000, 7000);
  main.nodes[node].events = RawEvents{std::move(groups), 0, 0, 0};
  made.threads.push_back(main);
  return made;
}

}  // namespace

TEST_CASE("formulas make quantities of sums, self and inclusive, with source measured") {
  const Profile profile = measured({program({130, 25, 7}, {100, 20, 4})},
                                   passes({group({"scalar", "packed", "lines"})}));
  const Region& solve = *find(profile, {"solve"});
  const Region& spmv = *find(profile, {"solve", "spmv"});
  const Count& flop = solve.work.flop.at(Precision::f64);
  CHECK(flop.value == 130 + 4 * 25);
  CHECK(flop.source == Source::measured);
  CHECK(flop.collector == "perf");
  CHECK(flop.scope == Scope::process);
  CHECK_FALSE(flop.low);
  CHECK(solve.self.flop.at(Precision::f64).value == 30 + 4 * 5);
  CHECK(spmv.work.flop.at(Precision::f64).value == 180);
  const Count& read = *solve.work.bytes.at("DRAM").read;
  CHECK(read.value == 64 * 7);
  CHECK(read.low == 64 * 7);
  CHECK_FALSE(read.high);
  CHECK(has_caveat(read, "lower bound"));
  CHECK_FALSE(solve.work.bytes.at("DRAM").write);
  CHECK(solve.work.mix.empty());
  CHECK_FALSE(is_missing(solve, "flop"));
  CHECK(is_missing(profile.regions[0], "flop"));
}

TEST_CASE("what the markers count is taken out, of a region and of the one around it") {
  RawProcess one = program({1000, 0, 0}, {500, 0, 0});
  one.counting = counting({3}, 2, 5);
  const Profile profile = measured({one}, passes({group({"scalar", "packed", "lines"})}));
  // Ten visits of spmv: 2 each are its own, 5 each its parent's, of which 2 are inside.
  const Region& solve = *find(profile, {"solve"});
  CHECK(find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 500 - 20 + 4 * 0);
  CHECK(solve.self.flop.at(Precision::f64).value == 500 - 2 - 30);
  CHECK(solve.work.flop.at(Precision::f64).value == 1000 - 2 - 50);
}

TEST_CASE("what is left uncertain is a range, with the visits that would be needed") {
  RawProcess one = program({1000, 0, 0}, {40, 0, 0});
  one.counting = counting({3}, 0, 0, 3);
  const Profile profile = measured({one}, passes({group({"scalar", "packed", "lines"})}));
  const Region& spmv = *find(profile, {"solve", "spmv"});
  const Count& flop = spmv.work.flop.at(Precision::f64);
  // Two deviations: 2 sqrt(10 (1 + 16)) 3 = 78.
  CHECK(flop.value == 40);
  CHECK(flop.low == 0);
  CHECK(flop.high == 118);
  CHECK(spmv.flags.count("uncertain_counts") == 1);
  // 10 (78 / 4)^2
  CHECK(has_caveat(flop, "\302\26178 here: 3803 visits would give 10 %"));
}

TEST_CASE("threads, and children of a fork, are added by path") {
  RawProcess parent = program({10, 0, 0}, {5, 0, 0});
  RawThread second = thread(2);
  const auto passed = add(second, top, "solve", 0, 0, 0, 0);
  const auto worked = add(second, passed, "spmv", 3, 300, 1000, 2000);
  second.nodes[worked].events = RawEvents{{counted_whole(3, {7, 0, 0})}, 0, 0, 0};
  parent.threads.push_back(second);
  RawProcess child = process(2);
  child.counting = counting({3});
  RawThread main = thread(2, true);
  const auto inherited = add(main, top, "solve", 0, 100, 3000, 3100);
  main.nodes[inherited].inherited = true;
  main.nodes[inherited].events = RawEvents{{counted_whole(0, {70, 0, 0})}, 0, 0, 0};
  child.threads.push_back(main);
  const Profile profile = measured({parent, child}, passes({group({"scalar", "packed", "lines"})}));
  CHECK(find(profile, {"solve", "spmv"})->work.flop.at(Precision::f64).value == 12);
  CHECK(find(profile, {"solve"})->work.flop.at(Precision::f64).value == 10 + 7 + 70);
}

TEST_CASE("a group that never ran leaves its quantities absent, never 0") {
  RawEventGroup silent;
  silent.missed = 10;
  silent.enabled = 1000;
  silent.values = {0, 0};
  const Profile profile = measured({with_groups({silent, counted_whole(10, {3})})},
                                   passes({group({"scalar", "packed"}), group({"lines"})}));
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.flop.empty());
  CHECK(solve.work.bytes.at("DRAM").read->value == 192);
  REQUIRE(missing(solve, "flop.f64"));
  CHECK(missing(solve, "flop.f64")->reason.find("did not run in any visit") != std::string::npos);
}

TEST_CASE("visits that were not counted make a lower bound, with the reason") {
  RawEventGroup some = counted_whole(7, {700, 0});
  some.unread = 3;
  auto plan = passes({group({"scalar", "packed"})});
  plan->explain = [](const RawRefusal& refusal, unsigned) {
    return Problem{"refused with " + std::to_string(refusal.error), "", "ulimit -n 65536"};
  };
  RawProcess one = with_groups({some});
  one.threads[0].refusal = {24, 0, 1};
  const Profile profile = measured({one}, plan);
  const Count& flop = find(profile, {"solve"})->work.flop.at(Precision::f64);
  CHECK(flop.value == 700);
  CHECK(flop.source == Source::estimated);
  CHECK(flop.low == 700);
  CHECK(has_caveat(flop, "counted in 7 of 10 visits (refused with 24)"));

  some.whole = 0;
  some.unread = 10;
  one = with_groups({some});
  one.threads[0].refusal = {24, 0, 1};
  const Profile none = measured({one}, plan);
  REQUIRE(missing(*find(none, {"solve"}), "flop.f64"));
  CHECK(missing(*find(none, {"solve"}), "flop.f64")->reason == "refused with 24");
  CHECK(missing(*find(none, {"solve"}), "flop.f64")->fix == "ulimit -n 65536");
}

TEST_CASE("a group that took turns is scaled only where that was asked for, and it is said") {
  RawEventGroup turns;
  turns.part = 10;
  turns.enabled = 4000;
  turns.running = 1000;
  turns.values = {250, 0};
  auto plan = passes({group({"scalar", "packed"})});
  CHECK(measured({with_groups({turns})}, plan).regions[1].work.flop.empty());
  plan->multiplexed = true;
  const Profile scaled = measured({with_groups({turns})}, plan);
  const Count& flop = scaled.regions[1].work.flop.at(Precision::f64);
  CHECK(flop.value == 1000);
  CHECK(flop.source == Source::estimated);
  CHECK(has_caveat(flop, "scaled by up to 4"));
}

TEST_CASE("a further pass counts per visit; visits that differ make a range") {
  auto plan = passes({group({"scalar", "packed"}), group({"lines"}, 1)});
  RawProcess native = with_groups({counted_whole(10, {100, 0})});
  RawProcess second = with_groups({counted_whole(5, {50})}, 5);
  plan->later = {{second}};
  const Profile profile = measured({native}, plan);
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.flop.at(Precision::f64).value == 100);
  const Count& read = *solve.work.bytes.at("DRAM").read;
  CHECK(read.value == 64 * 100);
  CHECK(read.low == 64 * 50);
  CHECK(read.high == 64 * 100);
  CHECK(solve.flags.count("visits_differ") == 1);

  plan->later = {{}};  // it failed
  const Profile failed = measured({native}, plan);
  CHECK(failed.regions[1].work.flop.at(Precision::f64).value == 100);
  CHECK(failed.regions[1].work.bytes.empty());
  CHECK(is_missing(failed.regions[1], "bytes.DRAM.read"));
}

TEST_CASE("bytes of a socket are the program's only where it had the socket to itself") {
  const auto socket_plan = [] {
    return passes({group({"scalar", "packed"}), group({"imc_read", "imc_write"}, 0, 0)});
  };
  RawProcess native = with_groups({counted_whole(10, {100, 0}), counted_whole(10, {1000, 500})});
  RawThread worker = thread(2);
  const auto task = add(worker, top, "worker", 1, 10, 1000, 1010);
  RawEventGroup unread;
  unread.unread = 1;
  unread.values = {0, 0};
  worker.nodes[task].events = RawEvents{{counted_whole(1, {5, 0}), unread}, 0, 0, 0};
  native.threads.push_back(worker);

  auto plan = socket_plan();
  const Profile refused = measured({native}, plan);
  const Traffic& traffic = refused.regions[1].work.bytes.at("DRAM");
  CHECK(traffic.read->value == 64000);
  CHECK(traffic.write->value == 32000);
  CHECK(traffic.read->scope == Scope::socket);
  CHECK(has_caveat(*traffic.read, "all programs on it together"));
  CHECK(refused.regions[1].flags.count("owns_socket") == 0);
  // A thread that is not the main one has none of its own.
  const Region& other = *find(refused, {"worker"});
  CHECK(other.work.bytes.empty());
  CHECK(is_missing(other, "bytes.DRAM.read"));
  CHECK(other.work.flop.at(Precision::f64).value == 5);

  // The region was open for 6 seconds.
  const auto with_others = [&](double per_second, double cpu_share) {
    plan = socket_plan();
    plan->socket.others_per_s = {{"bytes.DRAM.read", per_second}, {"bytes.DRAM.write", 0}};
    plan->socket.others_cpu_share = cpu_share;
    return measured({native}, plan).regions[1].flags.count("owns_socket") == 1;
  };
  CHECK(with_others(700, 0.01));
  CHECK_FALSE(with_others(900, 0.01));  // 5400 of 96000
  CHECK_FALSE(with_others(700, 0.06));
}

TEST_CASE("work of threads that can't be read makes a lower bound") {
  RawProcess one = with_groups({counted_whole(10, {100, 0})});
  one.threads[0].nodes[0].events->blind_visits = 2;
  const Profile profile = measured({one}, passes({group({"scalar", "packed"})}));
  const Count& flop = profile.regions[1].work.flop.at(Precision::f64);
  CHECK(flop.source == Source::estimated);
  CHECK(has_caveat(flop, "could not be read"));
}

TEST_CASE("a region that was open when the program ended has a lower bound") {
  RawProcess one = with_groups({counted_whole(9, {90, 0})}, 9);
  one.ended = false;
  one.threads[0].nodes[0].open_since = 8000;
  one.threads[0].nodes[0].last_exit = 7000;
  const Profile profile = measured({one}, passes({group({"scalar", "packed"})}));
  CHECK(has_caveat(profile.regions[1].work.flop.at(Precision::f64),
                   "counted in 9 of 10 visits (the program ended inside a visit)"));
}

TEST_CASE("modelled bytes fill in for what hardware can't count") {
  JoinInput input = input_of({program({130, 25, 7}, {100, 20, 4})});
  input.measured = passes({group({"scalar", "packed", "lines"})});
  input.counted = CountedPass{"emulated",
                              {process_counts({counted({"solve"}, 1, 999, 640),
                                               counted({"solve", "spmv"}, 10, 999, 6400)})},
                              std::nullopt};
  const Profile profile = joined(input);
  const Region& solve = *find(profile, {"solve"});
  CHECK(solve.work.flop.at(Precision::f64).value == 230);
  CHECK(solve.work.flop.at(Precision::f64).source == Source::measured);
  CHECK(solve.work.bytes.at("DRAM").read->source == Source::modelled);
  CHECK(solve.work.bytes.at("DRAM").read->value == 7040);
  CHECK(solve.work.bytes.at("DRAM").write);
}

TEST_CASE("reading others' counters is in no region's time") {
  RawProcess one = program({130, 25, 7}, {100, 20, 4});
  one.threads[0].nodes[1].events->shared_ticks = 500;
  one.threads[0].nodes[1].events->shared_visits = 10;
  const Profile profile = measured({one}, passes({group({"scalar", "packed", "lines"})}));
  CHECK(find(profile, {"solve"})->work.thread_s->value == 5.5);
  CHECK(find(profile, {"solve", "spmv"})->work.thread_s->value == 4.0);
  CHECK(std::any_of(profile.notes.begin(), profile.notes.end(), [](const std::string& note) {
    return note.find("10 visits") != std::string::npos && note.find("0.5 s") != std::string::npos;
  }));
}
