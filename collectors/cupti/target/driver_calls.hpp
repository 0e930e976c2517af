// What the driver's and the runtime's functions do, by their names: so that variants that a newer
// CUPTI knows of are seen too. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace roofmark::cupti {

enum class CallKind : std::uint8_t { none, launch, graph, copy, blocking_copy, wait };

/// "cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cudaMemcpyAsync_v3020", ...
CallKind kind_of_call(std::string_view function);

}  // namespace roofmark::cupti
