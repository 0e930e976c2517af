// Advice rests on a number that it names, and is absent where the number says otherwise.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/roofline/thresholds.hpp"
#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark {
namespace {

using test::RegionMaker;

/// The advice whose text holds `words`, or nothing.
std::optional<Advice> advice(const Region& region, const char* words) {
  static const Machine machine = test::two_cores();
  for (const Advice& one : judge(region, machine).advice)
    if (one.text.find(words) != std::string::npos) return one;
  return std::nullopt;
}

TEST_CASE("write-allocate: only where memory traffic holds fetches for stores") {
  const double n = 1e8;
  RegionMaker maker = test::triad(n, 32 * n / 20e9);
  REQUIRE(!advice(maker, "non-temporal"));  // not known whether stores bypass already
  maker.operations("nt_store_bytes", 0);
  const auto found = advice(maker, "non-temporal");
  REQUIRE(found);
  REQUIRE(found->text.find("25 %") != std::string::npos);  // 8 of 32 bytes
  REQUIRE(*found->gain == Approx(32.0 / 24));
  maker.bytes("DRAM", 16 * n, 8 * n).operations("nt_store_bytes", 8 * n);
  REQUIRE(!advice(maker, "non-temporal"));
}

TEST_CASE("the gain of fewer fetches ends at the next ceiling") {
  const double n = 1e8;
  RegionMaker maker = test::triad(n, 32 * n / 20e9);
  maker.operations("nt_store_bytes", 0).flop(0.9 * 32 * n - 2 * n);  // compute time 0.9 of memory's
  REQUIRE(*advice(maker, "non-temporal")->gain == Approx(1 / 0.9));
}

TEST_CASE("fusion: only where multiplies and adds are apart and FMA is faster") {
  const auto region = [](Operation op, unsigned width) {
    return RegionMaker().wall(1).flop(6e9, width, op).in_l1();
  };
  RegionMaker apart;
  apart.wall(1).flop(3e9, 0, Operation::mul).flop(3e9, 0, Operation::add).in_l1();
  // Vectorised first: at 256 bits the two ceilings are equal, so that fusing adds nothing.
  REQUIRE(!advice(apart, "fuse multiplies"));
  REQUIRE(advice(apart, "are scalar"));
  REQUIRE(!advice(region(Operation::fma, 256), "fuse multiplies"));
  REQUIRE(!advice(region(Operation::fma, 256), "are scalar"));

  Machine machine = test::two_cores();
  for (ComputeCeiling& ceiling : machine.compute)
    if (ceiling.operation == Operation::muladd) ceiling.flop_per_s /= 2;
  RegionMaker vector;
  vector.wall(1).flop(4e9, 256, Operation::mul).flop(4e9, 256, Operation::add).in_l1();
  bool found = false;
  for (const Advice& one : judge(vector, machine).advice)
    if (one.text.find("fuse multiplies") != std::string::npos) {
      found = true;
      REQUIRE(*one.gain == Approx(2));
    }
  REQUIRE(found);
}

TEST_CASE("narrow accesses where L1 bounds: with FLOPs and without, loads or stores") {
  const auto judged = [](const Region& region) { return judge(region, test::two_cores()); };
  // One core reads 20 GB/s in words and 80 in vectors; it writes half of both.
  for (const bool flop : {true, false})
    for (const bool stores : {false, true}) {
      const double bytes = stores ? 9e9 : 18e9;
      const auto with = [&](double access_bytes, double seconds) {
        RegionMaker maker;
        maker.wall(seconds).flop(flop ? 1e7 : 0, 0, Operation::add);
        maker.in_l1(stores ? 0 : bytes, stores ? bytes : 0);
        maker.operations("loads", stores ? 1 : bytes / access_bytes);
        return maker.operations("stores", stores ? bytes / access_bytes : 1);
      };
      INFO("flop " << flop << ", stores " << stores);
      const RegionMaker words = with(8, 1);
      CHECK(judged(words).verdict == (flop ? Verdict::memory : Verdict::no_flop));
      CHECK(advice(words, "Loads and stores move 8 bytes each"));
      CHECK(advice(words, "move up to 32 bytes"));
      CHECK(!advice(words, "only fewer bytes"));
      for (const Advice& one : judged(words).advice)
        if (one.text.find("Loads and stores") == 0) CHECK(one.gain.value_or(0) == Approx(4));
      const RegionMaker vectors = with(32, 0.25);
      CHECK(judged(vectors).verdict == (flop ? Verdict::memory : Verdict::no_flop));
      CHECK(!advice(vectors, "Loads and stores move"));
      CHECK(advice(vectors, "only fewer bytes"));
      // A few words beside them change nothing.
      RegionMaker few = with(32, 0.25);
      few.operations(stores ? "loads" : "stores", 1e6);
      CHECK(!advice(few, "Loads and stores move"));
    }
}

TEST_CASE("unused lines, conversions, divisions") {
  const double n = 1e8;
  RegionMaker stride = test::triad(n, 32 * n / 20e9);
  REQUIRE(!advice(stride, "no load or store asks for"));
  stride.bytes("L1", 4 * n, 2 * n, Source::counted);  // 6 of each 24 bytes filled
  REQUIRE(advice(stride, "75 % bytes that no load or store asks for"));

  RegionMaker convert;
  convert.wall(1).flop(15e9).in_l1();
  REQUIRE(!advice(convert, "conversions per FLOP"));
  REQUIRE(advice(convert.operations("convert", 3e9), "0.2 conversions per FLOP"));

  RegionMaker divide;
  divide.wall(1).flop(0.45e9, 0, Operation::div).flop(0.45e9, 0, Operation::add).in_l1();
  REQUIRE(advice(divide, "50 % of the FLOPs and take 900 ms of 1 s"));
}

TEST_CASE("what only FLOPs would gain from is not advised where they take no time") {
  const auto region = [](double flop) {
    return RegionMaker()
        .wall(1)
        .flop(flop, 0, Operation::add)
        .in_l1()
        .operations("convert", flop)
        .operations("instructions", 0.4 * 2.5e9);
  };
  for (const char* words : {"are scalar", "conversions per FLOP"}) {
    REQUIRE(advice(region(1e9), words));
    REQUIRE(!advice(region(1e6), words));
  }
}

TEST_CASE("a region that does next to nothing waits for others, and not for its loads") {
  const auto region = [](double per_cycle) {
    return RegionMaker().wall(1).flop(1e6).in_l1().operations("instructions", per_cycle * 2.5e9);
  };
  REQUIRE(advice(region(0.002), "depend on each other"));
  REQUIRE(!advice(region(0.002), "another thread"));
  REQUIRE(advice(region(0.0005), "another thread"));
  REQUIRE(!advice(region(0.0005), "depend on each other"));
}

TEST_CASE("where the program waited for cores, that comes before its own waiting") {
  Profile profile;
  profile.machine = test::two_cores();
  profile.regions = {
      RegionMaker().wall(1).flop(1e6).in_l1().operations("instructions", 0.2 * 2.5e9)};
  const auto first = [&](std::optional<double> share) {
    profile.program.waited_share = share;
    judge(profile);
    return profile.regions[0].rooflines[0].advice.at(0).text;
  };
  REQUIRE(first(0.6).find("waited 60 %") != std::string::npos);
  REQUIRE(first(0.1).find("quiet machine") == std::string::npos);
  REQUIRE(first({}).find("quiet machine") == std::string::npos);
}

TEST_CASE("more cores: only where some were idle and would help") {
  REQUIRE(*advice(RegionMaker().wall(1).flop(18e9).in_l1(), "cores busy")->gain == Approx(2));
  REQUIRE(!advice(RegionMaker().wall(1).threads(2, 2).flop(34e9).in_l1(), "cores busy"));
}

TEST_CASE("every verdict of this version has advice, and every advice a text without holes") {
  const auto table = nlohmann::json::parse(model::advice_text()).at("entries");
  std::set<Verdict> advised;
  std::set<std::string> ids;
  for (const auto& entry : table) {
    INFO(entry.dump());
    REQUIRE(ids.insert(entry.at("id").get<std::string>()).second);
    for (const auto& word : entry.at("verdicts")) {
      const auto verdict = parse_word<Verdict>(word.get<std::string>());
      REQUIRE(verdict);
      advised.insert(*verdict);
    }
    const auto text = entry.at("text").get<std::string>();
    REQUIRE(text.back() == '.');
    REQUIRE(std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}'));
  }
  for (const Verdict verdict :
       {Verdict::memory, Verdict::compute, Verdict::balanced, Verdict::latency, Verdict::serial,
        Verdict::imbalanced, Verdict::no_flop, Verdict::too_small, Verdict::at_roof,
        Verdict::above_roof, Verdict::undetermined}) {
    INFO(spelling(verdict));
    REQUIRE(advised.count(verdict) == 1);
  }
}

TEST_CASE("every threshold says what it is for") {
  // Kept for the whole loop: items() refers to the document.
  const auto document = nlohmann::json::parse(model::verdicts_text());
  for (const auto& [name, entry] : document.at("thresholds").items()) {
    INFO(name);
    REQUIRE(entry.at("value").get<double>() > 0);
    REQUIRE(!entry.at("why").get<std::string>().empty());
  }
  REQUIRE(model::thresholds().latency_below == 0.4);
}

}  // namespace
}  // namespace roofmark
