#include "analysis/roofline/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/thresholds.hpp"

namespace roofmark::model {
namespace {

double half_range(const Count& count) {
  const double low = double(count.low.value_or(count.value));
  const double high = double(count.high.value_or(count.value));
  return high > low ? (high - low) / 2 : 0;
}

/// FLOPs of a process and bytes of a whole socket make no intensity, unless the recorder saw that
/// the processes own the socket.
bool other_scope(const Count& bytes, const Work& work, const Region& region) {
  if (bytes.scope == Scope::device && work.flop.empty()) return false;
  const bool wide = bytes.scope == Scope::socket || bytes.scope == Scope::device;
  if (!wide || region.flags.count("owns_socket")) return false;
  if (work.flop.empty()) return work.declared_flop.has_value();
  return std::any_of(work.flop.begin(), work.flop.end(),
                     [&](const auto& flop) { return flop.second.scope != bytes.scope; });
}

std::optional<std::string> other_scope(const std::string& level, const Traffic& traffic,
                                       const Work& work, const Region& region) {
  const bool apart = traffic.read && traffic.write;
  for (const auto* count :
       {apart ? &traffic.read : &traffic.total, apart ? &traffic.write : &traffic.total})
    if (*count && other_scope(**count, work, region))
      return level + " counted for the whole " + std::string(spelling((*count)->scope)) +
             ", not for this program";
  return std::nullopt;
}

/// Both directions are known, be it only together.
bool is_whole(const Traffic& traffic) {
  return (traffic.read && traffic.write) || traffic.total;
}

/// Why this traffic can't be used, or nothing.
std::optional<std::string> unusable(const std::string& level, const Traffic& traffic,
                                    const Work& work, const Region& region) {
  if (!is_whole(traffic)) {
    if (!traffic.read && !traffic.write) return level + " not counted";
    return level + (traffic.read ? " writes not counted" : " reads not counted");
  }
  return other_scope(level, traffic, work, region);
}

bool has_counts(const Work& work, const std::string& level) {
  const auto found = work.bytes.find(level);
  return found != work.bytes.end() &&
         (found->second.read || found->second.write || found->second.total);
}

/// Of both directions together: the mix is not known, and that of reads alone stands for it.
InterfaceTraffic together(const std::string& level, const Count& total) {
  InterfaceTraffic made;
  made.level = level;
  made.bytes = double(total.value);
  made.source = total.source;
  if (made.bytes > 0) made.uncertainty = half_range(total) / made.bytes;
  return made;
}

/// 0: not known.
double mean_size(double bytes, const std::optional<double>& accesses) {
  return accesses && *accesses > 0 ? bytes / *accesses : 0;
}

InterfaceTraffic counted(const std::string& level, const Traffic& traffic, const Work& work) {
  if (!traffic.read || !traffic.write) return together(level, *traffic.total);
  const double read = double(traffic.read->value);
  const double write = double(traffic.write->value);
  InterfaceTraffic made;
  made.level = level;
  made.bytes = read + write;
  made.source = std::max(traffic.read->source, traffic.write->source);
  if (made.bytes <= 0) return made;
  made.uncertainty = (half_range(*traffic.read) + half_range(*traffic.write)) / made.bytes;
  made.mix.read_share = read / made.bytes;
  if (level == "L1") {
    made.mix.bytes_per_load = mean_size(read, operations(work, "loads"));
    made.mix.bytes_per_store = mean_size(write, operations(work, "stores"));
  } else if (write > 0) {
    const double bypass = operations(work, "nt_store_bytes").value_or(0);
    made.mix.non_temporal = bypass / write >= thresholds().non_temporal_share;
  }
  return made;
}

/// The user's formula stands for main memory where nothing was counted there.
InterfaceTraffic declared(const std::string& level, const Work& work) {
  InterfaceTraffic made;
  made.level = level;
  made.bytes = double(work.declared_bytes->value);
  made.source = Source::declared;
  made.declared = true;
  return made;
}

std::vector<std::string> memory_kinds(const Machine& machine) {
  std::vector<std::string> kinds = interfaces(machine);
  std::erase_if(kinds, [](const std::string& level) { return !is_main_memory(level); });
  return kinds;
}

/// A simulation and a declaration know main memory and no kinds of it: one interface, of whichever
/// kind. Nothing where the machine has that one kind alone, or the kinds were counted apart.
std::optional<InterfaceTraffic> of_any_kind(const Work& work, const Region& region,
                                            const std::vector<std::string>& kinds) {
  const std::string level = "DRAM";
  if (kinds.empty() || kinds == std::vector{level}) return std::nullopt;
  std::optional<InterfaceTraffic> made;
  const auto found = work.bytes.find(level);
  if (found != work.bytes.end() && !unusable(level, found->second, work, region)) {
    const Traffic& traffic = found->second;
    const Count& count = traffic.read && traffic.write ? *traffic.read : *traffic.total;
    if (count.collector == "emulated") made = counted(level, traffic, work);
  }
  const bool any_counted = std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
    const auto bytes = work.bytes.find(kind);
    return bytes != work.bytes.end() && !unusable(kind, bytes->second, work, region);
  });
  if (!made && !any_counted && work.declared_bytes) made = declared(level, work);
  if (made) made->kinds = kinds;
  return made;
}

