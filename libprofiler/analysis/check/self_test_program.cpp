// libexec/roofmark/roofmark-self-test ITERATIONS BYTES: every kernel once, each in a region of its
// name. What a counting pass counts is compared with what the kernels are known to do.
#include <roofmark/roofmark.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

using namespace roofmark::check;

namespace {

constexpr std::size_t line_bytes = 64;

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' ? value : 0;
}

/// Pages that are there, so that no kernel does the first touch.
Buffer filled(std::size_t bytes) {
  char* const data = static_cast<char*>(std::aligned_alloc(4096, bytes));
  if (data != nullptr) std::memset(data, 0, bytes);
  return {data, data == nullptr ? 0 : bytes};
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t iterations = argc == 3 ? number(argv[1]) : 0;
  const std::size_t bytes = argc == 3 ? number(argv[2]) / 4096 * 4096 : 0;
  if (iterations == 0 || bytes == 0) {
    std::fprintf(stderr, "usage: roofmark-self-test ITERATIONS BYTES (run by `roofmark check`)\n");
    return 2;
  }
  const Buffer own = filled(bytes), other = filled(bytes);
  if (own.data == nullptr || other.data == nullptr) {
    std::fprintf(stderr, "roofmark-self-test: no memory\n");
    return 1;
  }
  for (const Kernel& kernel : kernels_here()) {
    const bool moves = kernel.work == Work::reads || kernel.work == Work::writes;
    const std::uint64_t times = moves ? bytes / line_bytes : iterations;
    const std::string& name = kernel.name;
    {
      const roofmark::Scope scope(name.c_str());
      kernel.run(times, own);
    }
    // What it wrote leaves the caches: each byte has crossed every interface.
    if (moves && name == "write")
      for (const Kernel& reader : kernels_here())
        if (reader.work == Work::reads) reader.run(times, other);
  }
  return 0;
}
