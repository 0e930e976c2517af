#include "analysis/roofline/gpu_machine.hpp"

#include <algorithm>

#include "analysis/roofline/sane.hpp"

namespace roofmark {
namespace {

constexpr std::string_view locus_prefix = "gpu:";
/// Of vector units, beside the names of a processor's instruction sets.
constexpr const char* vector_units = "vector";

std::string after(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string();
}

/// What a kernel that attained it did, as the model's patterns have it.
std::string pattern_of(const std::string& pattern) {
  for (const char* known : {"read", "write", "copy", "triad"})
    if (pattern == known) return pattern;
  return "read";
}

}  // namespace

std::string_view device_of_locus(std::string_view locus) {
  return locus.starts_with(locus_prefix) ? locus.substr(locus_prefix.size()) : std::string_view();
}

std::string locus_of_device(const std::string& uuid) {
  return std::string(locus_prefix) + uuid;
}

const Gpu* gpu_of(const Machine& machine, std::string_view uuid) {
  const auto found = std::find_if(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.uuid == uuid; });
  return found == machine.gpus.end() ? nullptr : &*found;
}

Machine machine_of(const Gpu& gpu) {
  Machine machine;
  machine.identity["kind"] = "gpu";
  machine.identity["cpu_model"] = gpu.name.empty() ? gpu.uuid : gpu.name;
  machine.topology.cores = machine.topology.threads = 1;
  machine.clock_hz = gpu.sm_clock_hz;
  machine.notes = gpu.notes;
  machine.gpus = {gpu};
  for (const GpuCeiling& from : gpu.ceilings) {
    if (!model::is_rate(from.per_s)) continue;
    const double low = from.low > 0 ? from.low : from.per_s;
    const double high = from.high > 0 ? from.high : from.per_s;
    if (const auto precision = parse_word<Precision>(after(from.quantity, "flop."))) {
      ComputeCeiling ceiling;
      ceiling.precision = *precision;
      ceiling.isa = vector_units;
      ceiling.flop_per_s = from.per_s;
      ceiling.flop_per_cycle = from.per_cycle;
      ceiling.low = low;
      ceiling.high = high;
      ceiling.source = from.source;
      ceiling.flags = from.flags;
      machine.compute.push_back(std::move(ceiling));
    } else if (const std::string level = after(from.quantity, "bytes."); !level.empty()) {
      BandwidthCeiling ceiling;
      ceiling.level = level;
      ceiling.pattern = pattern_of(from.pattern);
      ceiling.interface_bytes_per_s = ceiling.program_bytes_per_s = from.per_s;
      ceiling.low = low;
      ceiling.high = high;
      ceiling.source = from.source;
      ceiling.flags = from.flags;
      machine.bandwidth.push_back(std::move(ceiling));
    }
  }
  return machine;
}

Machine memory_roof_of(const Gpu& gpu, const std::string& memory) {
  Machine machine = machine_of(gpu);
  std::erase_if(machine.bandwidth,
                [](const BandwidthCeiling& ceiling) { return ceiling.level != "HBM"; });
  for (BandwidthCeiling& ceiling : machine.bandwidth) ceiling.level = memory;
  machine.gpus.clear();  // it stands for a machine of the host's kind
  return machine;
}

bool is_gpu(const Machine& machine) {
  const auto kind = machine.identity.find("kind");
  return kind != machine.identity.end() && kind->second == "gpu" && machine.gpus.size() == 1;
}

bool kernels_alone(const Profile& profile) {
  return !profile.regions.empty() &&
         std::all_of(profile.regions.begin(), profile.regions.end(),
                     [](const Region& region) { return region.kernel.has_value(); });
}

Machine with_ceilings(const Machine& machine) {
  return is_gpu(machine) && machine.compute.empty() && machine.bandwidth.empty()
             ? machine_of(machine.gpus.front())
             : machine;
}

std::optional<Ceiling> tensor_ceiling(const Machine& machine, const std::string& type,
                                      std::optional<double> clock_hz) {
  if (!is_gpu(machine)) return std::nullopt;
  const GpuCeiling* best = nullptr;
  for (const GpuCeiling& ceiling : machine.gpus.front().ceilings)
    if (ceiling.quantity == "tensor." + type && model::is_rate(ceiling.per_s) &&
        (best == nullptr || ceiling.per_s > best->per_s))
      best = &ceiling;
  if (best == nullptr) return std::nullopt;
  double factor = 1;
  if (clock_hz && model::is_rate(*clock_hz)) {
    if (best->per_cycle > 0)
      factor = *clock_hz * best->per_cycle / best->per_s;
    else if (machine.clock_hz && model::is_rate(*machine.clock_hz))
      factor = *clock_hz / *machine.clock_hz;
  }
  return Ceiling{"tensor " + type + (best->pattern.empty() ? "" : " " + best->pattern),
                 best->per_s * factor,
                 (best->low > 0 ? best->low : best->per_s) * factor,
                 (best->high > 0 ? best->high : best->per_s) * factor,
                 1,
                 best->source};
}

}  // namespace roofmark
