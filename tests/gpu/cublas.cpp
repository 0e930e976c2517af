#include "cublas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace roofmark::gpu_test {
namespace {

/// cublas_api.h and library_types.h: enumerations that never change.
enum DataType { real_32f = 0, real_64f = 1, real_16f = 2, real_16bf = 14 };
enum ComputeType { compute_32f = 68, compute_64f = 70, compute_32f_tf32 = 77 };
constexpr int no_transpose = 0, default_algorithm = -1;

using Create = int (*)(void**);
using Destroy = int (*)(void*);
using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int,
                     const void*, int, int, const void*, void*, int, int, int, int);

struct Case {
  const char* quantity;
  DataType type;
  ComputeType compute;
};
/// FP32 without tensor units, FP64 with them where there are some: the higher of two quantities is
/// what it is set against.
constexpr Case cases[] = {{"tensor.f16", real_16f, compute_32f},
                          {"tensor.bf16", real_16bf, compute_32f},
                          {"tensor.tf32", real_32f, compute_32f_tf32},
                          {"flop.f32", real_32f, compute_32f},
                          {"f64", real_64f, compute_64f}};

void* library() {
  if (const char* given = std::getenv("ROOFMARK_CUBLAS_LIBRARY");
      given != nullptr && *given != '\0')
    return dlopen(given, RTLD_NOW | RTLD_LOCAL);
  for (const char* name :
       {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
        "/usr/local/cuda/lib64/libcublas.so", "/usr/local/cuda/lib/libcublas.so"})
    if (void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
  return nullptr;
}

}  // namespace

Result<std::vector<GemmRate>> gemm_rates(cupti::DeviceSession& session, std::size_t memory_bytes) {
  void* cublas = library();
  if (cublas == nullptr)
    return tl::unexpected(
        Problem{"cuBLAS is not installed", "libcublas.so", "name it by ROOFMARK_CUBLAS_LIBRARY"});
  const auto create = reinterpret_cast<Create>(dlsym(cublas, "cublasCreate_v2"));
  const auto destroy = reinterpret_cast<Destroy>(dlsym(cublas, "cublasDestroy_v2"));
  const auto gemm = reinterpret_cast<Gemm>(dlsym(cublas, "cublasGemmEx"));
  void* handle = nullptr;
  if (create == nullptr || destroy == nullptr || gemm == nullptr || create(&handle) != 0)
    return tl::unexpected(Problem{"cuBLAS can't be used", "libcublas.so", ""});
  const int n = memory_bytes > (std::size_t{8} << 30) ? 8192 : 2048;
  const std::size_t bytes = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * 8;
  std::vector<GemmRate> rates;
  const auto a = session.allocate(bytes), b = session.allocate(bytes), c = session.allocate(bytes);
  if (!a || !b || !c) {
    destroy(handle);
    return tl::unexpected(Problem{"there is no memory for matrices", "", ""});
  }
  // Values between 1/2 and 1 of each type would need a kernel of its own; halves of 0x3a55 are
  // 0.79, and read as any other type of these they are small and finite.
  const std::vector<std::uint16_t> values(bytes / 2, 0x3a55);
  for (const auto& matrix : {*a, *b, *c})
    if (const auto filled = session.to_device(matrix, values.data(), bytes); !filled) {
      destroy(handle);
      return tl::unexpected(filled.error());
    }
  for (const Case& one : cases) {
    const float one32 = 1, zero32 = 0;
    const double one64 = 1, zero64 = 0;
    const bool wide = one.compute == compute_64f;
    const void* alpha = wide ? static_cast<const void*>(&one64) : &one32;
    const void* beta = wide ? static_cast<const void*>(&zero64) : &zero32;
    const auto run = [&] {
      return gemm(handle, no_transpose, no_transpose, n, n, n, alpha,
                  reinterpret_cast<const void*>(*a), one.type, n, reinterpret_cast<const void*>(*b),
                  one.type, n, beta, reinterpret_cast<void*>(*c), one.type, n, one.compute,
                  default_algorithm);
    };
    std::vector<double> times;
    bool works = run() == 0 && run() == 0;
    for (int i = 0; works && i < 10; ++i) {
      const auto time = session.timed("cublasGemmEx", run);
      works = time.has_value();
      if (works) times.push_back(*time);
    }
    if (!works || times.empty()) continue;
    std::sort(times.begin(), times.end());
    const double flop = 2.0 * n * n * n;
    rates.push_back({one.quantity, flop / times[times.size() / 2]});
  }
  destroy(handle);
  return rates;
}

}  // namespace roofmark::gpu_test
