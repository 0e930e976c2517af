// What must hold for any numbers at all.
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <roofmark/roofline.hpp>
#include <sstream>
#include <string>

#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"
#include "test_machine.hpp"

namespace roofmark {
namespace {

class Source64 {
 public:
  explicit Source64(unsigned seed) : engine_(seed) {}
  bool once_in(unsigned n) { return engine_() % n == 0; }
  template <class T, std::size_t N>
  T pick(const T (&values)[N]) {
    return values[engine_() % N];
  }
  std::uint64_t count() {
    const std::uint64_t strange[] = {0, 1, 1'000'000'007, std::uint64_t{1} << 53,
                                     std::numeric_limits<std::uint64_t>::max()};
    return once_in(3) ? pick(strange) : engine_() >> (engine_() % 64);
  }
  double real() {
    const double infinity = std::numeric_limits<double>::infinity();
    const double strange[] = {0,
                              -1,
                              1e-300,
                              1e300,
                              infinity,
                              -infinity,
                              std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::denorm_min()};
    return once_in(3) ? pick(strange) : std::exp2(double(engine_() % 80) - 50);
  }

 private:
  std::mt19937_64 engine_;
};

Work any_work(Source64& random) {
  constexpr Precision precisions[] = {Precision::f64, Precision::f32, Precision::x87,
                                      Precision::bf16, Precision::any};
  constexpr Operation operations[] = {Operation::fma, Operation::add,  Operation::mul,
                                      Operation::div, Operation::sqrt, Operation::other};
  constexpr unsigned widths[] = {0, 64, 128, 256, 512};
  constexpr Scope scopes[] = {Scope::process, Scope::process, Scope::process, Scope::socket};
  Work work;
  const auto count = [&] {
    Count made = test::counted(0);
    made.value = random.count();
    made.scope = random.pick(scopes);
    if (random.once_in(4)) made.low = random.count();
    if (random.once_in(4)) made.high = random.count();
    return made;
  };
  const auto measure = [&] {
    Measure made{random.real(), Source::measured, {}, {}};
    if (random.once_in(4)) made.low = random.real();
    if (random.once_in(4)) made.high = random.real();
    return made;
  };
  if (!random.once_in(8)) work.wall_s = measure();
  if (random.once_in(2)) work.thread_s = measure();
  for (int i = 0; i < 3; ++i) {
    if (random.once_in(2)) work.flop[random.pick(precisions)] = count();
    work.mix.push_back({random.pick(precisions), random.pick(widths), random.pick(operations),
                        random.once_in(2) ? random.count() : 0});
  }
  if (random.once_in(4)) work.mix.clear();
  if (random.once_in(2))  // a mix that fits
    for (auto& [precision, flop] : work.flop) {
      work.mix.clear();
      work.mix.push_back({precision, 0, Operation::add, flop.value});
    }
  for (const char* level : {"L1", "L2", "L3", "DRAM", "HBM"}) {
    if (random.once_in(6)) continue;
    Traffic& traffic = work.bytes[level];
    if (!random.once_in(8)) traffic.read = count();
    if (!random.once_in(8)) traffic.write = count();
    if (random.once_in(8)) traffic.total = count();
  }
  for (const char* name : {"instructions", "loads", "nt_store_bytes", "convert"})
    if (random.once_in(2)) work.operations[name] = count();
  if (random.once_in(4)) work.declared_flop = count();
  if (random.once_in(4)) work.declared_bytes = count();
  return work;
}

Region any_region(Source64& random, std::vector<std::string> path) {
  Region region;
  region.path = std::move(path);
  region.visits = random.count();
  region.threads = random.once_in(2) ? 1 : random.count();
  region.marker_s = random.real();
  if (random.once_in(2)) region.imbalance = random.real();
  if (random.once_in(2)) region.cores_used = Measure{random.real(), Source::measured, {}, {}};
  if (random.once_in(8)) region.flags.insert("isa_differs");
  region.work = any_work(random);
  region.self = any_work(random);
  return region;
}

Machine any_machine(Source64& random) {
  Machine machine = test::two_cores();
  if (random.once_in(2)) return machine;
  machine.topology.cores = random.once_in(2) ? 0 : 64;
  machine.clock_hz = random.real();
  for (ComputeCeiling& ceiling : machine.compute)
    if (random.once_in(4)) ceiling.flop_per_s = random.real();
  for (BandwidthCeiling& ceiling : machine.bandwidth) {
    if (random.once_in(4)) ceiling.interface_bytes_per_s = random.real();
    if (random.once_in(4)) ceiling.low = random.real();
    if (random.once_in(4)) ceiling.program_bytes_per_s = random.real();
    if (random.once_in(8)) ceiling.threads = random.once_in(2) ? 0 : 1000;
  }
  if (random.once_in(4)) test::add_memory_kind(machine, "HBM", 3);
  if (random.once_in(4)) machine.bandwidth.clear();
  if (random.once_in(4)) machine.compute.clear();
  return machine;
}

void require_sane(const std::optional<double>& number) {
  if (!number) return;
  REQUIRE(std::isfinite(*number));
  REQUIRE(*number >= 0);
}

void require_sane(const Roofline& roofline) {
  require_sane(roofline.roof_flop_per_s);
  require_sane(roofline.roof_as_written_flop_per_s);
  require_sane(roofline.achieved_flop_per_s);
  require_sane(roofline.fraction);
  require_sane(roofline.fraction_as_written);
  require_sane(roofline.uncertainty);
  if (roofline.explained_s) {
    require_sane(roofline.explained_s->low);
    require_sane(roofline.explained_s->high);
    REQUIRE(*roofline.explained_s->low <= *roofline.explained_s->high);
  }
  for (const auto& [level, place] : roofline.levels)
    for (const double number : {place.intensity, place.roof_flop_per_s, place.ridge,
                                place.bandwidth_bytes_per_s, place.achieved_bytes_per_s})
      require_sane(number);
  double before = 1;
  for (const Rung& rung : roofline.ladder) {
    require_sane(rung.gain);
    REQUIRE(rung.gain >= before);
    before = rung.gain;
  }
  for (const Advice& advice : roofline.advice) {
    REQUIRE(!advice.text.empty());
    require_sane(advice.gain);
    for (const char* bad : {"nan", "inf ", "unknown", "{", "}", "()"})
      REQUIRE(advice.text.find(bad) == std::string::npos);
  }
  INFO(spelling(roofline.verdict) << " " << roofline.verdict_detail);
  REQUIRE(!roofline.advice.empty());
  REQUIRE(!roofline.why.empty());
  for (const char* bad : {"nan", "unknown", "inf "}) {
    INFO(roofline.why);
    REQUIRE(roofline.why.find(bad) == std::string::npos);
  }
}

TEST_CASE("no NaN and no infinity for any input") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    Source64 random(seed);
    INFO("seed " << seed);
    Profile profile;
    profile.machine = any_machine(random);
    profile.regions = {any_region(random, {}), any_region(random, {"a"}),
                       any_region(random, {"a", "b"}), any_region(random, {"a", "c"})};
    judge(profile);
    for (const Region& region : profile.regions) {
      require_sane(region.rooflines.at(0));
      require_sane(region.self_rooflines.at(0));
    }
    const std::string text = to_json(profile);
    REQUIRE(nlohmann::json::accept(text));
  }
}

