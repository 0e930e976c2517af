// Exact counts of breakpoints and page faults, through the runtime as `record` loads it.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/resource.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "catch.hpp"
#include "collectors/perf/flat_plan.hpp"
#include "collectors/perf/group.hpp"
#include "counted_places.hpp"
#include "recorded.hpp"

namespace {

using namespace roofmark;

perf::Event writes_to(std::uintptr_t place) {
  return {PERF_TYPE_BREAKPOINT, 3, HW_BREAKPOINT_W, 0, place, HW_BREAKPOINT_LEN_8};
}
perf::Event calls_of(std::uintptr_t place) {
  return {PERF_TYPE_BREAKPOINT, 3, HW_BREAKPOINT_X, 0, place, sizeof(long)};
}
perf::Event page_faults() {
  return {PERF_TYPE_SOFTWARE, 3, 0, PERF_COUNT_SW_PAGE_FAULTS, 0, 0};
}

using Groups = std::vector<std::vector<perf::Event>>;

const Groups all_places = {{writes_to(place_a), writes_to(place_b), calls_of(place_x)},
                           {page_faults()}};
const Groups one_place = {{writes_to(place_a)}};

std::string plan_text_of(const Groups& groups) {
  perf::FlatPlan plan;
  for (const auto& events : groups) {
    auto& group = plan.groups[plan.group_count++];
    group = {-1, static_cast<std::uint16_t>(plan.event_count),
             static_cast<std::uint16_t>(events.size())};
    for (const auto& event : events) plan.events[plan.event_count++] = event;
  }
  std::string text(perf::most_plan_text, '\0');
  text.resize(perf::write_plan(plan, text.data(), text.size()));
  return text;
}

bool counts_here(const Groups& groups) {
  perf::FlatPlan plan;
  plan.groups[0] = {-1, 0, 1};
  plan.group_count = plan.event_count = 1;
  plan.events[0] = groups[0][0];
  perf::Group group;
  const perf::Refusal refusal = perf::open_group(plan, 0, 0, group);
  perf::close_group(group);
  if (refusal) WARN("not tested here: perf_event_open gives errno " << refusal.error);
  return !refusal;
}

Recorded record_counted(const std::string& scenario, const std::string& plan,
                        RunOptions options = {}) {
  TemporaryDirectory folder;
  const std::string file = folder.path + "/plan";
  std::ofstream(file) << plan;
  options.environment.push_back("ROOFMARK_COUNTERS=" + file);
  return record("runtime_target", scenario, options);
}

/// Sums over threads of a path's records in a process.
struct Counted {
  std::uint64_t visits = 0;
  std::vector<RawEventGroup> groups;
  std::uint64_t shared = 0, blind = 0;
};
Counted counted(const RawProcess& process, const std::string& path) {
  Counted sum;
  for (const auto& thread : process.threads)
    for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
      std::string joined;
      for (const auto& name : thread.path(i)) joined += (joined.empty() ? "" : "|") + name;
      const auto& node = thread.nodes[i];
      if (joined != path || !node.events) continue;
      sum.visits += node.visits;
      sum.shared += node.events->shared_visits;
      sum.blind += node.events->blind_visits;
      sum.groups.resize(node.events->groups.size());
      for (std::size_t g = 0; g < sum.groups.size(); ++g) {
        const RawEventGroup& one = node.events->groups[g];
        RawEventGroup& all = sum.groups[g];
        all.whole += one.whole;
        all.part += one.part;
        all.missed += one.missed;
        all.unread += one.unread;
        all.values.resize(one.values.size());
        for (std::size_t v = 0; v < one.values.size(); ++v) all.values[v] += one.values[v];
      }
    }
  return sum;
}
std::vector<std::uint64_t> values(const Recorded& run, const std::string& path,
                                  std::size_t group = 0) {
  REQUIRE_FALSE(run.processes.empty());
  const Counted sum = counted(run.processes.front(), path);
  REQUIRE(sum.groups.size() > group);
  return sum.groups[group].values;
}
using Values = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("a region's counts are those of its visits, to the last one") {
  if (!counts_here(all_places)) return;
  const Recorded run = record_counted("counted exact", plan_text_of(all_places));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "work") == Values{2000, 1000, 500});
  REQUIRE(values(run, "work|first") == Values{0, 500, 0});
  REQUIRE(values(run, "work|second") == Values{0, 500, 0});
  REQUIRE(values(run, "nothing") == Values{0, 0, 0});
  const Counted work = counted(run.processes[0], "work");
  REQUIRE(work.visits == 2);
  REQUIRE(work.groups[0].whole == 2);
  REQUIRE(work.groups[0].part + work.groups[0].missed + work.groups[0].unread == 0);
  REQUIRE(work.shared == 0);
  REQUIRE(run.processes[0].counting);
  REQUIRE(run.processes[0].counting->plan == plan_text_of(all_places));
  REQUIRE(run.processes[0].counting->inner[0][2] == 0);
  REQUIRE(run.processes[0].refused_threads == 0);
}

