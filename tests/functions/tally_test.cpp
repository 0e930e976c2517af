#include <analysis/functions/share.hpp>
#include <analysis/functions/tally.hpp>

#include "catch.hpp"

using namespace roofmark::functions;
using roofmark::sampling::TimeSample;

namespace {

TimeSample at(double time_s, int thread, double period_s = 1e-3) {
  return {0, thread, 0, time_s, period_s};
}

}  // namespace

TEST_CASE("one thread's samples are its time") {
  Tally tally;
  // Two of them in one window: a thread's clock and the wall clock are not in step.
  for (const double time_s : {0.0101, 0.0109, 0.0121}) tally.add(at(time_s, 1));
  CHECK(tally.thread_s() == Approx(3e-3));
  CHECK(tally.wall_s() == Approx(3e-3));
  CHECK(tally.threads_at_once() == 1);
}

TEST_CASE("threads that were in it at once share the time that passed") {
  Tally tally;
  for (int i = 0; i < 100; ++i)
    for (const int thread : {1, 2, 3, 4}) tally.add(at((i + 0.2 * thread) * 1e-3, thread));
  CHECK(tally.thread_s() == Approx(0.4));
  CHECK(tally.wall_s() == Approx(0.1));
  CHECK(tally.threads_at_once() == 4);
  CHECK(tally.imbalance() == Approx(1));
}

TEST_CASE("threads that were in it one after another do not") {
  Tally tally;
  for (int i = 0; i < 100; ++i) tally.add(at((i + 0.5) * 1e-3, i < 75 ? 1 : 2));
  CHECK(tally.wall_s() == Approx(0.1));
  CHECK(tally.threads_at_once() == 1);
  CHECK(tally.imbalance() == Approx(1));
}

TEST_CASE("a moment of two threads at once makes no parallel code") {
  // A shell's commands: forty processes, one after another, of which one was there with another.
  Tally tally;
  for (int i = 0; i < 400; ++i) tally.add(at((i + 0.5) * 1e-3, i / 10));
  tally.add(at(5.2e-3, 100));
  CHECK(tally.threads_at_once() == 1);
  CHECK(tally.imbalance() == Approx(1));
}

TEST_CASE("imbalance is that of the threads that were in it at once") {
  Tally tally;
  for (int i = 0; i < 100; ++i) {
    tally.add(at((i + 0.3) * 1e-3, 1));
    if (i < 50) tally.add(at((i + 0.6) * 1e-3, 2));
  }
  CHECK(tally.threads_at_once() == 2);
  CHECK(tally.imbalance() == Approx(100 / 75.0));
}

TEST_CASE("samples of several periods weigh what they stand for") {
  Tally a, b;
  for (int i = 0; i < 1000; ++i) a.add(at(i * 0.25e-3, 1, 0.25e-3));
  for (int i = 0; i < 1000; ++i) b.add(at(1 + i * 1e-3, 1, 1e-3));
  CHECK(a.thread_s() == Approx(0.25));
  CHECK(a.effective_samples() == Approx(1000));
  a.add(b);
  CHECK(a.thread_s() == Approx(1.25));
  // (sum of weights)^2 / sum of their squares
  CHECK(a.effective_samples() == Approx(1.25 * 1.25 / (1000 * (0.25e-3 * 0.25e-3 + 1e-6))));
}

TEST_CASE("a share's interval is Wilson's with two standard errors") {
  // p = 1/2, n = 96: (0.5 + 2/96 -+ 2 sqrt(0.25/96 + 1/96^2)) / (1 + 4/96)
  const Share half = share_of(0.5, 1, 96);
  CHECK(half.value == Approx(0.5));
  CHECK(half.low == Approx(0.4));
  CHECK(half.high == Approx(0.6));
  const Share none = share_of(0, 1, 100);
  CHECK(none.low == Approx(0).margin(1e-12));
  CHECK(none.high == Approx(4.0 / 104));
  const Share all = share_of(1, 1, 100);
  CHECK(all.high == Approx(1));
  CHECK(all.low == Approx(100.0 / 104));
  // Of any share of any number of samples, whatever rounding does.
  for (int samples = 1; samples <= 4000; samples += 7)
    for (const double part : {0.0, 1.0 / 3, 1e-9, 0.5, 1 - 1e-9, 1.0}) {
      const Share share = share_of(part, 1, samples);
      REQUIRE(share.low >= 0);
      REQUIRE(share.low <= share.value);
      REQUIRE(share.value <= share.high);
      REQUIRE(share.high <= 1);
    }
  const Share unknown = share_of(0, 0, 0);
  CHECK(unknown.low == 0);
  CHECK(unknown.high == 1);
}
