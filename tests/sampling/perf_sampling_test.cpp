// On this kernel, where it lets us.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/sampling/perf_sampling.hpp>

#include "catch.hpp"

using namespace roofmark::sampling;

TEST_CASE("the samples of a program stand for its processor time") {
  int gate[2];
  REQUIRE(pipe(gate) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    close(gate[1]);
    char nothing = 0;
    [[maybe_unused]] const auto got = read(gate[0], &nothing, 1);
    // Processor time, and not the machine's speed, is what ends it.
    execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done",
          static_cast<char*>(nullptr));
    _exit(1);
  }
  close(gate[0]);
  auto sampling = PerfSampling::of_child(child);
  close(gate[1]);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    if (sampling) sampling->drain(0);
    usleep(10000);
  }
  CHECK(status == 0);
  if (!sampling) {
    WARN("not here: " << roofmark::to_line(sampling.error()));
    CHECK_FALSE(sampling.error().reason.empty());
    return;
  }
  const SampledRun run = sampling->take();
  double sampled_s = 0;
  bool shell = false;
  for (const TimeSample& sample : run.samples) {
    sampled_s += sample.period_s;
    shell = shell || run.objects[sample.object].find("sh") != std::string::npos;
  }
  const double user_s = static_cast<double>(usage.ru_utime.tv_sec) +
                        static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
  const double system_s = static_cast<double>(usage.ru_stime.tv_sec) +
                          static_cast<double>(usage.ru_stime.tv_usec) / 1e6;
  CHECK(shell);
  CHECK(run.lost == 0);
  // The first period of each stretch is lost, and interrupts come late where others share the core.
  CHECK(sampled_s < 1.1 * (user_s + system_s) + 0.01);
  CHECK(sampled_s > 0.5 * (run.sees_kernel ? user_s + system_s : user_s) - 0.01);
}
