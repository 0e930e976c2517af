// The headers of the CUPTI that is installed, as those of CUDA 12.6 are for what is compiled behind
// this: the version that they state, and without the names that came later. 12.6 is the oldest that
// has the range profiler.
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_runtime_cbid.h>
#include <cupti_target.h>
#include <cupti_version.h>

#undef CUPTI_API_VERSION
#define CUPTI_API_VERSION 24

#pragma GCC poison CUpti_ActivityKernel10 CUpti_ActivityKernel11 CUpti_ActivityMemcpy6
#pragma GCC poison CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED
#pragma GCC poison CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED CUPTI_ERROR_INVALID_CHIP_NAME
#pragma GCC poison bAllowDeviceLevelCounters
