#include <algorithm>
#include <analysis/files/write_file.hpp>
#include <analysis/join/named_events.hpp>
#include <analysis/record/papi_pass.hpp>
#include <collectors/papi/events.hpp>
#include <collectors/papi/tables.hpp>
#include <map>
#include <system_error>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// Events that share a reason are one line.
void say_absent(const std::vector<std::pair<std::string, Problem>>& absent,
                const RecordOptions& options) {
  if (!options.tell) return;
  std::map<std::pair<std::string, std::string>, std::string> lines;
  for (const auto& [event, problem] : absent) {
    std::string& names = lines[{problem.reason, problem.remedy}];
    names += (names.empty() ? "" : ", ") + event;
  }
  for (const auto& [why, names] : lines)
    options.tell("Not counted: " + to_line(Problem{why.first, names, why.second}) + ".");
}

/// Why nothing could be counted, whatever PAPI says.
std::optional<Problem> no_half(const RecordOptions& options, const Scratch* scratch) {
  std::error_code fault;
  if (scratch == nullptr)
    return Problem{"no directory could hold the plan", "", "set TMPDIR to a local disk"};
  const fs::path half = options.install.lib / "libroofmark-papi.so";
  if (!fs::exists(half, fault))
    return Problem{"this Roofmark was built without PAPI", half.string(),
                   "install libpapi-dev and build it again"};
  return std::nullopt;
}

}  // namespace

PapiPass plan_papi(const RecordOptions& options, const Scratch* scratch) {
  PapiPass pass;
  if (options.papi_events.empty()) return pass;
  if (const auto problem = no_half(options, scratch)) {
    for (const std::string& event : options.papi_events) pass.absent.emplace_back(event, *problem);
    say_absent(pass.absent, options);
    return pass;
  }
  papi::EventPlan plan = papi::plan_events(options.papi_events);
  pass.absent = std::move(plan.absent);
  for (const std::string& event : options.papi_events)
    if (std::none_of(pass.absent.begin(), pass.absent.end(),
                     [&](const auto& entry) { return entry.first == event; }))
      pass.events.push_back(event);
  if (!pass.events.empty()) {
    const fs::path file = scratch->path() / "papi.plan";
    if (const auto problem = write_file(file, plan.text)) {
      for (const std::string& event : pass.events) pass.absent.emplace_back(event, *problem);
      pass.events.clear();
    } else {
      pass.plan = file;
      pass.text = plan.text;
    }
  }
  say_absent(pass.absent, options);
  return pass;
}

void place_papi(PapiPass& pass, MeasuredPasses* measured) {
  pass.run = NamedIn::timed_run;
  if (measured == nullptr || pass.text.empty()) return;
  pass.run = NamedIn::own_run;
  if (measured->texts.empty()) return;  // counted by perf_event: a process has one counting half
  auto merged = papi::with_events(measured->texts.front(), pass.text, papi::questions_of_library());
  if (!merged) return;
  measured->texts.front() = std::move(*merged);
  pass.run = NamedIn::with_the_table;
}

void add_papi_events(const PapiPass& pass, const std::vector<RawProcess>& timed,
                     const std::string& main_executable, const RecordOptions& options,
                     Profile& profile) {
  for (const auto& [event, problem] : pass.absent) add_absent_event(event, problem, profile);
  if (pass.events.empty()) return;
  const bool own_run = pass.run == NamedIn::own_run;
  const std::vector<RawProcess>& processes = own_run ? pass.processes : timed;
  if (std::all_of(profile.regions.begin(), profile.regions.end(),
                  [](const Region& region) { return region.path.empty(); })) {
    const Problem problem{"events are counted in regions, and the program entered none", "",
                          "annotate it: ROOFMARK_SCOPE(\"name\")"};
    for (const std::string& event : pass.events) add_absent_event(event, problem, profile);
    return;
  }
  for (const RawProcess& process : processes) {
    if (process.counting_refusal.empty()) continue;
    const Problem problem{process.counting_refusal, "",
                          "build Roofmark against the PAPI that is installed (libpapi-dev)"};
    if (options.tell)
      options.tell("The program's events are not counted: " + to_line(problem) + ".");
    for (const std::string& event : pass.events) add_absent_event(event, problem, profile);
    return;
  }
  if (own_run && processes.empty()) {
    const Problem problem =
        pass.problem.value_or(Problem{"their run entered no region", "", "record it again"});
    for (const std::string& event : pass.events) add_absent_event(event, problem, profile);
    return;
  }
  add_named_events(processes, main_executable, {pass.events, own_run}, profile);
}

}  // namespace roofmark
