// A measurement of a busy machine is made again, but not for ever.
#include "analysis/machine/doubt.hpp"

#include "catch.hpp"

namespace roofmark {
namespace {

/// Two cores of `all` ceilings each, of which some are noisy.
Machine measured(std::size_t all, std::size_t noisy, bool both_cores = true) {
  Machine machine;
  machine.topology.cores = 2;
  machine.topology.scope_cores = {{"core", 1}, {"machine", 2}};
  for (std::size_t i = 0; i < all; ++i) {
    ComputeCeiling one;
    one.threads = i % 2 == 0 || !both_cores ? 1 : 2;
    one.flags = {"below_theory"};
    if (i < noisy) one.flags.emplace_back("noisy");
    machine.compute.push_back(one);
  }
  return machine;
}

TEST_CASE("half of the ceilings noisy, or not all cores measured: it is doubted") {
  CHECK_FALSE(doubt(measured(10, 0)));
  CHECK_FALSE(doubt(measured(10, 4)));
  REQUIRE(doubt(measured(10, 5)));
  CHECK(doubt(measured(10, 5))->find("5 of 10 ceilings are noisy") != std::string::npos);
  REQUIRE(doubt(measured(10, 0, false)));
  CHECK(doubt(measured(10, 0, false))->find("all its cores") != std::string::npos);
  // The sustained clock of all cores is no measurement of them.
  Machine sustained = measured(10, 0, false);
  sustained.compute[0].threads = 2;
  sustained.compute[0].sustained = true;
  CHECK(doubt(sustained));
  // One core is all cores; what has no kernels can't be measured better.
  Machine one = measured(10, 0, false);
  one.topology.scope_cores = {{"core", 1}};
  CHECK_FALSE(doubt(one));
  CHECK_FALSE(doubt(Machine{}));
  // What stands apart counts as well.
  Machine apart = measured(4, 1);
  apart.apart_bandwidth.resize(4);
  for (BandwidthCeiling& ceiling : apart.apart_bandwidth) ceiling.flags = {"noisy"};
  CHECK(noisy_ceilings(apart).noisy == 5);
  CHECK(noisy_ceilings(apart).all == 8);
  CHECK(doubt(apart));
}

TEST_CASE("a doubted measurement is made again at the next runs, and says so until it stands") {
  const Machine busy = measured(10, 9), quiet = measured(10, 1);
  for (unsigned times = 1; times < most_measurements; ++times) {
    CHECK(is_to_be_measured_again(busy, times));
    CHECK(note_of_doubt(busy, times)->find("The next run measures it again") != std::string::npos);
    CHECK_FALSE(is_to_be_measured_again(quiet, times));
    CHECK_FALSE(note_of_doubt(quiet, times));
  }
  CHECK_FALSE(is_to_be_measured_again(busy, most_measurements));
  CHECK(note_of_doubt(busy, most_measurements)->find("3 times in a row") != std::string::npos);
  CHECK(note_of_doubt(busy, most_measurements)->find("--refresh") != std::string::npos);
}

TEST_CASE("of two measurements the one with all cores is kept, then the less noisy one") {
  CHECK(is_better(measured(10, 2), measured(10, 3)));
  CHECK_FALSE(is_better(measured(10, 3), measured(10, 2)));
  CHECK(is_better(measured(10, 2), measured(10, 2)));  // the new one
  CHECK(is_better(measured(10, 9), measured(10, 0, false)));
  CHECK_FALSE(is_better(measured(10, 0, false), measured(10, 9)));
}

}  // namespace
}  // namespace roofmark
