// Times of merged regions, from closed forms.
#include <chrono>

#include "catch.hpp"
#include "raw.hpp"

using namespace roofmark;
using namespace roofmark::test;
using Path = std::vector<std::string>;

TEST_CASE("times, visits and self times of one thread") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const auto solve = add(main, top, "solve", 1, 6000, 1000, 7000);
  add(main, solve, "spmv", 10, 4000, 1000, 6900);
  add(main, solve, "dot", 20, 1000, 1100, 7000);
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));

  REQUIRE(profile.regions.size() == 4);
  CHECK(profile.regions[0].path.empty());
  CHECK(profile.regions[0].work.wall_s->value == Approx(10));
  CHECK(profile.regions[0].self.wall_s->value == Approx(4));
  const Region& region = *find(profile, {"solve"});
  CHECK(region.visits == 1);
  CHECK(region.threads == 1);
  CHECK(region.work.wall_s->value == Approx(6));
  CHECK_FALSE(region.work.wall_s->low);
  CHECK(region.self.wall_s->value == Approx(1));
  CHECK(region.work.thread_s->value == Approx(6));
  CHECK_FALSE(region.imbalance);
  CHECK(find(profile, {"solve", "spmv"})->visit_s->median == Approx(0.4));
  CHECK(find(profile, {"solve", "spmv"})->visit_s->stddev == Approx(0).margin(1e-9));
  CHECK(find(profile, {"solve", "spmv"})->flags.empty());
}

TEST_CASE("the markers' cost is taken out, once for each descendant visit, and never below zero") {
  RawProcess p = process();
  p.marker_ticks = 3;
  p.marker_inner_ticks = 1;
  RawThread main = thread(1, true);
  const auto outer = add(main, top, "outer", 1, 1000, 0, 1000);
  const auto inner = add(main, outer, "inner", 10, 300, 0, 1000);
  add(main, inner, "innermost", 20, 10, 0, 1000);
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));
  // 30 descendants of 3 ticks, and 1 of its own.
  CHECK(find(profile, {"outer"})->work.wall_s->value == Approx(0.909));
  CHECK(find(profile, {"outer"})->marker_s == Approx(0.091));
  CHECK(find(profile, {"outer", "inner"})->work.wall_s->value == Approx(0.300 - 0.060 - 0.010));
  CHECK(find(profile, {"outer", "inner", "innermost"})->work.wall_s->value == 0);
  CHECK(find(profile, {"outer", "inner", "innermost"})->marker_s == Approx(0.010));
  CHECK(find(profile, {"outer"})->self.wall_s->value == Approx(0.909 - 0.230));
}

TEST_CASE(
    "a median lies between the shortest visit and the longest, whatever a forked child spent") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  // Ten seconds of the sum are of a visit that the parent began: no visit of this process.
  RawNode& spawn = main.nodes.at(add(main, top, "spawn", 2, 11001, 0, 11001));
  spawn.min_ticks = 1;
  spawn.max_ticks = 1000;
  p.threads.push_back(main);
  const auto visit = find(joined(input_of({p}, 20)), {"spawn"})->visit_s;
  REQUIRE(visit);
  CHECK(visit->min <= visit->median);
  CHECK(visit->median <= visit->max);
  CHECK(visit->max == Approx(1));
}

TEST_CASE("a visit of few marker costs is too small, one of many is not") {
  RawProcess p = process();
  p.marker_ticks = 2;
  RawThread main = thread(1, true);
  add(main, top, "small", 100, 1900, 0, 5000);
  add(main, top, "large", 100, 2100, 5000, 9000);
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));
  CHECK(find(profile, {"small"})->flags.count("too_small") == 1);
  CHECK(find(profile, {"large"})->flags.count("too_small") == 0);
}

