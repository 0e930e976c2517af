// Writes profiles for the schema test: every field of the format, and after judging.
#include <fstream>
#include <iostream>
#include <roofmark/roofline.hpp>

#include "analysis/profile/profile_json.hpp"
#include "sample_profile.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_samples DIRECTORY\n";
    return 2;
  }
  const std::string directory = argv[1];
  std::ofstream(directory + "/sample.json") << roofmark::to_json(roofmark::test::sample_profile());
  std::ofstream(directory + "/empty.json") << roofmark::to_json({});
  std::ofstream(directory + "/large.json")
      << roofmark::to_json(roofmark::test::large_profile(1200));
  return 0;
}
