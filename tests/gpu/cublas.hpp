// cuBLAS by dlopen: what a library that others tuned reaches on this device.
#pragma once

#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "collectors/cupti/ceilings/driver.hpp"

namespace roofmark::gpu_test {

struct GemmRate {
  std::string quantity;  ///< "tensor.bf16": what it is set against
  double flop_per_s = 0;
};

/// Square GEMMs of each type; a Problem where there is no cuBLAS.
Result<std::vector<GemmRate>> gemm_rates(cupti::DeviceSession& session, std::size_t memory_bytes);

}  // namespace roofmark::gpu_test