TEST_CASE("a region that is open at the end has lasted until then, and says so") {
  RawProcess p = process();
  p.ended = false;
  RawThread main = thread(1, true);
  const auto outer = add(main, top, "outer", 0, 0, 0, 0);
  main.nodes[outer].open_since = 2000;
  const auto inner = add(main, outer, "inner", 3, 3000, 2000, 5000);
  main.nodes[inner].open_since = 6000;
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}, 9));
  const Region& region = *find(profile, {"outer"});
  CHECK(region.visits == 1);
  CHECK(region.work.wall_s->value == Approx(7));
  CHECK(region.flags.count("unclosed") == 1);
  CHECK_FALSE(region.visit_s);
  CHECK(find(profile, {"outer", "inner"})->visits == 4);
  CHECK(find(profile, {"outer", "inner"})->work.wall_s->value == Approx(6));
}

namespace {

/// In a region that is open.
RawProcess preparing() {
  RawProcess made = process();
  RawThread main = thread(1, true);
  main.nodes.resize(1);
  main.nodes[0].name = "prepare";
  main.nodes[0].open_since = 1000;
  made.threads.push_back(main);
  return made;
}

}  // namespace

TEST_CASE("a program that was replaced by exec ends its regions there") {
  RawProcess first = preparing();
  RawProcess second = process();
  second.sequence = 1;
  second.calibration.first_ticks = 3000;
  second.calibration.first_raw_ns = 3'000'000'000;
  const Profile profile = joined(input_of({first, second}));
  CHECK(find(profile, {"prepare"})->work.wall_s->value == Approx(2));
}

TEST_CASE("wall time of several threads lies between the longest and the sum") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  add(main, top, "solve", 1, 9000, 0, 9000);
  p.threads.push_back(main);
  for (int tid : {2, 3}) {
    RawThread worker = thread(tid);
    const auto solve = add(worker, top, "solve", 0, 0, 0, 0);
    add(worker, solve, "work", 1, tid == 2 ? 4000U : 2000U, 1000, tid == 2 ? 5000 : 9000);
    p.threads.push_back(worker);
  }
  const Profile profile = joined(input_of({p}));
  const Region& work = *find(profile, {"solve", "work"});
  CHECK(work.threads == 2);
  CHECK(work.visits == 2);
  CHECK(work.work.thread_s->value == Approx(6));
  CHECK(*work.work.wall_s->low == Approx(4));
  CHECK(*work.work.wall_s->high == Approx(6));
  CHECK(*work.imbalance == Approx(4.0 / 3.0));
  // The workers' passage through `solve` adds nothing to it.
  CHECK(find(profile, {"solve"})->threads == 1);
  CHECK(find(profile, {"solve"})->work.thread_s->value == Approx(9));
  CHECK(find(profile, {"solve"})->self.thread_s->value == Approx(9));
}

TEST_CASE("first entry to last exit bounds the wall time") {
  RawProcess p = process();
  for (int tid : {1, 2, 3, 4}) {
    RawThread worker = thread(tid, tid == 1);
    add(worker, top, "loop", 1, 4000, 1000, 5000);
    p.threads.push_back(worker);
  }
  const Profile profile = joined(input_of({p}));
  CHECK(find(profile, {"loop"})->work.wall_s->value == Approx(4));
  CHECK_FALSE(find(profile, {"loop"})->work.wall_s->low);
  CHECK(*find(profile, {"loop"})->imbalance == Approx(1));
}

namespace {

/// Looks every 10 ms for `seconds`; `inside` of the two workers are in the region at each.
std::vector<PlacementSample> looks(double seconds, const Path& path, int inside, int processors) {
  std::vector<PlacementSample> samples;
  for (double time_s = 0; time_s < seconds; time_s += 0.01) {
    PlacementSample sample;
    sample.time_s = time_s;
    sample.threads.push_back({1, 1, 0, false, 0});
    for (int i = 0; i < 2; ++i)
      sample.threads.push_back({1, 2 + i, i % processors, true, i < inside ? path_key(path) : 0});
    samples.push_back(sample);
  }
  return samples;
}

RawProcess two_workers() {
  RawProcess p = process();
  for (int tid : {2, 3}) {
    RawThread worker = thread(tid);
    add(worker, top, "work", 10, 3000, 100, 9000);
    p.threads.push_back(worker);
  }
  return p;
}

}  // namespace

