#include <analysis/files/read_small.hpp>
#include <analysis/sampling/online_cpus.hpp>
#include <charconv>
#include <string>

namespace roofmark::sampling {

// "0-3,8": the numbers of a list as the kernel writes it.
std::vector<int> online_cpus() {
  const std::string text = read_small("/sys/devices/system/cpu/online");
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto [next, error] = std::from_chars(at, end, first);
    if (error != std::errc()) break;
    int last = first;
    if (next < end && *next == '-') {
      const auto [after, bad] = std::from_chars(next + 1, end, last);
      if (bad != std::errc()) break;
      next = after;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    at = next + 1;
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

}  // namespace roofmark::sampling