/// `seen`: the kind was not the only one that there is.
std::string note_of_kinds(const InterfaceTraffic& memory, bool seen) {
  const char* whose = memory.declared ? "The declared bytes" : "The bytes modelled at DRAM";
  if (memory.kinds.size() == 1)
    return fmt::format("{} are those of main memory, {} {}{}.", whose,
                       seen ? "and the program's lay in" : "which is", memory.kinds.front(),
                       seen ? "" : " here");
  return fmt::format(
      "{} are those of main memory, which is {} here; of which kind the program's was is not "
      "known: they are set against the fastest, and in slower memory the roof is lower.",
      whose, fmt::join(memory.kinds, " and "));
}

}  // namespace

std::optional<std::string> other_scope(const std::string& level, const Work& work,
                                       const Region& region) {
  const auto found = work.bytes.find(level);
  return found == work.bytes.end() ? std::nullopt : other_scope(level, found->second, work, region);
}

std::optional<double> operations(const Work& work, const char* name) {
  const auto found = work.operations.find(name);
  if (found == work.operations.end()) return std::nullopt;
  return double(found->second.value);
}

std::optional<double> share_fetched_for_stores(const Traffic& traffic, double bypassing_bytes) {
  if (!traffic.read || !traffic.write) return std::nullopt;
  const double read = double(traffic.read->value);
  const double write = double(traffic.write->value);
  if (read + write <= 0) return std::nullopt;
  return std::clamp(write - bypassing_bytes, 0.0, read) / (read + write);
}

bool has_memory_of_any_kind(const Work& work, const Region& region, const Machine& machine) {
  return !is_gpu(machine) && of_any_kind(work, region, memory_kinds(machine)).has_value();
}

TrafficOfRegion traffic_of(const Work& work, const Region& region, const Machine& machine,
                           const std::string& memory_kind) {
  TrafficOfRegion made;
  if (auto none = no_machine(machine)) {
    made.uncounted.push_back(std::move(*none));
    made.main_memory_uncounted = true;
    return made;
  }
  std::vector<std::string> levels = interfaces(machine);
  if (std::none_of(levels.begin(), levels.end(), is_main_memory)) {
    made.uncounted.push_back("main memory has no ceiling");
    made.main_memory_uncounted = true;
  }
  const std::vector<std::string> kinds = memory_kinds(machine);
  auto memory =
      is_gpu(machine) ? std::optional<InterfaceTraffic>() : of_any_kind(work, region, kinds);
  const bool seen = std::find(kinds.begin(), kinds.end(), memory_kind) != kinds.end();
  if (memory && seen) memory->kinds = {memory_kind};
  for (const std::string& level : levels) {
    if (memory && is_main_memory(level)) continue;
    const auto found = work.bytes.find(level);
    auto reason = found == work.bytes.end() ? std::optional(level + " not counted")
                                            : unusable(level, found->second, work, region);
    if (!reason) {
      made.levels.push_back(counted(level, found->second, work));
      // A GPU's bandwidths are of both directions alike.
      if ((!found->second.read || !found->second.write) && !is_gpu(machine))
        made.notes.push_back("Reads and writes of " + level +
                             " were counted together: its ceiling is that of reads.");
    } else if (is_main_memory(level) && work.declared_bytes && kinds.size() == 1) {
      made.levels.push_back(declared(level, work));
      made.notes.push_back("The " + level +
                           " bytes are the user's declaration, set against program bytes/s.");
    } else if (seen && is_main_memory(level) && level != memory_kind && !has_counts(work, level)) {
      made.notes.push_back(
          fmt::format("{} was not counted: the program's memory lay in {}.", level, memory_kind));
    } else {
      made.main_memory_uncounted = made.main_memory_uncounted || is_main_memory(level);
      made.uncounted.push_back(*reason);
    }
  }
  if (memory) {
    made.levels.push_back(*memory);
    made.notes.push_back(note_of_kinds(*memory, seen && kinds.size() > 1));
  }
  for (const auto& [level, traffic] : work.bytes)
    if (std::find(levels.begin(), levels.end(), level) == levels.end() && !is_main_memory(level) &&
        level != "shared" && level != "TMA")  // beside L1 and between L2 and it, and so not alone
      made.uncounted.push_back(level + " has no ceiling");
  // What weighs most comes first.
  std::stable_partition(made.uncounted.begin(), made.uncounted.end(),
                        [](const std::string& clause) { return is_main_memory(clause); });
  return made;
}

}  // namespace roofmark::model
