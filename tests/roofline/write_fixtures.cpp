// write_fixtures DIRECTORY: the hand-made profiles as files, and their reports.
#include <fstream>
#include <iostream>

#include "analysis/profile/profile_json.hpp"
#include "fixture_profiles.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_fixtures DIRECTORY\n";
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  for (const auto& [name, profile] : roofmark::test::fixture_profiles()) {
    std::ofstream(folder + name + ".roofmark.json") << roofmark::to_json(profile);
    std::ofstream(folder + name + ".txt") << roofmark::test::terminal_report(profile);
  }
  return 0;
}
