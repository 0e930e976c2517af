// The runtime as a library: what it needs, what it offers, how it is found.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "recorded.hpp"

namespace {

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char text[4096];
  while (std::size_t got = fread(text, 1, sizeof text, pipe)) output.append(text, got);
  pclose(pipe);
  return output;
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#') lines.insert(line);
  return lines;
}

std::set<std::string> lines_of_file(const std::string& name) {
  std::ifstream file(std::string(RUNTIME_SOURCE) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return lines_of(text.str());
}

}  // namespace

TEST_CASE("the runtime needs the C library and nothing else") {
  const auto needed = lines_of(
      output_of("readelf -d '" RUNTIME_LIBRARY "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'"));
  REQUIRE(needed == std::set<std::string>{"libc.so.6"});
}

// Distributions compile with _FORTIFY_SOURCE: the C library's checked twin of an allowed function.
std::string without_check(const std::string& symbol) {
  const bool checked = symbol.size() > 6 && symbol.substr(0, 2) == "__" &&
                       symbol.substr(symbol.size() - 4) == "_chk";
  return checked ? symbol.substr(2, symbol.size() - 6) : symbol;
}

TEST_CASE("its undefined symbols are on the allow-list") {
  const auto allowed = lines_of_file("allowed_symbols.txt");
  const auto used = lines_of(
      output_of("nm -D --undefined-only '" RUNTIME_LIBRARY "' | awk '{print $2}' | sed 's/@.*//'"));
  REQUIRE(used.size() > 10);
  for (const auto& symbol : used) {
    INFO(symbol);
    REQUIRE(allowed.count(without_check(symbol)) == 1);
  }
}

TEST_CASE("it exports its table and what it stands in front of") {
  const auto exported =
      lines_of(output_of("nm -D --defined-only '" RUNTIME_LIBRARY "' | awk '{print $3}'"));
  REQUIRE(exported == std::set<std::string>{"_Exit", "_exit", "pthread_create", "quick_exit",
                                            "roofmark_api_v1", "thrd_create", "vfork"});
}

TEST_CASE(
    "a library with annotations has no unique symbol, unloads, and counts again when loaded") {
  const std::string symbols =
      output_of("readelf -sW --dyn-syms '" RUNTIME_TARGETS "/libruntime_plugin.so'");
  REQUIRE(symbols.find("plugin_work") != std::string::npos);
  REQUIRE(symbols.find("UNIQUE") == std::string::npos);
  const Recorded run = record("runtime_target", "plugin");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "host|plugin").visits == 3);
  REQUIRE(total(run, "host|plugin|work").visits == 6);
  REQUIRE(total(run, "host|plugin|work|plugin inner").visits == 24);
}

TEST_CASE("without the environment variable, and without a runtime, nothing is recorded") {
  RunOptions bare;
  bare.preload = false;
  REQUIRE(record("runtime_target", "nested", bare).exit_status == 0);
  REQUIRE(record("runtime_target", "nested", bare).bytes == 0);
  RunOptions silent;
  silent.before_exec = [] { unsetenv("ROOFMARK_RECORDING"); };
  REQUIRE(record("runtime_target", "nested", silent).exit_status == 0);
  REQUIRE(record("runtime_target", "nested", silent).bytes == 0);
  REQUIRE(record("runtime_target", "short threads", silent).exit_status == 0);
}

TEST_CASE("that there is no runtime is final until attach()") {
  RunOptions options;
  options.preload = false;
  const Recorded run = record("runtime_target", "attach", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "after").visits == 1);
  REQUIRE_FALSE(total(run, "before").found);
  REQUIRE_FALSE(total(run, "still none").found);
}

TEST_CASE("a static program records with the archive in it, and runs without") {
  const Recorded with = record("runtime_target_static", "");
  REQUIRE(with.exit_status == 0);
  REQUIRE(with.processes.size() == 1);
  REQUIRE(total(with, "static program|inner").visits == 3);
  const Recorded without = record("runtime_target_static_bare", "");
  REQUIRE(without.exit_status == 0);
  REQUIRE(without.processes.empty());
}

TEST_CASE("every compiler here takes the headers, with and without markers") {
  const std::string common = " -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I '" RUNTIME_INCLUDE
                             "' '" RUNTIME_SOURCE "/header.";
  for (const std::string compiler : {"g++", "clang++"}) {
    if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) continue;
    for (const std::string options :
         {" -std=c++11", " -std=c++20", " -std=c++11 -DROOFMARK_DISABLE"})
      REQUIRE(std::system(
                  (compiler + options + " -fno-exceptions -fno-rtti" + common + "cpp'").c_str()) ==
              0);
    REQUIRE(std::system((compiler + " -x c -std=c99" + common + "c'").c_str()) == 0);
    REQUIRE(std::system((compiler + " -x c -std=c99 -DROOFMARK_DISABLE" + common + "c'").c_str()) ==
            0);
    REQUIRE(std::system((compiler + " -x c++ -std=c++11" + common + "c'").c_str()) == 0);
  }
}
