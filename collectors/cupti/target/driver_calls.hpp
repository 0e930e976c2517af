// What the driver's and the runtime's functions do, by their names: so that variants that a newer
// CUPTI knows of are seen too. Pure.
#pragma once

#include <string_view>

#include "run.hpp"

namespace roofmark::cupti {

/// "cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cudaMemcpyAsync_v3020", ...
DriverCall::Kind kind_of_call(std::string_view function);

}  // namespace roofmark::cupti
