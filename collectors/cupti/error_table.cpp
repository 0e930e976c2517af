#include "error_table.hpp"

#include <iterator>

namespace roofmark::cupti {
namespace {

constexpr const char* open_counters =
    "run as root or with CAP_SYS_ADMIN (driver 565 and newer: CAP_PERFMON); or put `options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0` into /etc/modprobe.d/nvidia.conf, rebuild the "
    "initramfs "
    "and reboot; in a container: --cap-add=SYS_ADMIN (NVIDIA's page: ERR_NVGPUCTRPERM)";
constexpr const char* newer_cupti =
    "install the CUDA toolkit of the driver's version, or name its libcupti in "
    "ROOFMARK_CUPTI_LIBRARY";

constexpr Explanation table[] = {
    // CUPTI's own, by code.
    {1, "CUPTI_ERROR_INVALID_PARAMETER", "CUPTI did not accept what it was called with",
     newer_cupti},
    {2, "CUPTI_ERROR_INVALID_DEVICE", "CUPTI does not know this device", newer_cupti},
    {3, "CUPTI_ERROR_INVALID_CONTEXT", "CUPTI does not know this CUDA context", ""},
    {7, "CUPTI_ERROR_INVALID_OPERATION",
     "CUPTI does not allow this in its present state: ranges and replay that do not go together, "
     "too many ranges, or a session that was begun twice",
     "--replay kernel, or stop what else profiles this program"},
    {8, "CUPTI_ERROR_OUT_OF_MEMORY", "there is no memory left for profiling", ""},
    {10, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
     "a buffer that was given to CUPTI is too small", newer_cupti},
    {12, "CUPTI_ERROR_MAX_LIMIT_REACHED", "CUPTI can keep no more", ""},
    {13, "CUPTI_ERROR_NOT_READY", "the GPU has not finished yet", ""},
    {15, "CUPTI_ERROR_NOT_INITIALIZED",
     "CUPTI could not be initialised: the driver is older than this CUPTI, or libnvperf_host.so "
     "does "
     "not lie beside libcupti",
     "update the driver, or name a libcupti of the driver's version in ROOFMARK_CUPTI_LIBRARY"},
    {17, "CUPTI_ERROR_INVALID_METRIC_NAME", "this GPU has no such metric", newer_cupti},
    {26, "CUPTI_ERROR_HARDWARE_BUSY", "the counters are in use by someone else",
     "stop the other profiler; for DCGM: dcgmi profile --pause"},
    {27, "CUPTI_ERROR_NOT_SUPPORTED", "this GPU or driver has no such feature",
     "below compute capability 7.5: ncu, and roofmark import ncu"},
    {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED", "this virtual GPU can't be profiled", ""},
    {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
     "the driver lets only administrators read the GPU's counters", open_counters},
    {36, "CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED",
     "the program uses CUPTI's old profiling interface itself", "profile the program without it"},
    {38, "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED",
     "this CUPTI offers no way to count on this GPU that it supports", newer_cupti},
    {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
     "another profiler is attached to this program: PyTorch's, Nsight Systems, Nsight Compute or a "
     "debugger",
     "stop or turn off the other one: CUPTI serves one at a time"},
    {40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES",
     "the hypervisor does not allow profiling on this virtual GPU",
     "ask the host's administrator to enable profiling for this vGPU"},
    {41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED",
     "the GPU is in confidential computing mode, where it can't be profiled", ""},
    {42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED", "mining GPUs (CMP) can't be profiled", ""},
    {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED",
     "this MIG instance shares its units with others and can't be counted",
     "use a compute instance as large as its GPU instance, or the whole GPU"},
    {44, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED", "GPUs in SLI can't be profiled", "turn SLI off"},
    {45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED", "this set-up of WSL can't be profiled",
     "Windows 11 and driver 525 or newer can"},
    {46, "CUPTI_ERROR_INVALID_CHIP_NAME", "this CUPTI does not know the GPU: it is newer",
     newer_cupti},
    {999, "CUPTI_ERROR_UNKNOWN", "CUPTI gives no reason: there is no driver, or an internal error",
     "see that nvidia-smi works, and that driver and CUDA toolkit fit each other"},
    // Our own.
    {0, "no_cupti", "libcupti was not found",
     "install the CUDA toolkit (cuda-cupti), or name the file in ROOFMARK_CUPTI_LIBRARY"},
    {0, "cupti_too_old", "this libcupti lacks functions that it has since CUDA 12.6", newer_cupti},
    {0, "cupti_other_major",
     "this libcupti is of another major version than the plug-in was built for",
     "install the CUDA toolkit of that version, or build Roofmark with yours"},
    {0, "no_driver", "there is no NVIDIA driver: libcuda.so.1 was not found",
     "install the driver; in a container: --gpus all"},
    {0, "driver_failed", "the driver could not be asked for its devices",
     "see that nvidia-smi works"},
    {0, "chip_not_planned", "the plan has no metrics for this GPU's chip",
     "roofmark gpu plan --chip NAME says which chips are known"},
    {0, "metric_unknown", "this GPU has not all metrics of the set", newer_cupti},
    {0, "needs_passes", "the set needs more passes than a plain run has: nothing of it was counted",
     "--replay kernel"},
    {0, "graph_launch",
     "launches of CUDA graphs can't be counted kernel by kernel: CUPTI sees a graph as one",
     "let the program launch its kernels without graphs for counting"},
    {0, "launches_differ",
     "CUPTI counted another number of launches than were seen, so counts can't be told apart by "
     "kernel: those of this stretch are left out",
     "--replay kernel, or a program with one launching thread"},
    {0, "ranges_lost", "CUPTI could not count some launches", ""},
    {0, "mps", "the GPU is shared through MPS, whose clients can't be counted",
     "run without MPS: unset CUDA_MPS_PIPE_DIRECTORY, or stop nvidia-cuda-mps-control"},
    {0, "busy_at_exit", "a kernel was still running at the program's end: its counts are left out",
     ""},
    {0, "own_clock",
     "CUPTI did not take the host's clock: times of kernels are moved by a constant and may drift",
     ""},
    {0, "stuck_at_exit",
     "CUPTI or the disk did not answer at the program's end: its last moments are left out", ""},
    {0, "internal", "the plug-in in the program ran out of memory and stopped", ""},
};

constexpr Explanation unnamed = {
    -1, "unknown", "CUPTI returned an error that has no description here", newer_cupti};

}  // namespace

const Explanation& explain(int code) {
  for (const Explanation& row : table)
    if (row.code == code && code != 0) return row;
  return unnamed;
}

const Explanation& explain(std::string_view name) {
  for (const Explanation& row : table)
    if (row.name == name) return row;
  return unnamed;
}

Explanations all_explanations() {
  return {std::begin(table), std::end(table)};
}

}  // namespace roofmark::cupti
