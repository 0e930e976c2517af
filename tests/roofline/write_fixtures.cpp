// write_fixtures TESTS: the profiles of fixture_profiles.hpp as files in TESTS/fixtures, and the
// reports of these and of the files in TESTS/golden, which are written by hand.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <roofmark/roofline.hpp>
#include <sstream>

#include "analysis/profile/profile_json.hpp"
#include "fixture_profiles.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_fixtures TESTS\n";
    return 2;
  }
  const std::filesystem::path tests = argv[1];
  for (const auto& [name, profile] : roofmark::test::fixture_profiles()) {
    std::ofstream(tests / "fixtures" / (name + ".roofmark.json")) << roofmark::to_json(profile);
    std::ofstream(tests / "fixtures" / (name + ".txt")) << roofmark::test::terminal_report(profile);
  }
  for (const auto& entry : std::filesystem::directory_iterator(tests / "golden")) {
    if (entry.path().extension() != ".json") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    auto profile = roofmark::profile_from_json(text.str(), entry.path().string());
    if (!profile) {
      std::cerr << to_line(profile.error()) << "\n";
      return 1;
    }
    judge(*profile);
    std::ofstream(entry.path().parent_path() / (entry.path().stem().stem().string() + ".txt"))
        << roofmark::test::terminal_report(*profile);
  }
  return 0;
}
