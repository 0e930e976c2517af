#include <analysis/sampling/sample_store.hpp>
#include <map>

#include "catch.hpp"

using namespace roofmark::sampling;

TEST_CASE("a full store keeps the shares, and threads that ran at once together") {
  SampleStore store(1000);
  int told = 0;
  double all_s = 0;
  // Two threads in step; one function has a third of the time.
  for (int i = 0; i < 3000; ++i)
    for (const int thread : {1, 2}) {
      const TimeSample sample{0, thread, static_cast<std::uint64_t>(i % 30 < 10 ? 1 : 2),
                              (i + 0.1 * thread) * 1e-3, 1e-3};
      all_s += sample.period_s;
      told += store.add(sample) ? 1 : 0;
      CHECK(store.size() <= 1000);
    }
  CHECK(told > 0);
  double kept_s = 0, first_s = 0;
  std::map<std::pair<double, long>, int> threads;
  for (const TimeSample& sample : store.take()) {
    kept_s += sample.period_s;
    if (sample.offset == 1) first_s += sample.period_s;
    ++threads[{sample.period_s, std::lround(sample.time_s / 1e-3 - 0.15)}];
  }
  CHECK(kept_s == Approx(all_s).epsilon(0.1));
  CHECK(first_s / kept_s == Approx(1.0 / 3).epsilon(0.1));
  int alone = 0;
  for (const auto& [when, count] : threads) alone += count == 1 ? 1 : 0;
  CHECK(alone <= 2);
}