TEST_CASE("a thread that was ready and waited for a core kept none busy") {
  // Both were ready on a core of their own for three seconds, and ran for one and a half of six.
  const auto half_waited = [](const char* place) {
    JoinInput made = input_of({two_workers()});
    made.samples = looks(3, {place}, 2, 2);
    made.whole.wall_s = 3;
    made.whole.user_s = 1.5;
    made.whole.waited_s = 4.5;
    return made;
  };
  JoinInput input = half_waited("work");
  const Measure cores = *find(joined(input), {"work"})->cores_used;
  CHECK(cores.value == Approx(0.5));
  CHECK(cores.source == Source::estimated);
  CHECK(*cores.low == 0);
  CHECK(*cores.high == Approx(2));
  // More threads than cores, all to themselves: they waited for each other, and the cores were
  // busy.
  input.samples = looks(3, {"work"}, 2, 1);
  input.whole.user_s = 3;
  input.whole.waited_s = 3;
  CHECK(find(joined(input), {"work"})->cores_used->value == Approx(1));
  // Too short to be seen: its own times hold the waiting, too.
  const Profile unseen = joined(half_waited("elsewhere"));
  const Region& row = *find(unseen, {"work"});
  const Measure& own = *row.cores_used;
  CHECK(own.value == Approx(0.25 * row.work.thread_s->value / row.work.wall_s->value));
  CHECK(*own.low == 0);
  // Hardly any waiting: as it was seen.
  input.whole.waited_s = 0.1;
  CHECK(find(joined(input), {"work"})->cores_used->source == Source::measured);
}

TEST_CASE("looks tell whether threads were in a region together or one after the other") {
  JoinInput together = input_of({two_workers()});
  together.samples = looks(3, {"work"}, 2, 2);
  const Profile a = joined(together);
  CHECK(find(a, {"work"})->work.wall_s->value == Approx(3));
  CHECK_FALSE(find(a, {"work"})->work.wall_s->low);
  CHECK(find(a, {"work"})->cores_used->value == Approx(2));
  CHECK(find(a, {"work"})->cores_used->source == Source::measured);

  JoinInput apart = input_of({two_workers()});
  apart.samples = looks(6, {"work"}, 1, 1);
  const Profile b = joined(apart);
  CHECK(find(b, {"work"})->work.wall_s->value == Approx(6));
  CHECK(find(b, {"work"})->cores_used->value == Approx(1));

  // Four looks are few: what they agree in has a range, three say nothing.
  JoinInput seldom = input_of({two_workers()});
  seldom.samples = looks(3, {"work"}, 2, 2);
  seldom.samples.resize(4);
  const Profile d = joined(seldom);
  CHECK(find(d, {"work"})->cores_used->source == Source::measured);
  CHECK(find(d, {"work"})->cores_used->value == Approx(2));
  CHECK(*find(d, {"work"})->cores_used->low < 2);
  CHECK(*find(d, {"work"})->cores_used->high > 2);
  seldom.samples.resize(3);
  CHECK(find(joined(seldom), {"work"})->cores_used->source == Source::estimated);

  JoinInput unseen = input_of({two_workers()});
  const Profile c = joined(unseen);
  CHECK(*find(c, {"work"})->work.wall_s->low == Approx(3));
  CHECK(*find(c, {"work"})->work.wall_s->high == Approx(6));
  CHECK(find(c, {"work"})->cores_used->source == Source::estimated);
}

