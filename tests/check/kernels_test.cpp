// The kernels do what their names say, by the closed form, and run on this processor.
#include "analysis/check/kernels.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "catch.hpp"

using namespace roofmark::check;

namespace {

std::uint64_t per_iteration(const std::string& name) {
  for (const Kernel& kernel : kernels_here())
    if (kernel.name == name) return expected_work(kernel, 1);
  return 0;
}

}  // namespace

#if defined(__x86_64__) || defined(__aarch64__)

TEST_CASE("FLOPs are operations times lanes, twice where fused") {
  CHECK(per_iteration("f64_scalar_add") == 8);
  CHECK(per_iteration("f32_scalar_mul") == 8);
  CHECK(per_iteration("f64_128_add") == 16);
  CHECK(per_iteration("f32_128_mul") == 32);
#if defined(__x86_64__)
  const bool fused = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx");
  if (__builtin_cpu_supports("avx")) CHECK(per_iteration("f32_256_add") == 64);
  if (fused) CHECK(per_iteration("f64_256_fma") == 64);
  if (fused) CHECK(per_iteration("f32_256_fma") == 128);
#else
  const bool fused = true;
#endif
  if (fused) CHECK(per_iteration("f64_scalar_fma") == 16);
  if (fused) CHECK(per_iteration("f32_128_fma") == 64);
  CHECK(per_iteration("integer") == 10);
  CHECK(per_iteration("read") == 64);
}

TEST_CASE("every kernel has a name of its own and runs") {
  std::vector<char> memory(1 << 16, 'x');
  auto* const start = memory.data();
  std::set<std::string> names;
  for (const Kernel& kernel : kernels_here()) {
    CHECK(names.insert(kernel.name).second);
    kernel.run(10, {start, 1024});
  }
  CHECK(names.size() >= 11);
}

TEST_CASE("writes go once over the buffer and start again, and never beyond") {
  std::vector<char> memory(4096, 'x');
  for (const Kernel& kernel : kernels_here())
    if (kernel.work == check::Work::writes) {
      kernel.run(3, {memory.data(), 1024});
      CHECK(std::count(memory.begin(), memory.end(), '\0') == 3 * 64);
      kernel.run(100, {memory.data(), 1024});
      CHECK(std::count(memory.begin(), memory.end(), '\0') == 1024);
      CHECK(memory[1023] == '\0');
      CHECK(memory[1024] == 'x');
    }
}

#else

TEST_CASE("an architecture without kernels has none") {
  CHECK(kernels_here().empty());
}

#endif
