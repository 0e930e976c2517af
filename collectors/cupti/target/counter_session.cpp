#include "counter_session.hpp"

#include "collectors/cupti/error_table.hpp"

namespace roofmark::cupti {
namespace {

/// Which of CUPTI's errors a flag of cuptiProfilerDeviceSupported stands for.
int code_of(const CUpti_Profiler_DeviceSupported_Params& p) {
  const auto lacks = [](CUpti_Profiler_Support_Level level) {
    return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  if (p.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED)
    return CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES;
  if (p.vGpu == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
    return CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
  if (lacks(p.confidentialCompute)) return CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED;
  if (lacks(p.cmp)) return CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED;
  // CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED and CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, which the
  // headers of CUDA 12.6 do not name yet.
  if (lacks(p.wsl)) return 45;
  if (lacks(p.sli)) return 44;
  return CUPTI_ERROR_NOT_SUPPORTED;
}

}  // namespace

bool CounterSession::is_supported(unsigned ordinal) {
  const CuptiLibrary& cupti = recorder_.cupti;
  ROOFMARK_SIZED(CUpti_Profiler_Initialize, initialize, pPriv);
  if (!ask("cuptiProfilerInitialize", cupti.cuptiProfilerInitialize, initialize)) return false;
  CUdevice device = 0;
  if (recorder_.cuda.cuDeviceGet(&device, static_cast<int>(ordinal)) != CUDA_SUCCESS) {
    recorder_.say("driver_failed", device_);
    return false;
  }
  ROOFMARK_SIZED(CUpti_Profiler_DeviceSupported, supported, api);
  supported->cuDevice = device;
  supported->api = CUPTI_PROFILER_RANGE_PROFILING;
  if (!ask("cuptiProfilerDeviceSupported", cupti.cuptiProfilerDeviceSupported, supported))
    return false;
  if (supported->isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    recorder_.failed("cuptiProfilerDeviceSupported", code_of(supported.params), device_);
    return false;
  }
  int shared = 0;
  if (recorder_.cuda.cuDeviceGetAttribute(&shared, CU_DEVICE_ATTRIBUTE_MPS_ENABLED, device) ==
          CUDA_SUCCESS &&
      shared != 0) {
    recorder_.say("mps", device_);
    return false;
  }
  return true;
}

bool CounterSession::find_chip(unsigned ordinal) {
  const CuptiLibrary& cupti = recorder_.cupti;
  ROOFMARK_SIZED(CUpti_Device_GetChipName, name, pChipName);
  name->deviceIndex = ordinal;
  if (!ask("cuptiDeviceGetChipName", cupti.cuptiDeviceGetChipName, name)) return false;
  chip_ = name->pChipName == nullptr ? "" : name->pChipName;
  recorder_.set_chip(device_, chip_);
  const auto planned = recorder_.plan.metrics.find(chip_);
  if (planned == recorder_.plan.metrics.end()) {
    recorder_.say("chip_not_planned", device_, 1, chip_);
    return false;
  }
  metrics_ = planned->second;
  // Here a missing permission shows, before anything is begun.
  ROOFMARK_SIZED(CUpti_Profiler_GetCounterAvailability, available, pCounterAvailabilityImage);
  available->ctx = context_;
  if (!ask("cuptiProfilerGetCounterAvailability", cupti.cuptiProfilerGetCounterAvailability,
           available))
    return false;
  availability_.resize(available->counterAvailabilityImageSize);
  available->pCounterAvailabilityImage = availability_.data();
  return ask("cuptiProfilerGetCounterAvailability", cupti.cuptiProfilerGetCounterAvailability,
             available);
}

bool CounterSession::choose_metrics() {
  // A name that can't be added spoils the host object for all others: each is asked for first.
  std::vector<std::string> known;
  std::string unknown;
  for (const std::string& metric : metrics_) {
    ROOFMARK_SIZED(CUpti_Profiler_Host_GetMetricProperties, properties, pMetricName);
    properties->pHostObject = host_;
    properties->pMetricName = metric.c_str();
    const auto result = call(recorder_.cupti.cuptiProfilerHostGetMetricProperties, properties);
    if (result == CUPTI_SUCCESS) {
      known.push_back(metric);
    } else if (result == CUPTI_ERROR_INVALID_METRIC_NAME) {
      unknown += (unknown.empty() ? "" : ", ") + metric;
    } else {
      recorder_.failed("cuptiProfilerHostGetMetricProperties", result, device_);
      return false;
    }
  }
  if (!unknown.empty()) recorder_.say("metric_unknown", device_, 1, unknown);
  metrics_ = std::move(known);
  for (const std::string& metric : metrics_) metric_pointers_.push_back(metric.c_str());
  return !metrics_.empty();
}

bool CounterSession::read_config() {
  const CuptiLibrary& cupti = recorder_.cupti;
  ROOFMARK_SIZED(CUpti_Profiler_Host_ConfigAddMetrics, add, numMetrics);
  add->pHostObject = host_;
  add->ppMetricNames = metric_pointers_.data();
  add->numMetrics = metric_pointers_.size();
  if (!ask("cuptiProfilerHostConfigAddMetrics", cupti.cuptiProfilerHostConfigAddMetrics, add))
    return false;
  ROOFMARK_SIZED(CUpti_Profiler_Host_GetConfigImageSize, size, configImageSize);
  size->pHostObject = host_;
  if (!ask("cuptiProfilerHostGetConfigImageSize", cupti.cuptiProfilerHostGetConfigImageSize, size))
    return false;
  config_.resize(size->configImageSize);
  ROOFMARK_SIZED(CUpti_Profiler_Host_GetConfigImage, image, pConfigImage);
  image->pHostObject = host_;
  image->configImageSize = config_.size();
  image->pConfigImage = config_.data();
  if (!ask("cuptiProfilerHostGetConfigImage", cupti.cuptiProfilerHostGetConfigImage, image))
    return false;
  ROOFMARK_SIZED(CUpti_Profiler_Host_GetNumOfPasses, passes, numOfPasses);
  passes->configImageSize = config_.size();
  passes->pConfigImage = config_.data();
  if (!ask("cuptiProfilerHostGetNumOfPasses", cupti.cuptiProfilerHostGetNumOfPasses, passes))
    return false;
  if (passes->numOfPasses > 1 && recorder_.plan.replay == Replay::user) {
    recorder_.say("needs_passes", device_, 1, std::to_string(passes->numOfPasses) + " passes");
    return false;
  }
  return true;
}

bool CounterSession::make_config() {
  ROOFMARK_SIZED(CUpti_Profiler_Host_Initialize, host, pHostObject);
  host->profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host->pChipName = chip_.c_str();
  host->pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data();
  if (!ask("cuptiProfilerHostInitialize", recorder_.cupti.cuptiProfilerHostInitialize, host))
    return false;
  host_ = host->pHostObject;
  return choose_metrics() && read_config();
}

bool CounterSession::enable() {
  const CuptiLibrary& cupti = recorder_.cupti;
  ROOFMARK_SIZED(CUpti_RangeProfiler_Enable, enabled, pRangeProfilerObject);
  enabled->ctx = context_;
  if (!ask("cuptiRangeProfilerEnable", cupti.cuptiRangeProfilerEnable, enabled)) return false;
  ranges_ = enabled->pRangeProfilerObject;
  ROOFMARK_SIZED(CUpti_RangeProfiler_GetCounterDataSize, size, counterDataSize);
  size->pRangeProfilerObject = ranges_;
  size->pMetricNames = metric_pointers_.data();
  size->numMetrics = metric_pointers_.size();
  size->maxNumOfRanges = recorder_.plan.limits.ranges;
  size->maxNumRangeTreeNodes = static_cast<std::uint32_t>(recorder_.plan.limits.ranges);
  if (!ask("cuptiRangeProfilerGetCounterDataSize", cupti.cuptiRangeProfilerGetCounterDataSize,
           size))
    return false;
  data_.resize(size->counterDataSize);
  return true;
}

CUptiResult CounterSession::set_config(CUpti_ProfilerReplayMode replay) {
  ROOFMARK_SIZED(CUpti_RangeProfiler_SetConfig, config, targetNestingLevel);
  config->pRangeProfilerObject = ranges_;
  config->configSize = config_.size();
  config->pConfig = config_.data();
  config->counterDataImageSize = data_.size();
  config->pCounterDataImage = data_.data();
  config->range = CUPTI_AutoRange;
  config->replayMode = replay;
  config->maxRangesPerPass = recorder_.plan.limits.ranges;
  config->numNestingLevels = 1;
  config->minNestingLevel = 1;
  config->targetNestingLevel = 1;
  return call(recorder_.cupti.cuptiRangeProfilerSetConfig, config);
}

bool CounterSession::prepare() {
  ROOFMARK_SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize, image, pCounterData);
  image->pRangeProfilerObject = ranges_;
  image->counterDataSize = data_.size();
  image->pCounterData = data_.data();
  if (!ask("cuptiRangeProfilerCounterDataImageInitialize",
           recorder_.cupti.cuptiRangeProfilerCounterDataImageInitialize, image))
    return false;
  // A range for each launch goes with kernel replay: of a set that takes one pass nothing is run
  // twice and no memory is saved.
  CUptiResult result = set_config(CUPTI_KernelReplay);
  if (result == CUPTI_ERROR_INVALID_OPERATION && recorder_.plan.replay == Replay::user)
    result = set_config(CUPTI_UserReplay);
  if (result != CUPTI_SUCCESS) recorder_.failed("cuptiRangeProfilerSetConfig", result, device_);
  return result == CUPTI_SUCCESS;
}

bool CounterSession::open(unsigned ordinal) {
  if (is_supported(ordinal) && find_chip(ordinal) && make_config() && enable() && start())
    return true;
  close();
  return false;
}

bool CounterSession::start() {
  if (broken_ || ranges_ == nullptr || !prepare()) return false;
  ROOFMARK_SIZED(CUpti_RangeProfiler_Start, begin, pRangeProfilerObject);
  begin->pRangeProfilerObject = ranges_;
  running_ = ask("cuptiRangeProfilerStart", recorder_.cupti.cuptiRangeProfilerStart, begin);
  return running_;
}

void CounterSession::stop(
    std::size_t expected,
    const std::function<void(std::size_t, const std::vector<double>&)>& take) {
  if (!running_) return;
  running_ = false;
  broken_ = !read(expected, take);
}

bool CounterSession::read(
    std::size_t expected,
    const std::function<void(std::size_t, const std::vector<double>&)>& take) {
  const CuptiLibrary& cupti = recorder_.cupti;
  ROOFMARK_SIZED(CUpti_RangeProfiler_Stop, end, isAllPassSubmitted);
  end->pRangeProfilerObject = ranges_;
  if (!ask("cuptiRangeProfilerStop", cupti.cuptiRangeProfilerStop, end)) return false;
  ROOFMARK_SIZED(CUpti_RangeProfiler_DecodeData, decode, numOfRangeDropped);
  decode->pRangeProfilerObject = ranges_;
  if (!ask("cuptiRangeProfilerDecodeData", cupti.cuptiRangeProfilerDecodeData, decode))
    return false;
  ROOFMARK_SIZED(CUpti_RangeProfiler_GetCounterDataInfo, info, numTotalRanges);
  info->pCounterDataImage = data_.data();
  info->counterDataImageSize = data_.size();
  if (!ask("cuptiRangeProfilerGetCounterDataInfo", cupti.cuptiRangeProfilerGetCounterDataInfo,
           info))
    return false;
  if (decode->numOfRangeDropped != 0) {
    dropped_ += decode->numOfRangeDropped;
    recorder_.say("ranges_lost", device_, decode->numOfRangeDropped);
  }
  // Ranges have no names but numbers: they are the launches only if there are as many.
  if (info->numTotalRanges != expected) {
    if (expected > info->numTotalRanges + decode->numOfRangeDropped ||
        info->numTotalRanges > expected)
      recorder_.say("launches_differ", device_);
    return true;
  }
  std::vector<double> values(metrics_.size());
  for (std::size_t range = 0; range < expected; ++range) {
    ROOFMARK_SIZED(CUpti_Profiler_Host_EvaluateToGpuValues, evaluate, pMetricValues);
    evaluate->pHostObject = host_;
    evaluate->pCounterDataImage = data_.data();
    evaluate->counterDataImageSize = data_.size();
    evaluate->rangeIndex = range;
    evaluate->ppMetricNames = metric_pointers_.data();
    evaluate->numMetrics = metric_pointers_.size();
    evaluate->pMetricValues = values.data();
    if (!ask("cuptiProfilerHostEvaluateToGpuValues", cupti.cuptiProfilerHostEvaluateToGpuValues,
             evaluate))
      return false;
    take(range, values);
  }
  return true;
}

void CounterSession::drop_host() {
  if (host_ == nullptr) return;
  ROOFMARK_SIZED(CUpti_Profiler_Host_Deinitialize, host, pHostObject);
  host->pHostObject = host_;
  (void)call(recorder_.cupti.cuptiProfilerHostDeinitialize, host);
  host_ = nullptr;
}

void CounterSession::close() {
  running_ = false;
  if (ranges_ != nullptr) {
    ROOFMARK_SIZED(CUpti_RangeProfiler_Disable, disable, pRangeProfilerObject);
    disable->pRangeProfilerObject = ranges_;
    (void)call(recorder_.cupti.cuptiRangeProfilerDisable, disable);
    ranges_ = nullptr;
  }
  drop_host();
}

}  // namespace roofmark::cupti
