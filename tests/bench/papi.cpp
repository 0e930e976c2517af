// What enter + exit of a region cost whose events are counted, by perf_event or by PAPI, against
// PAPI_hl_region_begin + PAPI_hl_region_end with the same events: in turn in one run, one thread,
// each in a process of its own, since a thread has one running event set a component. Software
// events are read by system calls alone; events of a PMU, where there is one, by its own
// instruction where the kernel allows that.
//   papi_bench PATH_OF_RUNTIME [software|hardware]
// Ends with 1 when a bound is missed: at most 0.25 of the high-level pair, or, where two readings
// by the same means are nearly as much already, at most 1.4 of these.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <roofmark/roofmark.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "collectors/perf/group.hpp"
#include "libprofiler/analysis/arena/arena_reader.hpp"
#include "software_events.hpp"
#include "timing.hpp"

namespace {

namespace fs = std::filesystem;
using roofmark::bench::median;

constexpr int loops = 2000, windows = 25;
/// The same event by PAPI's name and by the kernel's numbers.
struct NamedEvent {
  const char* name;
  std::uint64_t number;
};

/// Events of one kind, and how many of them are counted together.
struct EventSet {
  const char* kind;
  std::uint32_t type;     ///< PERF_TYPE_...
  std::uint32_t exclude;  ///< perf::exclude_...
  std::vector<NamedEvent> events;
  std::vector<std::size_t> counts;
};

const EventSet& software() {
  static const EventSet set{"software",
                            PERF_TYPE_SOFTWARE,
                            0,
                            {{"perf::PAGE-FAULTS", PERF_COUNT_SW_PAGE_FAULTS},
                             {"perf::CONTEXT-SWITCHES", PERF_COUNT_SW_CONTEXT_SWITCHES},
                             {"perf::CPU-MIGRATIONS", PERF_COUNT_SW_CPU_MIGRATIONS},
                             {"perf::MAJOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
                             {"perf::MINOR-FAULTS", PERF_COUNT_SW_PAGE_FAULTS_MIN},
                             {"perf::TASK-CLOCK", PERF_COUNT_SW_TASK_CLOCK},
                             {"perf::CPU-CLOCK", PERF_COUNT_SW_CPU_CLOCK},
                             {"perf::PAGE-FAULTS:u=1", PERF_COUNT_SW_PAGE_FAULTS}},
                            {1, 4, 8}};
  return set;
}

/// What every PMU has.
const EventSet& hardware() {
  static const EventSet set{"hardware",
                            PERF_TYPE_HARDWARE,
                            roofmark::perf::exclude_kernel | roofmark::perf::exclude_hypervisor,
                            {{"perf::INSTRUCTIONS", PERF_COUNT_HW_INSTRUCTIONS},
                             {"perf::CYCLES", PERF_COUNT_HW_CPU_CYCLES}},
                            {1, 2}};
  return set;
}

/// Arm's kernel lets a program read counters only where it is asked to (config1 of its PMU) and
/// kernel.perf_user_access allows it; x86's without being asked.
std::uint64_t request_of_user_reads(const EventSet& set) {
#ifdef __aarch64__
  int allowed = 0;
  std::ifstream("/proc/sys/kernel/perf_user_access") >> allowed;
  return set.type == PERF_TYPE_HARDWARE && allowed == 1 ? 2 : 0;
#else
  (void)set;
  return 0;
#endif
}

roofmark::perf::FlatPlan plan_of(const EventSet& set, std::size_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(set.events[i].number);
  return roofmark::bench::group_plan(set.type, numbers, set.exclude, request_of_user_reads(set));
}

template <class Region>
double region_ns(Region region) {
  for (int i = 0; i < loops; ++i) region();
  std::vector<double> ns;
  for (int window = 0; window < windows; ++window)
    ns.push_back(roofmark::bench::each_ns(loops, region));
  return median(ns);
}

/// The same events as one group of the kernel's, read twice.
int measure_bare(const EventSet& set, std::size_t count) {
  const auto plan = plan_of(set, count);
  roofmark::perf::Group group;
  if (roofmark::perf::open_group(plan, 0, 0, group)) return 1;
  std::uint64_t words[roofmark::perf::most_words_of_group];
  bool by_page = false;
  std::printf("%.1f\n", region_ns([&] {
                roofmark::perf::read_words(group, true, words, by_page);
                __asm__ volatile("" ::: "memory");
                roofmark::perf::read_words(group, true, words, by_page);
              }));
  return 0;
}

/// The same two readings by PAPI's low-level interface.
int measure_library(const EventSet& set, std::size_t count) {
  int events = PAPI_NULL;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
      PAPI_create_eventset(&events) != PAPI_OK)
    return 1;
  for (std::size_t i = 0; i < count; ++i)
    if (PAPI_add_named_event(events, set.events[i].name) != PAPI_OK) return 1;
  if (PAPI_start(events) != PAPI_OK) return 1;
  long long values[8];
  std::printf("%.1f\n", region_ns([&] {
                PAPI_read(events, values);
                __asm__ volatile("" ::: "memory");
                PAPI_read(events, values);
              }));
  return 0;
}

bool high_level_works() {
  return PAPI_hl_region_begin("try") == PAPI_OK && PAPI_hl_region_end("try") == PAPI_OK;
}

/// In the child: one number on standard output, or nothing.
int measure(const std::string& how) {
  if (how == "roofmark") {
    std::printf("%.1f\n", region_ns([] {
                  ROOFMARK_SCOPE("region");
                  __asm__ volatile("" ::: "memory");
                }));
    return 0;
  }
  for (const EventSet* set : {&software(), &hardware()}) {
    if (how.starts_with("perf." + std::string(set->kind)))
      return measure_bare(*set, std::stoul(how.substr(5 + std::strlen(set->kind))));
    if (how.starts_with("papi." + std::string(set->kind)))
      return measure_library(*set, std::stoul(how.substr(5 + std::strlen(set->kind))));
  }
  if (!high_level_works()) return 1;
  std::printf("%.1f\n", region_ns([] {
                PAPI_hl_region_begin("region");
                __asm__ volatile("" ::: "memory");
                PAPI_hl_region_end("region");
              }));
  return 0;
}

double measured_in_child(const char* self, const std::string& how,
                         const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    execl(self, self, "--measure", how.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? std::atof(text.c_str()) : 0;
}

std::string joined(const EventSet& set, std::size_t events, const char* between) {
  std::string text;
  for (std::size_t i = 0; i < events; ++i)
    text += (i == 0 ? "" : between) + std::string(set.events[i].name);
  return text;
}

std::string papi_plan(const EventSet& set, std::size_t events) {
  const std::string count = std::to_string(events);
  return "roofmark-papi/1\ngroup thread perf_event " + count + "\nevent " +
         joined(set, events, "\nevent ") + "\nend " + count + "\n";
}

std::string perf_plan(const EventSet& set, std::size_t events) {
  namespace perf = roofmark::perf;
  std::string text(perf::most_plan_text, '\0');
  text.resize(perf::write_plan(plan_of(set, events), text.data(), text.size()));
  return text;
}

/// A region that counts nothing is cheap.
bool all_counted(const std::string& folder, std::size_t events) {
  std::vector<roofmark::Problem> problems;
  const auto processes = roofmark::read_arenas(folder, problems);
  if (processes.empty()) return false;
  for (const auto& process : processes) {
    if (!process.counting) return false;
    for (const auto& thread : process.threads)
      for (const auto& node : thread.nodes)
        if (!node.events || node.events->groups.at(0).whole != node.visits ||
            node.events->groups.at(0).values.size() != events)
          return false;
  }
  return true;
}

/// The high-level interface leaves out what it can't count, and is cheaper then.
bool high_level_counted(const std::string& folder, const EventSet& set, std::size_t events) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    for (std::size_t i = 0; i < events; ++i)
      if (text.str().find("\"" + std::string(set.events[i].name) + "\"") == std::string::npos)
        return false;
    return true;
  }
  return false;
}

