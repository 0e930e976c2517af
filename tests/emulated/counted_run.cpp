#include "counted_run.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace counted {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

fs::path private_directory() {
  std::string name = (fs::temp_directory_path() / "roofmark-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return name;
}

void execute(std::vector<std::string> arguments, const Environment& set,
             const std::vector<std::string>& unset, const fs::path& directory, Run& run) {
  const auto started = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& name : unset) unsetenv(name.c_str());
    for (const auto& [name, value] : set) setenv(name.c_str(), value.c_str(), 1);
    const int out = open((directory / "stdout").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    const int err = open((directory / "stderr").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    // What it leaves behind (gmon.out) goes with the directory.
    if (chdir(directory.c_str()) != 0) _exit(127);
    dup2(out, 1);
    dup2(err, 2);
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  rusage usage{};
  wait4(child, &run.wait_status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  run.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  run.output = contents(directory / "stdout");
  run.errors = contents(directory / "stderr");
}

}  // namespace

roofmark::emulated::Install install() {
  return {ROOFMARK_BUILD_PREFIX "/libexec/roofmark", ROOFMARK_BUILD_PREFIX "/lib"};
}

std::string program(const std::string& name) {
  return ROOFMARK_TEST_PROGRAMS "/" + name;
}

Run run(const std::vector<std::string>& target, const roofmark::emulated::PassOptions& options,
        const Environment& environment, const std::vector<std::string>& tool_options) {
  const fs::path directory = private_directory();
  auto command = roofmark::emulated::plan(install(), target, directory, options);
  if (!command) throw std::runtime_error(roofmark::to_line(command.error()));
  auto& arguments = command->arguments;
  arguments.insert(arguments.end() - static_cast<std::ptrdiff_t>(target.size()),
                   tool_options.begin(), tool_options.end());
  Environment set = command->set_environment;
  set.insert(set.end(), environment.begin(), environment.end());
  Run run;
  execute(arguments, set, command->unset_environment, directory, run);
  run.counts = roofmark::read_counts_of_pass(directory);
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".jsonl") run.raw += contents(entry.path());
  run.diagnosis = roofmark::emulated::diagnose(directory, run.wait_status);
  fs::remove_all(directory);
  return run;
}

Run run_native(const std::vector<std::string>& command, const Environment& environment) {
  const fs::path directory = private_directory();
  Run run;
  execute(command, environment, {}, directory, run);
  fs::remove_all(directory);
  return run;
}

roofmark::emulated::PassOptions flop_only() {
  roofmark::emulated::PassOptions options;
  options.caches = roofmark::emulated::Caches::none;
  options.per_line = false;
  return options;
}

roofmark::emulated::PassOptions full(std::uint64_t l1, std::uint64_t l2, std::uint64_t l3) {
  roofmark::emulated::PassOptions options;
  options.caches = roofmark::emulated::Caches::full;
  options.per_line = false;
  options.geometry = roofmark::emulated::Geometry{
      {{"L1", l1, 8, 64}, {"L2", l2, 8, 64}, {"L3", l3, 16, 64}}, "test"};
  return options;
}

bool Sum::has(const std::string& flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

Sum sum(const Run& run, const std::vector<std::string>& path) {
  Sum s;
  const auto add = [](roofmark::CountRange& to, const roofmark::CountRange& more) {
    to.value += more.value;
    to.low += more.low;
    to.high += more.high;
  };
  for (const auto& process : run.counts.processes)
    for (const auto& region : process.regions) {
      if (region.path != path) continue;
      ++s.rows;
      s.visits += region.visits;
      for (const auto& c : region.mix) {
        s.flop += c.flop;
        s.by_precision[c.precision] += c.flop;
        s.by_width[c.width_bits] += c.flop;
        if (c.operation == roofmark::Operation::fma) s.fma += c.flop;
      }
      for (const auto& [name, value] : region.operations) s.operations[name] += value;
      for (const auto& [name, traffic] : region.bytes) {
        add(s.bytes[name].read, traffic.read);
        add(s.bytes[name].write, traffic.write);
      }
      s.flags.insert(s.flags.end(), region.flags.begin(), region.flags.end());
    }
  return s;
}

}  // namespace counted