TEST_CASE("64 touched pages are 64 page faults") {
  const Groups faults = {{page_faults()}};
  if (!counts_here(faults)) return;
  const Recorded run = record_counted("counted pages", plan_text_of(faults));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "pages") == Values{64});
  REQUIRE(values(run, "no pages") == Values{0});
}

TEST_CASE("work in threads' own regions is theirs, and counted once") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted threads", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "team|task") == Values{8 * 120});
  REQUIRE(values(run, "team") == Values{7});
}

TEST_CASE("work of threads without regions is that of the region open in their creator") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted unmarked", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "before") == Values{0});
  REQUIRE(values(run, "solve") == Values{5 + 8 * 110});
  REQUIRE(values(run, "solve|step") == Values{8 * 10});
  REQUIRE(values(run, "again") == Values{8});
  const Counted solve = counted(run.processes[0], "solve");
  REQUIRE(solve.shared == 1);
  REQUIRE(solve.blind == 0);
}

TEST_CASE("work of threads that have ended stays where it was done") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted ended", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "first") == Values{42});
  REQUIRE(values(run, "second") == Values{300});
  REQUIRE(values(run, "third") == Values{0});
}

TEST_CASE("threads that were there before the first region are counted from then on") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted early", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  REQUIRE(values(run, "first") == Values{0});
  REQUIRE(values(run, "solve") == Values{20});
  REQUIRE(values(run, "solve|task") == Values{200});
}

TEST_CASE("a fork child counts its own work, from the fork on") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted forks", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.processes.size() == 2);
  for (const RawProcess& process : run.processes) {
    const Counted solve = counted(process, "solve");
    REQUIRE(solve.groups.size() == 1);
    if (process.parent_pid) {
      REQUIRE(process.counting);
      REQUIRE(solve.groups[0].values == Values{76});
      REQUIRE(counted(process, "solve|child").groups[0].values == Values{6});
    } else {
      REQUIRE(solve.groups[0].values == Values{15});
    }
  }
}

TEST_CASE("a region that another thread leaves counts the thread that entered it") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted elsewhere", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  // With what the other thread, which has no region of its own, did until then.
  REQUIRE(values(run, "handed over") == Values{530});
  REQUIRE(values(run, "after") == Values{4});
}

TEST_CASE("a group that does not open is not counted, and the reason is kept") {
  if (!counts_here(one_place)) return;
  Groups groups = one_place;
  std::vector<perf::Event> too_many;
  for (unsigned i = 1; i < 7; ++i) too_many.push_back(writes_to(place_b + 8 * i));
  groups.push_back(too_many);
  const Recorded run = record_counted("counted exact", plan_text_of(groups));
  REQUIRE(run.exit_status == 0);
  const Counted work = counted(run.processes[0], "work");
  REQUIRE(work.groups[0].values == Values{2000});
  REQUIRE(work.groups[0].whole == 2);
  REQUIRE(work.groups[1].whole == 0);
  REQUIRE(work.groups[1].unread == 2);
  REQUIRE(run.processes[0].refused_threads == 1);
  REQUIRE(run.processes[0].first_refusal.error == ENOSPC);
  REQUIRE(run.processes[0].first_refusal.group == 1);
}