Region random_kernel(Source64& random) {
  test::RegionMaker maker;
  const auto amount = [&](double most) { return most * double(random.count() % 1000 + 1) / 1000; };
  maker.wall(1).flop(amount(15e9)).flop(amount(4e9), 0, Operation::add);
  return maker.bytes("L1", amount(60e9), amount(10e9), Source::counted)
      .bytes("L2", amount(40e9), amount(10e9))
      .bytes("L3", amount(30e9), amount(10e9))
      .bytes("DRAM", amount(12e9), amount(4e9));
}

TEST_CASE("the fraction does not change with the unit of time or of work") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Source64 random(seed);
    const Region region = random_kernel(random);
    const Machine machine = test::two_cores();
    const Roofline before = judge(region, machine);
    // A second that is eight times longer: times shrink, rates grow.
    Region slow = region;
    slow.work.wall_s->value /= 8;
    Machine slow_machine = machine;
    for (ComputeCeiling& ceiling : slow_machine.compute)
      for (double* value : {&ceiling.flop_per_s, &ceiling.low, &ceiling.high}) *value *= 8;
    for (BandwidthCeiling& ceiling : slow_machine.bandwidth)
      for (double* value : {&ceiling.interface_bytes_per_s, &ceiling.low, &ceiling.high})
        *value *= 8;
    const Roofline after = judge(slow, slow_machine);
    REQUIRE(*after.fraction == Approx(*before.fraction));
    REQUIRE(*after.fraction_as_written == Approx(*before.fraction_as_written));
    REQUIRE(after.verdict == before.verdict);
    REQUIRE(after.side == before.side);
    // Twice the work in twice the time.
    Region longer = region;
    longer.work.wall_s->value *= 2;
    for (auto& [precision, count] : longer.work.flop) count.value *= 2;
    for (ComputeClass& part : longer.work.mix) part.flop *= 2;
    for (auto& [level, traffic] : longer.work.bytes) {
      traffic.read->value *= 2;
      traffic.write->value *= 2;
    }
    REQUIRE(*judge(longer, machine).fraction == Approx(*before.fraction));
  }
}

