#include "host_api.hpp"

#ifdef ROOFMARK_HAVE_CUPTI

#include <cupti_profiler_host.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <dlfcn.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace roofmark::cupti {

struct HostApi::Functions {
  decltype(&::cuptiGetVersion) get_version = nullptr;
  decltype(&::cuptiProfilerHostGetSupportedChips) get_chips = nullptr;
  decltype(&::cuptiProfilerHostInitialize) initialize = nullptr;
  decltype(&::cuptiProfilerHostDeinitialize) deinitialize = nullptr;
  decltype(&::cuptiProfilerHostGetMetricProperties) get_properties = nullptr;
  decltype(&::cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImageSize) get_image_size = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImage) get_image = nullptr;
  decltype(&::cuptiProfilerHostGetNumOfPasses) get_passes = nullptr;
};

namespace {

constexpr const char* remedy = "install CUDA's CUPTI, or name it by ROOFMARK_CUPTI_LIBRARY";

Problem absent(const std::string& reason, const std::string& where) {
  return {reason, where, remedy};
}

/// Of the major version that the headers were of: structures of another one differ.
std::vector<std::string> candidates() {
  if (const char* given = std::getenv("ROOFMARK_CUPTI_LIBRARY"); given != nullptr && *given != '\0')
    return {given};
  // Up to CUDA 12 the version counts releases (24: 12.6); since, it is 130001 for 13.0.1.
  constexpr int major = CUPTI_API_VERSION < 10000 ? 12 : CUPTI_API_VERSION / 10000;
  const std::string name = "libcupti.so." + std::to_string(major);
  std::vector<std::string> all = {name};
  for (const char* root : {"/usr/local/cuda", "/opt/cuda"})
    for (const char* folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      all.push_back(root + std::string(folder) + name);
  std::error_code fault;
  for (std::filesystem::directory_iterator entry("/usr/local", fault), end; !fault && entry != end;
       entry.increment(fault))
    if (entry->path().filename().string().rfind("cuda-", 0) == 0)
      for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"})
        all.push_back((entry->path() / folder / name).string());
  return all;
}

/// CUPTI opens libnvperf_host.so by its bare name, and finds it only where it is loaded already or
/// on the search path: not where CUDA lies in a folder of its own.
void load_neighbour(void* library) {
  char origin[PATH_MAX];
  if (dlinfo(library, RTLD_DI_ORIGIN, origin) != 0) return;
  dlopen((std::string(origin) + "/libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// A structure of CUPTI's, which says how large it was when this was compiled.
template <class Params>
Params sized(std::size_t bytes) {
  Params params{};
  params.structSize = bytes;
  return params;
}

/// One chip's metrics and what they come to; a failed call leaves it useless (all later ones fail).
class Configuration {
 public:
  template <class Functions>
  Configuration(const Functions& functions, const std::string& chip)
      : deinitialize_(functions.deinitialize) {
    auto params = sized<CUpti_Profiler_Host_Initialize_Params>(
        CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    if (functions.initialize(&params) == CUPTI_SUCCESS) object_ = params.pHostObject;
  }
  ~Configuration() {
    if (object_ == nullptr) return;
    auto params = sized<CUpti_Profiler_Host_Deinitialize_Params>(
        CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    params.pHostObject = object_;
    deinitialize_(&params);
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  CUpti_Profiler_Host_Object* object() const { return object_; }

 private:
  decltype(&::cuptiProfilerHostDeinitialize) deinitialize_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

template <class Functions>
bool has(const Functions& functions, const Configuration& configuration,
         const std::string& metric) {
  auto params = sized<CUpti_Profiler_Host_GetMetricProperties_Params>(
      CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE);
  params.pHostObject = configuration.object();
  params.pMetricName = metric.c_str();
  return functions.get_properties(&params) == CUPTI_SUCCESS;
}

}  // namespace

Result<HostApi> HostApi::load() {
  void* library = nullptr;
  for (const std::string& path : candidates())
    if ((library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  if (library == nullptr)
    return tl::unexpected(absent("CUPTI is not installed", candidates().front()));
  load_neighbour(library);
  const auto functions = std::make_shared<Functions>();
  if (!find(library, "cuptiGetVersion", functions->get_version) ||
      !find(library, "cuptiProfilerHostGetSupportedChips", functions->get_chips) ||
      !find(library, "cuptiProfilerHostInitialize", functions->initialize) ||
      !find(library, "cuptiProfilerHostDeinitialize", functions->deinitialize) ||
      !find(library, "cuptiProfilerHostGetMetricProperties", functions->get_properties) ||
      !find(library, "cuptiProfilerHostConfigAddMetrics", functions->add_metrics) ||
      !find(library, "cuptiProfilerHostGetConfigImageSize", functions->get_image_size) ||
      !find(library, "cuptiProfilerHostGetConfigImage", functions->get_image) ||
      !find(library, "cuptiProfilerHostGetNumOfPasses", functions->get_passes))
    return tl::unexpected(absent("this CUPTI is older than 12.6", "libcupti.so"));
  HostApi api;
  api.functions_ = functions;
  if (api.chips().empty())
    return tl::unexpected(absent("CUPTI names no chip: libnvperf_host.so is not beside it", ""));
  return api;
}

std::string HostApi::version() const {
  std::uint32_t version = 0;
  functions_->get_version(&version);
  return "CUPTI of API version " + std::to_string(version);
}

std::vector<std::string> HostApi::chips() const {
  auto params = sized<CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  if (functions_->get_chips(&params) != CUPTI_SUCCESS) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < params.numChips; ++i) {
    // One chip is listed and can't be planned for.
    if (Configuration(*functions_, params.ppChipNames[i]).object() != nullptr)
      names.emplace_back(params.ppChipNames[i]);
  }
  return names;
}

bool HostApi::has_metric(const std::string& chip, const std::string& metric) const {
  const Configuration configuration(*functions_, chip);
  return configuration.object() != nullptr && has(*functions_, configuration, metric);
}

Result<int> HostApi::passes(const std::string& chip,
                            const std::vector<std::string>& metrics) const {
  const Configuration configuration(*functions_, chip);
  if (configuration.object() == nullptr)
    return tl::unexpected(absent("CUPTI does not know this chip", chip));
  std::vector<const char*> names;
  for (const std::string& metric : metrics) {
    if (!has(*functions_, configuration, metric))
      return tl::unexpected(Problem{"this chip has no metric `" + metric + "`", chip, ""});
    names.push_back(metric.c_str());
  }
  const auto failed = [&](const char* what, CUptiResult code) {
    return tl::unexpected(absent(
        std::string("CUPTI's ") + what + " returned " + std::to_string(static_cast<int>(code)),
        chip));
  };
  auto add = sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = configuration.object();
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  if (const auto code = functions_->add_metrics(&add); code != CUPTI_SUCCESS)
    return failed("cuptiProfilerHostConfigAddMetrics", code);
  auto size = sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = configuration.object();
  if (const auto code = functions_->get_image_size(&size); code != CUPTI_SUCCESS)
    return failed("cuptiProfilerHostGetConfigImageSize", code);
  std::vector<std::uint8_t> bytes(size.configImageSize);
  auto image = sized<CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = configuration.object();
  image.configImageSize = bytes.size();
  image.pConfigImage = bytes.data();
  if (const auto code = functions_->get_image(&image); code != CUPTI_SUCCESS)
    return failed("cuptiProfilerHostGetConfigImage", code);
  auto count = sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  count.configImageSize = bytes.size();
  count.pConfigImage = bytes.data();
  if (const auto code = functions_->get_passes(&count); code != CUPTI_SUCCESS)
    return failed("cuptiProfilerHostGetNumOfPasses", code);
  return static_cast<int>(count.numOfPasses);
}

}  // namespace roofmark::cupti

#else

namespace roofmark::cupti {

struct HostApi::Functions {};

Result<HostApi> HostApi::load() {
  return tl::unexpected(Problem{"Roofmark was built without CUPTI's headers", "",
                                "build it where CUDA 12.6 or later is installed"});
}
std::string HostApi::version() const {
  return "";
}
std::vector<std::string> HostApi::chips() const {
  return {};
}
bool HostApi::has_metric(const std::string&, const std::string&) const {
  return false;
}
Result<int> HostApi::passes(const std::string&, const std::vector<std::string>&) const {
  return tl::unexpected(Problem{"Roofmark was built without CUPTI's headers", "", ""});
}

}  // namespace roofmark::cupti

#endif