TEST_CASE(
    "too short to be seen, a region kept no more cores busy than there are, nor than threads") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  add(main, top, "work", 1, 9000, 0, 9000);
  add(main, top, "moment", 1, 20, 9000, 9020);  // 10 s of processor time would be 500 cores
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  const auto cores_with = [&](unsigned cores) {
    Profile profile;
    profile.machine.topology.caches = {{"L1", 32 << 10, 8, 64, 1, {}, {}}};
    profile.machine.topology.cores = profile.machine.topology.threads = cores;
    join(input, profile);
    const Measure found = *find(profile, {"moment"})->cores_used;
    CHECK(found.source == Source::estimated);
    CHECK(found.value == Approx(1));
    CHECK(*found.low <= found.value);
    CHECK(found.value <= *found.high);
    return *found.high;
  };
  // Nobody looked: other threads may have worked for it, on as many cores as there are.
  CHECK(cores_with(2) == 2);
  CHECK(*find(joined(input), {"moment"})->cores_used->high == Approx(500));
  const auto look = [](double time_s, int threads) {
    PlacementSample sample;
    sample.time_s = time_s;
    for (int i = 0; i < threads; ++i)
      sample.threads.push_back({1, 1 + i, i, true, i == 0 ? path_key({"work"}) : 0});
    return sample;
  };
  // Every look saw one thread, but others may have lived for that moment between two looks.
  for (int i = 0; i < 8; ++i) input.samples.push_back(look(i, 1));
  CHECK(cores_with(2) == 2);
  CHECK(cores_with(8) == 8);
  // The counted run saw every thread that there was, where it did the same to its end.
  CountedPass pass;
  pass.collector = "emulated";
  pass.processes.emplace_back();
  pass.processes[0].threads = {{0, 1, {}}};
  input.counted = pass;
  CHECK(cores_with(2) == 1);
  input.counted->processes[0].threads.push_back({1, 2, 0});
  CHECK(cores_with(8) == 2);
  input.counted = pass;
  input.counted->other_end = Problem{"it ended otherwise", "", ""};
  CHECK(cores_with(2) == 2);
  input.counted = pass;
  input.counted->hot_only = Problem{"only the hottest", "", ""};
  CHECK(cores_with(2) == 2);
  input.counted = pass;
  input.counted->left_running = Problem{"left running", "", ""};
  CHECK(cores_with(2) == 2);
  input.counted.reset();
  // The runtime recorded every thread that began: one was all there was.
  input.native[0].counting.emplace();
  CHECK(cores_with(2) == 1);
  CHECK(*find(joined(input), {"moment"})->cores_used->high == 1);
  // Two more had ended before the first look.
  RawThread ended;
  ended.folded = true;
  ended.ended_threads = 2;
  input.native[0].threads.push_back(ended);
  CHECK(cores_with(8) == 3);
  CHECK(cores_with(2) == 2);
  // There was no room to record all of them.
  input.native[0].truncated = true;
  CHECK(cores_with(8) == 8);
}

TEST_CASE("threads without a region work for the one that the first thread has open") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  add(main, top, "solve", 1, 5000, 0, 5000);
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  for (int i = 0; i < 100; ++i) {
    PlacementSample sample;
    sample.time_s = i * 0.05;
    sample.threads = {
        {1, 1, 0, true, path_key({"solve"})}, {1, 2, 1, true, 0}, {1, 3, 2, false, 0}};
    input.samples.push_back(sample);
  }
  const Profile profile = joined(input);
  CHECK(find(profile, {"solve"})->cores_used->value == Approx(2));
  CHECK(profile.regions[0].threads == 3);
}

namespace {

/// A process of one thread that is in "work" from `from` to `to`.
RawProcess worker_process(int pid, std::uint64_t from, std::uint64_t to) {
  RawProcess p = process(pid);
  RawThread main = thread(pid, true);
  add(main, top, "work", 10, to - from, from, to);
  p.threads.push_back(main);
  return p;
}

}  // namespace

TEST_CASE("processes that run one after another are no threads of one another") {
  // sh -c 'a; a; a'
  const Profile profile = joined(input_of(
      {worker_process(1, 0, 2000), worker_process(2, 3000, 5000), worker_process(3, 6000, 9000)}));
  const Region& work = *find(profile, {"work"});
  CHECK(work.threads == 1);
  CHECK(work.work.wall_s->value == Approx(7));
  CHECK_FALSE(work.work.wall_s->low);
  CHECK_FALSE(work.imbalance);
  CHECK(work.work.thread_s->value == Approx(7));
  CHECK(work.cores_used->value == Approx(1));
  CHECK(profile.regions[0].self.wall_s->value == Approx(3));
}