TEST_CASE("the side agrees with the ceiling that binds, and the fraction with the roof") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Source64 random(seed);
    INFO("seed " << seed);
    const Region region = random_kernel(random);
    const Machine machine = test::two_cores();
    const Roofline roofline = judge(region, machine);
    REQUIRE(*roofline.achieved_flop_per_s / *roofline.roof_flop_per_s ==
            Approx(*roofline.fraction));
    REQUIRE(*roofline.fraction <= *roofline.fraction_as_written * 1.2);
    // The lowest of the levels' own roofs is the machine roof.
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& [level, place] : roofline.levels) {
      lowest = std::min(lowest, place.roof_flop_per_s);
      REQUIRE(place.roof_flop_per_s ==
              Approx(std::min(place.intensity, place.ridge) * place.bandwidth_bytes_per_s));
    }
    REQUIRE(lowest == Approx(*roofline.roof_flop_per_s));
    if (roofline.verdict == Verdict::memory) REQUIRE(roofline.side_as_written == Side::memory);
    if (roofline.verdict == Verdict::compute) REQUIRE(roofline.side_as_written == Side::compute);
    REQUIRE(roofline.explained_s->low <= roofline.explained_s->high);
  }
}

/// The number before "FLOP/s" that follows some words of a sentence, to its three digits.
std::optional<double> rate_after(const std::string& sentence, const std::string& words) {
  const auto at = sentence.find(words);
  if (at == std::string::npos) return std::nullopt;
  std::istringstream text(sentence.substr(at + words.size()));
  double number = 0;
  std::string unit;
  text >> number >> unit;
  const std::map<std::string, double> prefixes = {
      {"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}};
  return number * prefixes.at(unit);
}

TEST_CASE("a sentence never has a rate as the region's that its as-written roof denies") {
  constexpr Operation operations[] = {Operation::fma, Operation::add, Operation::mul,
                                      Operation::div, Operation::sqrt};
  unsigned said = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Source64 random(seed);
    test::RegionMaker maker;
    maker.wall(10).in_l1(random.once_in(2) ? 4e9 : 0);
    for (const Operation operation : operations)
      for (const Precision precision : {Precision::f64, Precision::f32})
        if (random.once_in(2))
          maker.flop(1e6 * double(random.count() % 1000 + 1), 0, operation, precision);
    const Region region = maker;
    double all = 0, most = 0;  // the sentence speaks of all FLOPs, the roof of one precision's
    for (const auto& [precision, count] : region.work.flop) {
      all += double(count.value);
      most = std::max(most, double(count.value));
    }
    const Roofline roofline = judge(region, test::two_cores());
    const auto reached = rate_after(roofline.why, "scalar code reaches at most ");
    if (!reached) continue;
    INFO(roofline.why);
    ++said;
    const double roof = *roofline.roof_as_written_flop_per_s * all / most;
    const double rounding = all > most ? 0.051 : 0.006;  // a mean ceiling may show two digits
    // Arithmetic alone: the roof itself where compute binds, above it where memory does.
    if (roofline.side_as_written == Side::compute)
      REQUIRE(*reached == Approx(roof).epsilon(rounding));
    REQUIRE(*reached >= (1 - rounding) * roof);
    REQUIRE(*reached >= all / region.work.wall_s->value);
  }
  REQUIRE(said > 100);
}

TEST_CASE("more time is never nearer to the roof, more work never further") {
  const Machine machine = test::two_cores();
  double before = std::numeric_limits<double>::infinity();
  for (double wall = 0.5; wall < 50; wall *= 1.5) {
    const double here = *judge(test::triad(1e8, wall), machine).fraction;
    REQUIRE(here < before);
    before = here;
  }
  before = 0;
  for (double flop = 1e8; flop < 1e11; flop *= 1.5) {
    const double here = *judge(test::RegionMaker().wall(1).flop(flop).in_l1(), machine).fraction;
    REQUIRE(here > before);
    before = here;
  }
}

}  // namespace
}  // namespace roofmark