/// One way of ours to count: its plan, its recordings, its times.
struct Ours {
  const char* name;
  std::string folder;
  std::vector<std::string> environment;
  std::vector<double> ns, bare_ns, of_high_level, over_bare, floor;

  Ours(const char* name_, const std::string& below, const std::string& runtime,
       const std::string& plan)
      : name(name_), folder(below + "/" + name_) {
    fs::create_directories(folder + "/recordings");
    std::ofstream(folder + "/plan") << plan;
    environment = {"LD_PRELOAD=" + runtime, "ROOFMARK_RECORDING=" + folder + "/recordings",
                   "ROOFMARK_COUNTERS=" + folder + "/plan"};
  }
};

enum class Outcome { kept, missed, not_here, wrong };

Outcome compare(const char* self, const std::string& runtime, const std::string& folder,
                const EventSet& set, std::size_t count) {
  constexpr double of_high_level = 0.25, of_bare = 1.4;
  constexpr int rounds = 5;
  Ours ours[] = {{"perf", folder, runtime, perf_plan(set, count)},
                 {"papi", folder, runtime, papi_plan(set, count)}};
  const std::vector<std::string> theirs = {"PAPI_EVENTS=" + joined(set, count, ","),
                                           "PAPI_OUTPUT_DIRECTORY=" + folder + "/hl"};
  std::vector<double> high_level;
  const auto skipped = [&](const char* why) {
    std::printf("SKIPPED papi_bench, %zu %s events | %s\n", count, set.kind, why);
    return Outcome::not_here;
  };
  for (int round = 0; round < rounds; ++round) {
    high_level.push_back(measured_in_child(self, "high-level", theirs));
    if (high_level.back() <= 0) return skipped("PAPI's high-level interface does not work here");
    for (Ours& way : ours) {
      way.bare_ns.push_back(measured_in_child(
          self, way.name + std::string(".") + set.kind + std::to_string(count), {}));
      way.ns.push_back(measured_in_child(self, "roofmark", way.environment));
      if (way.bare_ns.back() <= 0 || way.ns.back() <= 0)
        return skipped("the events can't be counted here");
      way.of_high_level.push_back(way.ns.back() / high_level.back());
      way.over_bare.push_back(way.ns.back() / way.bare_ns.back());
      way.floor.push_back(way.bare_ns.back() / high_level.back());
    }
  }
  if (!high_level_counted(folder + "/hl", set, count))
    return skipped("PAPI's high-level interface does not count all of them");
  const std::string events =
      std::to_string(count) + " " + set.kind + (count == 1 ? " event" : " events");
  std::printf("%s: PAPI_hl_region_begin + _end %.0f ns\n", events.c_str(), median(high_level));
  Outcome outcome = Outcome::kept;
  for (const Ours& way : ours) {
    if (!all_counted(way.folder + "/recordings", count)) {
      std::printf("%s did not count the events in every region: there is nothing to compare\n",
                  way.name);
      return Outcome::wrong;
    }
    const double ratio = median(way.of_high_level), over = median(way.over_bare);
    const bool in_reach = median(way.floor) * of_bare <= of_high_level;
    std::printf("%s: enter + exit by %s %.0f ns, two readings by it %.0f ns\n", events.c_str(),
                way.name, median(way.ns), median(way.bare_ns));
    std::printf("RATIO two readings by %s : PAPI_hl begin + end, %s | %.3f | -\n", way.name,
                events.c_str(), median(way.floor));
    std::printf("RATIO enter + exit by %s : PAPI_hl begin + end, %s | %.3f | <= %.2f%s\n", way.name,
                events.c_str(), ratio, of_high_level,
                in_reach ? "" : " (1.4 of two readings are more)");
    std::printf("RATIO enter + exit by %s : two readings by it, %s | %.3f | %s\n", way.name,
                events.c_str(), over, in_reach ? "-" : "<= 1.4");
    if (in_reach ? ratio > of_high_level : over > of_bare) outcome = Outcome::missed;
  }
  return outcome;
}

int compare_all(const char* self, const std::string& runtime, const std::string& kind) {
  std::string folder = (fs::temp_directory_path() / "roofmark-papi-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  bool good = true;
  for (const EventSet* set : {&software(), &hardware()}) {
    if (!kind.empty() && kind != set->kind) continue;
    for (const std::size_t count : set->counts) {
      const Outcome outcome =
          compare(self, runtime, folder + "/" + set->kind + std::to_string(count), *set, count);
      good = good && outcome != Outcome::missed && outcome != Outcome::wrong;
      std::fflush(stdout);
    }
  }
  fs::remove_all(folder);
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "--measure") == 0) return measure(words[2]);
  if (count == 2 || count == 3)
    return compare_all("/proc/self/exe", words[1], count == 3 ? words[2] : "");
  std::fprintf(stderr, "usage: papi_bench PATH_OF_RUNTIME [software|hardware]\n");
  return 2;
}