TEST_CASE("processes that overlap are, as many as there were at once") {
  // sh -c 'a & a & wait; a & a & a'
  const Profile profile = joined(input_of(
      {worker_process(1, 0, 2000), worker_process(2, 500, 2500), worker_process(3, 3000, 6000),
       worker_process(4, 3000, 4000), worker_process(5, 3500, 6500)}));
  const Region& work = *find(profile, {"work"});
  CHECK(work.threads == 3);
  CHECK(*work.work.wall_s->low == Approx(2 + 3));
  CHECK(*work.work.wall_s->high == Approx(2.5 + 3.5));
  REQUIRE(work.imbalance);
  CHECK(*work.imbalance == Approx(5 / (11.0 / 3)));
}

TEST_CASE("a program and what it turns into by exec follow one another") {
  RawProcess first = worker_process(1, 0, 4000), second = worker_process(1, 4500, 9000);
  second.sequence = 1;
  const Profile profile = joined(input_of({first, second}));
  CHECK(find(profile, {"work"})->threads == 1);
  CHECK(find(profile, {"work"})->work.wall_s->value == Approx(8.5));
}

TEST_CASE("a process that waits for its children is no thread that could work") {
  const auto most_threads = [](std::vector<PlacementSample::Thread> threads) {
    JoinInput input = input_of({});
    for (int i = 0; i < 10; ++i) input.samples.push_back({i * 0.1, threads});
    return joined(input).regions.at(0).threads;
  };
  // A shell and its command; the same with two commands at once; a parent that works as well.
  CHECK(most_threads({{1, 1, 0, false, 0, 0}, {2, 2, 1, true, 0, 1}}) == 1);
  CHECK(most_threads({{1, 1, 0, false, 0, 0}, {2, 2, 1, true, 0, 1}, {3, 3, 0, false, 0, 1}}) == 2);
  CHECK(most_threads({{1, 1, 0, true, 0, 0}, {2, 2, 1, true, 0, 1}}) == 2);
  // Idle threads of a process that has no child could work: that is what is told as serial.
  CHECK(most_threads({{1, 1, 0, true, 0, 0}, {1, 2, 1, false, 0, 0}}) == 2);
}

TEST_CASE("a moment of several commands at once makes no program of threads") {
  // A script: a pipe of three commands for 30 ms of a second, then one program.
  const std::vector<PlacementSample::Thread> pipe = {
      {2, 2, 0, true, 0, 1}, {3, 3, 1, true, 0, 1}, {4, 4, 0, true, 0, 1}};
  const auto threads_when_it_lasts = [&pipe](double pipe_s) {
    JoinInput input = input_of({});
    input.whole.wall_s = 1;
    // Looks come closer together at first: what counts is how long, not how often.
    for (int i = 0; i < 10; ++i) input.samples.push_back({i * pipe_s / 10, pipe});
    input.samples.push_back({pipe_s, {pipe.front()}});
    return joined(input).regions.at(0).threads;
  };
  CHECK(threads_when_it_lasts(0.03) == 1);
  CHECK(threads_when_it_lasts(0.07) == 3);
}

TEST_CASE("folded threads keep their number and the longest of them") {
  RawProcess p = process();
  RawThread folded = thread(0);
  folded.folded = true;
  folded.ended_threads = 100;
  const auto node = add(folded, top, "task", 100, 5000, 0, 6000);
  folded.nodes[node].threads = 100;
  folded.nodes[node].max_thread_ticks = 200;
  p.threads.push_back(folded);
  const Profile profile = joined(input_of({p}));
  const Region& task = *find(profile, {"task"});
  CHECK(task.threads == 100);
  CHECK(*task.imbalance == Approx(4));
  CHECK(*task.work.wall_s->low == Approx(0.2));
}

