// What a region costs whose events PAPI counts, against a region of PAPI's high-level interface
// with the same events: in turn in one run, each in a process of its own, since a thread has one
// running event set a component.
//   papi_bench PATH_OF_RUNTIME
// Ends with 1 when a bound is missed: at most 0.25 of the high-level interface, which two readings
// by system calls alone exceed on fast processors; there, at most 1.4 of these two readings.
#include <fcntl.h>
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
#include <string>
#include <vector>

#include "collectors/perf/group.hpp"
#include "libprofiler/analysis/profile/arena_reader.hpp"
#include "software_events.hpp"
#include "timing.hpp"

namespace {

namespace fs = std::filesystem;
using roofmark::bench::median;

constexpr int loops = 2000, windows = 25;
const std::vector<std::string> software_events = {"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES",
                                                  "perf::CPU-MIGRATIONS", "perf::MAJOR-FAULTS"};

template <class Region>
double region_ns(Region region) {
  for (int i = 0; i < loops; ++i) region();
  std::vector<double> ns;
  for (int window = 0; window < windows; ++window)
    ns.push_back(roofmark::bench::each_ns(loops, region));
  return median(ns);
}

/// The same events as one group of the kernel's, read twice.
int measure_bare(unsigned count) {
  const std::vector<std::uint64_t> numbers = {2, 3, 4, 6};  // PERF_COUNT_SW_..., as above
  const auto plan = roofmark::bench::software_plan({numbers.begin(), numbers.begin() + count}, 0);
  roofmark::perf::Group group;
  if (roofmark::perf::open_group(plan, 0, 0, group)) return 1;
  roofmark::perf::Reading reading;
  std::printf("%.1f\n", region_ns([&] {
                roofmark::perf::read_group(group, true, reading);
                __asm__ volatile("" ::: "memory");
                roofmark::perf::read_group(group, true, reading);
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
  if (how.starts_with("bare"))
    return measure_bare(static_cast<unsigned>(std::stoul(how.substr(4))));
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

std::string joined(const std::vector<std::string>& events, const char* between) {
  std::string text;
  for (const std::string& event : events) text += (text.empty() ? "" : between) + event;
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

int compare(const char* self, const std::string& runtime) {
  std::string folder = (fs::temp_directory_path() / "roofmark-papi-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  bool good = true;
  for (const std::size_t count : {std::size_t{1}, std::size_t{4}}) {
    const std::vector<std::string> events(software_events.begin(),
                                          software_events.begin() + static_cast<long>(count));
    std::ofstream(folder + "/plan")
        << "roofmark-papi/1\ngroup thread perf_event " << count << "\nevent "
        << joined(events, "\nevent ") << "\nend " << count << "\n";
    const std::string recordings = folder + "/" + std::to_string(count);
    fs::create_directory(recordings);
    const std::vector<std::string> ours = {"LD_PRELOAD=" + runtime,
                                           "ROOFMARK_RECORDING=" + recordings,
                                           "ROOFMARK_COUNTERS=" + folder + "/plan"};
    const std::vector<std::string> theirs = {"PAPI_EVENTS=" + joined(events, ","),
                                             "PAPI_OUTPUT_DIRECTORY=" + folder + "/hl"};
    std::vector<double> roofmark, high_level, bare, ratios, over_bare, floors;
    for (int round = 0; round < 7; ++round) {
      roofmark.push_back(measured_in_child(self, "roofmark", ours));
      high_level.push_back(measured_in_child(self, "high-level", theirs));
      if (roofmark.back() <= 0 || high_level.back() <= 0) {
        std::printf("SKIPPED papi_bench: %s\n",
                    roofmark.back() <= 0 ? "the events can't be counted here"
                                         : "PAPI's high-level interface does not work here");
        fs::remove_all(folder);
        return 0;
      }
      bare.push_back(measured_in_child(self, "bare" + std::to_string(count), {}));
      ratios.push_back(roofmark.back() / high_level.back());
      over_bare.push_back(roofmark.back() / bare.back());
      floors.push_back(bare.back() / high_level.back());
    }
    if (!all_counted(recordings, count)) {
      std::printf("the events were not counted in every region: there is nothing to compare\n");
      fs::remove_all(folder);
      return 1;
    }
    std::printf("%zu events: region %.0f ns, PAPI-HL %.0f ns, two bare group reads %.0f ns\n",
                count, median(roofmark), median(high_level), median(bare));
    constexpr double of_high_level = 0.25, of_bare = 1.4;
    const double ratio = median(ratios), floor = median(floors), over = median(over_bare);
    std::printf("RATIO PAPI region against PAPI-HL, %zu events | %.3f | <= %.2f\n", count, ratio,
                of_high_level);
    std::printf(
        "RATIO two bare group reads against PAPI-HL, %zu events | %.3f | what is left of it\n",
        count, floor);
    std::printf("RATIO PAPI region over two bare group reads, %zu events | %.3f | <= %.1f\n", count,
                over, of_bare);
    const bool in_reach = floor * of_bare <= of_high_level;
    good = good && (in_reach ? ratio <= of_high_level : over <= of_bare);
  }
  fs::remove_all(folder);
  return good ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "--measure") == 0) return measure(words[2]);
  if (count == 2) return compare("/proc/self/exe", words[1]);
  std::fprintf(stderr, "usage: papi_bench PATH_OF_RUNTIME\n");
  return 2;
}
