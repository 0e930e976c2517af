// CUPTI, loaded and never linked. Types come from the headers that this was compiled against.
#pragma once

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <cstddef>
#include <string>

namespace roofmark::cupti {

// clang-format off
#define ROOFMARK_CUPTI_FUNCTIONS(each) \
  each(cuptiGetVersion) \
  each(cuptiSubscribe) \
  each(cuptiUnsubscribe) \
  each(cuptiEnableCallback) \
  each(cuptiGetCallbackName) \
  each(cuptiGetDeviceId) \
  each(cuptiGetTimestamp) \
  each(cuptiActivityRegisterTimestampCallback) \
  each(cuptiActivityRegisterCallbacks) \
  each(cuptiActivityEnable) \
  each(cuptiActivityFlushAll) \
  each(cuptiActivityGetNextRecord) \
  each(cuptiActivityGetNumDroppedRecords) \
  each(cuptiDeviceGetChipName) \
  each(cuptiProfilerInitialize) \
  each(cuptiProfilerDeviceSupported) \
  each(cuptiProfilerGetCounterAvailability) \
  each(cuptiProfilerHostInitialize) \
  each(cuptiProfilerHostDeinitialize) \
  each(cuptiProfilerHostGetMetricProperties) \
  each(cuptiProfilerHostConfigAddMetrics) \
  each(cuptiProfilerHostGetConfigImageSize) \
  each(cuptiProfilerHostGetConfigImage) \
  each(cuptiProfilerHostGetNumOfPasses) \
  each(cuptiProfilerHostEvaluateToGpuValues) \
  each(cuptiRangeProfilerEnable) \
  each(cuptiRangeProfilerDisable) \
  each(cuptiRangeProfilerGetCounterDataSize) \
  each(cuptiRangeProfilerCounterDataImageInitialize) \
  each(cuptiRangeProfilerSetConfig) \
  each(cuptiRangeProfilerStart) \
  each(cuptiRangeProfilerStop) \
  each(cuptiRangeProfilerDecodeData) \
  each(cuptiRangeProfilerGetCounterDataInfo)
// clang-format on

struct CuptiLibrary {
#define ROOFMARK_MEMBER(function) decltype(&::function) function = nullptr;
  ROOFMARK_CUPTI_FUNCTIONS(ROOFMARK_MEMBER)
#undef ROOFMARK_MEMBER

  unsigned version = 0;  ///< of the one that was loaded; 0: none
  std::string file;      ///< that was loaded, or that lacks something

  /// Null, or the name of the case in the error table.
  const char* load();
};

/// A parameter structure of CUPTI, with its size as of the headers. `least`: up to the last member
/// that is used here; a CUPTI older than the headers refuses the whole size.
template <class Params>
struct Sized {
  Params params{};
  std::size_t least;
  Sized(std::size_t size, std::size_t least_size) : least(least_size) { params.structSize = size; }
  Params* operator->() { return &params; }
};
#define ROOFMARK_SIZED(type, name, last)                                          \
  ::roofmark::cupti::Sized<type##_Params> name {                                  \
    type##_Params_STRUCT_SIZE, offsetof(type##_Params, last) + sizeof(name->last) \
  }

/// Calls, and steps down to the smaller structure where CUPTI refuses the parameters.
template <class Params>
CUptiResult call(CUptiResult(CUPTIAPI* function)(Params*), Sized<Params>& sized) {
  const CUptiResult result = function(&sized.params);
  if (result != CUPTI_ERROR_INVALID_PARAMETER || sized.params.structSize <= sized.least)
    return result;
  sized.params.structSize = sized.least;
  return function(&sized.params);
}

}  // namespace roofmark::cupti