TEST_CASE("processes of one program are merged, those of another are kept apart") {
  RawProcess parent = process(1), child = process(2), other = process(3, "/usr/bin/helper");
  for (RawProcess* p : {&parent, &child, &other}) {
    RawThread main = thread(p->pid, true);
    add(main, top, "step", 2, 1000, 0, 2000);
    p->threads.push_back(main);
  }
  const Profile profile = joined(input_of({parent, child, other}));
  CHECK(find(profile, {"step"})->visits == 4);
  CHECK(find(profile, {"step"})->threads == 2);
  REQUIRE(find(profile, {"step [helper]"}));
  CHECK(find(profile, {"step [helper]"})->visits == 2);
}

TEST_CASE("a forked child adds its time to the visit that its parent began") {
  RawProcess parent = process(1), child = process(2);
  RawThread main = thread(1, true);
  add(main, top, "solve", 1, 5000, 0, 5000);
  parent.threads.push_back(main);
  child.calibration.last_ticks = 4000;
  child.calibration.last_raw_ns = 4'000'000'000;
  RawThread forked = thread(2, true);
  const auto solve = add(forked, top, "solve", 0, 0, 0, 0);
  forked.nodes[solve].inherited = true;
  forked.nodes[solve].open_since = 1000;
  add(forked, solve, "part", 1, 2000, 1500, 3500);
  child.threads.push_back(forked);
  const Profile profile = joined(input_of({parent, child}));
  const Region& region = *find(profile, {"solve"});
  CHECK(region.visits == 1);
  CHECK(region.work.thread_s->value == Approx(8));
  CHECK(region.flags.count("unclosed") == 0);
  CHECK(find(profile, {"solve", "part"})->work.wall_s->value == Approx(2));
}

TEST_CASE("what is open in a child that ended at an unknown time has a range, and no zero") {
  RawProcess parent = process(1), child = process(2);
  RawThread main = thread(1, true);
  add(main, top, "solve", 1, 6000, 0, 6000);
  parent.threads.push_back(main);
  child.ended = false;
  child.calibration.last_ticks = 2000;
  child.calibration.last_raw_ns = 2'000'000'000;
  child.marker_ticks = 10;
  RawThread forked = thread(2, true);
  const auto solve = add(forked, top, "solve", 0, 0, 0, 0);
  forked.nodes[solve].inherited = true;
  forked.nodes[solve].open_since = 1000;
  const auto part = add(forked, solve, "part", 0, 0, 0, 0);
  forked.nodes[part].open_since = 2000;
  child.threads.push_back(forked);
  JoinInput input = input_of({parent, child}, 8);
  Profile profile = joined(input);
  const auto check = [&](const Measure& measure, double low, double high) {
    REQUIRE(measure.high);
    CHECK(measure.source == Source::estimated);
    CHECK(*measure.low == Approx(low).margin(0.011));  // a marker's cost
    CHECK(*measure.high == Approx(high).margin(0.011));
    CHECK(measure.value == Approx((low + high) / 2).margin(0.011));
  };
  // From its last sign of life at 2 s to the program's end at 8 s.
  const Region& open = *find(profile, {"solve", "part"});
  check(*open.work.wall_s, 0, 6);
  check(*open.work.thread_s, 0, 6);
  check(*open.self.wall_s, 0, 6);
  CHECK(open.flags == std::set<std::string>{"unclosed"});
  check(*find(profile, {"solve"})->work.thread_s, 7, 13);
  check(*find(profile, {"solve"})->work.wall_s, 6, 8);
  CHECK_FALSE(find(profile, {"solve"})->self.thread_s->high);
  CHECK(profile.notes.size() == 1);
  // A look that found it alive narrows that down.
  PlacementSample look;
  look.time_s = 5;
  look.threads = {{2, 2, 0, true, 0, 1}};
  input.samples = {look};
  profile = joined(input);
  check(*find(profile, {"solve", "part"})->work.wall_s, 3, 6);
  // One that ended by exit() was there until then.
  input.native[1].ended = true;
  profile = joined(input);
  CHECK_FALSE(find(profile, {"solve", "part"})->work.wall_s->high);
  CHECK(profile.notes.empty());
}