TEST_CASE("threads beyond the limit of descriptors are not counted, and the program runs") {
  if (!counts_here(one_place)) return;
  RunOptions options;
  options.before_exec = [] {
    const rlimit limit = {32, 32};
    setrlimit(RLIMIT_NOFILE, &limit);
  };
  Groups groups = one_place;
  groups.push_back({page_faults(), page_faults(), page_faults()});
  const Recorded run = record_counted("counted threads", plan_text_of(groups), options);
  REQUIRE(run.exit_status == 0);
  const RawProcess& process = run.processes.at(0);
  REQUIRE(process.refused_threads != 0);
  REQUIRE(process.first_refusal.error == EMFILE);
  const Counted task = counted(process, "team|task");
  REQUIRE(task.visits == 16);
  REQUIRE(task.groups[0].whole + task.groups[0].unread == 16);
  REQUIRE(task.groups[1].whole + task.groups[1].unread == 16);
  REQUIRE(task.groups[1].unread != 0);
  // What was counted is exact: each thread's visits are of 100 and 20 writes.
  REQUIRE(task.groups[0].values[0] == task.groups[0].whole * 60);
}

TEST_CASE("counters take no descriptor that the program could have") {
  if (!counts_here(one_place)) return;
  for (const rlim_t soft : {rlim_t{64}, rlim_t{1024}}) {
    RunOptions options;
    options.before_exec = [&] {
      rlimit limit;
      getrlimit(RLIMIT_NOFILE, &limit);
      limit.rlim_cur = soft;
      setrlimit(RLIMIT_NOFILE, &limit);
    };
    rlimit mine;
    getrlimit(RLIMIT_NOFILE, &mine);
    if (mine.rlim_max <= soft) continue;
    REQUIRE(record_counted("counted descriptors", plan_text_of(one_place), options).exit_status ==
            0);
  }
}

TEST_CASE("a program that closes all descriptors is not counted from then on") {
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted closes all", plan_text_of(one_place));
  REQUIRE(run.exit_status == 0);
  const Counted work = counted(run.processes[0], "work");
  REQUIRE(work.groups[0].values == Values{10});
  REQUIRE(work.groups[0].whole == 1);
  REQUIRE(work.groups[0].unread == 1);
}

TEST_CASE("a whole CPU's counters are read at the main thread's regions alone") {
  // Page faults of CPU 0, whoever has them: more than none only by chance, so only who reads is
  // tested.
  std::string plan = plan_text_of(one_place);
  plan.insert(plan.rfind("end "), "group cpu 0 1\nevent 1 2 0 0 0 0\n");
  plan.replace(plan.rfind("end "), std::string::npos, "end 2\n");
  if (!counts_here(one_place)) return;
  const Recorded run = record_counted("counted threads", plan);
  REQUIRE(run.exit_status == 0);
  const RawProcess& process = run.processes.at(0);
  if (process.first_refusal.error != 0) {
    WARN("not tested here: counting a CPU gives errno " << process.first_refusal.error);
    return;
  }
  REQUIRE(process.counting->groups.at(1).of_package);
  REQUIRE(counted(process, "team").groups.at(1).whole == 1);
  REQUIRE(counted(process, "team|task").groups.at(1).unread == 16);
  REQUIRE(counted(process, "team|task").groups.at(0).values == Values{8 * 120});
}

TEST_CASE("a plan that can't be followed is told, and times are recorded") {
  for (const auto& [plan, reason] : std::vector<std::pair<std::string, std::string>>{
           {"roofmark-perf/1\n", "the text has no `end`"},
           {"roofmark-nobody/1\n", "the library that would count is not beside the runtime"},
           {"", "the library that would count is not beside the runtime"}}) {
    const Recorded run = record_counted("nested", plan);
    REQUIRE(run.exit_status == 0);
    REQUIRE(run.processes.at(0).counting_refusal == reason);
    REQUIRE_FALSE(run.processes[0].counting);
    REQUIRE(run.processes[0].threads.at(0).nodes.at(0).visits != 0);
  }
}