TEST_CASE("between the last event before exec and the first one after it is no region's for sure") {
  RawProcess first = preparing();
  first.calibration.last_ticks = 2000;
  first.calibration.last_raw_ns = 2'000'000'000;
  RawProcess second = process();
  second.sequence = 1;
  second.calibration.first_raw_ns = 3'000'000'000;
  const Profile profile = joined(input_of({first, second}));
  const Measure& wall = *find(profile, {"prepare"})->work.wall_s;
  CHECK(*wall.low == Approx(1));
  CHECK(*wall.high == Approx(2));
}

TEST_CASE("what went wrong in the target is flagged where it did") {
  RawProcess p = process();
  p.truncated = true;
  p.truncated_reason = "No space left on device";
  p.stale_exits = 2;
  RawThread main = thread(1, true);
  main.nodes[add(main, top, "torn", 1, 10, 0, 10)].torn = true;
  main.nodes[add(main, top, "bad", 1, 10, 0, 10)].mismatched = true;
  main.nodes[add(main, top, "elsewhere", 1, 10, 0, 10)].wrong_thread = true;
  main.nodes[add(main, top, "(other)", 1, 10, 0, 10)].other = true;
  main.nodes[add(main, top, "adopted", 4, 10, 0, 10)].adopted_visits = 3;
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));
  CHECK(find(profile, {"torn"})->flags.count("torn") == 1);
  CHECK(find(profile, {"bad"})->flags.count("mismatched") == 1);
  CHECK(find(profile, {"elsewhere"})->flags.count("mismatched") == 1);
  CHECK(find(profile, {"(other)"})->flags.count("truncated") == 1);
  CHECK(find(profile, {"adopted"})->flags.count("adopted") == 1);
  CHECK(profile.notes.size() == 2);
}

TEST_CASE("one region that could not be kept flags itself and what it was in, nothing else") {
  RawProcess p = process();
  p.truncated = true;
  RawThread main = thread(1, true);
  main.truncated = true;
  const std::size_t solve = add(main, top, "solve", 1, 100, 0, 100);
  const std::size_t around = add(main, solve, "around", 1, 50, 0, 50);
  main.nodes[around].other_inside = true;
  add(main, around, "beside", 1, 10, 0, 10);
  main.nodes[add(main, top, "(other)", 1, 10, 0, 10)].other = true;
  p.threads.push_back(main);
  const Profile profile = joined(input_of({p}));
  for (const Region& region : profile.regions) {
    const bool concerned =
        !region.path.empty() && (region.path.back() == "around" || region.path.back() == "(other)");
    INFO((region.path.empty() ? "" : region.path.back()));
    CHECK(region.flags.count("truncated") == (concerned ? 1 : 0));
  }
}

TEST_CASE("a region of the program that is called (other) is its own") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  const std::size_t mine = add(main, top, "(other)", 3, 30, 0, 30);
  add(main, mine, "inside", 1, 10, 0, 10);
  const std::size_t ours = add(main, top, "(other)", 1, 10, 40, 50);
  main.nodes[ours].other = true;
  p.threads.push_back(main);
  CHECK(path_key(main, mine) != path_key(main, ours));
  const Profile profile = joined(input_of({p}));
  CHECK(find(profile, {"(other)"})->visits == 3);
  CHECK(find(profile, {"(other)"})->flags.count("truncated") == 0);
  CHECK(find(profile, {"(other)", "inside"})->visits == 1);
  REQUIRE(find(profile, {"(other) of roofmark"}) != nullptr);
  CHECK(find(profile, {"(other) of roofmark"})->visits == 1);
  CHECK(find(profile, {"(other) of roofmark"})->flags.count("truncated") == 1);
}

TEST_CASE(
    "visits of very different length are noisy, and so is all on a machine that is not quiet") {
  RawProcess p = process();
  RawThread main = thread(1, true);
  // Two visits of 1 s and 3 s scatter by half of their mean; of 1 s and 3.2 s by more.
  const auto even = add(main, top, "even", 2, 4000, 100, 5000);
  main.nodes[even].sum_of_squares = 1000.0 * 1000 + 3000.0 * 3000;
  const auto uneven = add(main, top, "uneven", 2, 4200, 5000, 9500);
  main.nodes[uneven].sum_of_squares = 1000.0 * 1000 + 3200.0 * 3200;
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  input.whole.waited_s = 0.5;
  const Profile quiet = joined(input);
  CHECK(find(quiet, {"even"})->flags.count("noisy") == 0);
  CHECK(find(quiet, {"uneven"})->flags.count("noisy") == 1);
  CHECK(quiet.notes.empty());
  input.whole.waited_s = 0.6;
  const Profile busy = joined(input);
  CHECK(find(busy, {"even"})->flags.count("noisy") == 1);
  CHECK(busy.regions[0].flags.count("noisy") == 1);
  CHECK(busy.program.waited_share == Approx(0.6 / 10.6));
  REQUIRE(busy.notes.size() == 1);
  CHECK(busy.notes[0].find("taken together, were ready to run for 0.6 s") != std::string::npos);
  CHECK(busy.notes[0].find("ran for 10 s") != std::string::npos);
}

TEST_CASE("an unannotated program is one row with its time and the reason") {
  JoinInput input = input_of({}, 2);
  input.whole.user_s = 3;
  input.no_markers = Problem{"the program entered no region", "", "annotate it"};
  input.not_counted = Problem{"counting was not asked for", "", "--counters auto"};
  const Profile profile = joined(input);
  REQUIRE(profile.regions.size() == 1);
  const Region& row = profile.regions[0];
  CHECK(row.path.empty());
  CHECK(row.visits == 1);
  CHECK(row.work.wall_s->value == 2);
  CHECK(row.work.thread_s->value == 3);
  CHECK(row.cores_used->value == Approx(1.5));
  CHECK(row.work.flop.empty());
  CHECK(is_missing(row, "regions"));
  CHECK(is_missing(row, "flop"));
  for (const char* level : {"bytes.L1", "bytes.L2", "bytes.L3", "bytes.DRAM"})
    CHECK(is_missing(row, level));
}

TEST_CASE("a clock without a calibration of its own borrows the recorder's") {
  RawProcess p = process();
  p.calibration.last_ticks = p.calibration.first_ticks = 5;
  p.calibration.last_raw_ns = p.calibration.first_raw_ns = 7;
  RawThread main = thread(1, true);
  add(main, top, "short", 1, 3000, 100, 3100);
  p.threads.push_back(main);
  JoinInput input = input_of({p});
  const Profile without = joined(input);
  CHECK_FALSE(find(without, {"short"})->work.wall_s);
  CHECK(is_missing(*find(without, {"short"}), "time.wall"));
  input.ticks_per_second = 1000.0;
  const Profile with = joined(input);
  CHECK(find(with, {"short"})->work.wall_s->value == Approx(3));
}

TEST_CASE("ten thousand regions on eight threads are joined in bounded time") {
  RawProcess p = process();
  for (int tid = 1; tid <= 8; ++tid) {
    RawThread worker = thread(tid, tid == 1);
    const auto root = add(worker, top, "root", 1, 9000, 0, 9000);
    for (int i = 0; i < 10000; ++i)
      add(worker, i % 100 == 0 ? root : worker.nodes.size() - 1, "region" + std::to_string(i), 1, 1,
          0, 9000);
    p.threads.push_back(worker);
  }
  const auto start = std::chrono::steady_clock::now();
  const Profile profile = joined(input_of({p}));
  CHECK(profile.regions.size() == 10002);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}
