#include "topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cpu_quota.hpp"
#include "memory_nodes.hpp"

namespace roofmark {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using TopologyHandle = std::unique_ptr<hwloc_topology, DestroyTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap new_bitmap() {
  return Bitmap(hwloc_bitmap_alloc());
}

Problem hwloc_problem(const std::string& reason, const std::string& where) {
  return {reason + ": " + std::strerror(errno), where, "check it with `hwloc-info` or `lstopo`"};
}

Result<TopologyHandle> load(const TopologySource& source) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return tl::unexpected(hwloc_problem("hwloc can't start", "topology"));
  TopologyHandle handle(raw);
  if (source.xml_file && hwloc_topology_set_xml(raw, source.xml_file->c_str()) != 0)
    return tl::unexpected(hwloc_problem("hwloc can't read the topology", *source.xml_file));
  if (source.synthetic && hwloc_topology_set_synthetic(raw, source.synthetic->c_str()) != 0)
    return tl::unexpected(hwloc_problem("hwloc can't read the description", *source.synthetic));
  if (hwloc_topology_load(raw) != 0)
    return tl::unexpected(hwloc_problem("hwloc can't find out what the machine is made of",
                                        source.xml_file.value_or("topology")));
  return handle;
}

/// The hardware threads that we may use: hwloc has left out what the cgroup forbids, the mask does
/// the rest.
void restrict_to_allowed(hwloc_topology_t topology, const TopologySource& source) {
  const Bitmap allowed = new_bitmap();
  if (source.allowed) {
    for (const unsigned cpu : *source.allowed) hwloc_bitmap_set(allowed.get(), cpu);
  } else if (source.xml_file || source.synthetic) {
    return;
  } else if (hwloc_get_cpubind(topology, allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    return;
  }
  hwloc_topology_restrict(topology, allowed.get(), 0);
}

std::vector<unsigned> numbers(hwloc_const_bitmap_t set) {
  std::vector<unsigned> all;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i))
    all.push_back(static_cast<unsigned>(i));
  return all;
}

class Layout {
 public:
  explicit Layout(hwloc_topology_t topology) : topology_(topology) {}

  MachineLayout read() {
    read_counts();
    read_kinds();
    read_caches();
    read_memory();
    read_scopes();
    return std::move(layout_);
  }

 private:
  std::vector<hwloc_obj_t> objects(hwloc_obj_type_t type) const {
    std::vector<hwloc_obj_t> all;
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology_, type, o)) != nullptr;)
      all.push_back(o);
    return all;
  }

  /// Cores as sets of hardware threads; where the topology knows no cores each hardware thread is
  /// one.
  std::vector<hwloc_obj_t> cores() const {
    std::vector<hwloc_obj_t> all = objects(HWLOC_OBJ_CORE);
    return all.empty() ? objects(HWLOC_OBJ_PU) : all;
  }

  std::vector<unsigned> first_threads(hwloc_const_bitmap_t within) const {
    std::vector<unsigned> cpus;
    for (const hwloc_obj_t core : cores()) {
      const int first = hwloc_bitmap_first(core->cpuset);
      if (first >= 0 && hwloc_bitmap_isincluded(core->cpuset, within) != 0)
        cpus.push_back(static_cast<unsigned>(first));
    }
    return cpus;
  }

  void read_counts() {
    Topology& t = layout_.topology;
    // A socket whose cores are all forbidden stays in the topology for its memory.
    std::vector<hwloc_obj_t> sockets = objects(HWLOC_OBJ_PACKAGE);
    std::erase_if(sockets,
                  [](hwloc_obj_t socket) { return hwloc_bitmap_iszero(socket->cpuset) != 0; });
    t.sockets = static_cast<unsigned>(std::max<std::size_t>(sockets.size(), 1));
    t.cores = static_cast<unsigned>(std::max<std::size_t>(cores().size(), 1));
    t.threads = static_cast<unsigned>(std::max<std::size_t>(objects(HWLOC_OBJ_PU).size(), 1));
    for (const hwloc_obj_t core : cores())
      t.smt = std::max(t.smt, static_cast<unsigned>(hwloc_bitmap_weight(core->cpuset)));
  }

  /// "P" and "E" where the cores differ in kind; a higher clock of a favoured core makes no kind.
  std::string kind_name(unsigned index, unsigned count) const {
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    int efficiency = -1;
    if (hwloc_cpukinds_get_info(topology_, index, nullptr, &efficiency, &infos, &info, 0) != 0)
      return {};
    bool capacity = false;
    for (unsigned i = 0; i < infos; ++i) {
      if (std::strcmp(info[i].name, "CoreType") == 0)
        return std::strcmp(info[i].value, "IntelAtom") == 0 ? "E" : "P";
      capacity = capacity || std::strcmp(info[i].name, "LinuxCapacity") == 0;
    }
    if (!capacity || efficiency < 0) return {};
    return index + 1 == count ? "P" : "E";
  }

  void read_kinds() {
    const int count = hwloc_cpukinds_get_nr(topology_, 0);
    for (int i = 0; i < count; ++i) {
      const Bitmap set = new_bitmap();
      const std::string name = kind_name(static_cast<unsigned>(i), static_cast<unsigned>(count));
      if (name.empty() || hwloc_cpukinds_get_info(topology_, static_cast<unsigned>(i), set.get(),
                                                  nullptr, nullptr, nullptr, 0) != 0)
        continue;
      const std::vector<unsigned> cpus = first_threads(set.get());
      if (cpus.empty()) continue;
      auto& known = kinds_[name];
      known.insert(known.end(), cpus.begin(), cpus.end());
    }
    if (kinds_.size() < 2) return kinds_.clear();
    for (const auto& [name, cpus] : kinds_)
      layout_.topology.core_kinds[name] = static_cast<unsigned>(cpus.size());
  }

  /// The core that stands for all: the first one, of the faster kind where they differ.
  hwloc_obj_t reference_core() const {
    const std::vector<hwloc_obj_t> all = cores();
    const auto fast = kinds_.find("P");
    for (const hwloc_obj_t core : all)
      if (fast == kinds_.end() ||
          static_cast<int>(fast->second.front()) == hwloc_bitmap_first(core->cpuset))
        return core;
    return all.empty() ? nullptr : all.front();
  }

  void read_caches() {
    constexpr hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                          HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};
    const hwloc_obj_t core = reference_core();
    if (core == nullptr) return;
    for (unsigned level = 1; level <= 5; ++level) {
      const hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology_, types[level - 1], core);
      if (cache == nullptr) continue;
      CacheLevel read;
      read.name = fmt::format("L{}", level);
      read.bytes = cache->attr->cache.size;
      if (read.bytes == 0) {
        layout_.notes.push_back(read.name + " has no reported size: it is left out.");
        continue;
      }
      if (cache->attr->cache.associativity > 0)
        read.ways = static_cast<unsigned>(cache->attr->cache.associativity);
      if (cache->attr->cache.linesize > 0) read.line_bytes = cache->attr->cache.linesize;
      read.shared_by =
          static_cast<unsigned>(std::max<std::size_t>(first_threads(cache->cpuset).size(), 1));
      layout_.topology.caches.push_back(read);
      last_cache_ = cache;
    }
    if (layout_.topology.caches.empty())
      layout_.notes.push_back("The topology knows no caches: only memory ceilings are measured.");
  }

  double bandwidth_attribute(hwloc_obj_t node) const {
    hwloc_location location{};
    location.type = HWLOC_LOCATION_TYPE_CPUSET;
    location.location.cpuset = node->cpuset;
    hwloc_uint64_t value = 0;
    if (hwloc_memattr_get_value(topology_, HWLOC_MEMATTR_ID_BANDWIDTH, node, &location, 0,
                                &value) != 0)
      return 0;
    return static_cast<double>(value);
  }

  std::string memory_kind(hwloc_obj_t node, const std::vector<hwloc_obj_t>& nodes) const {
    if (node->subtype != nullptr) {
      const std::string subtype = node->subtype;
      return subtype.rfind("HBM", 0) == 0 || subtype == "MCDRAM" ? "HBM" : subtype;
    }
    // Unnamed, but beside slower memory of the same cores.
    for (const hwloc_obj_t other : nodes)
      if (other != node && hwloc_bitmap_isequal(other->cpuset, node->cpuset) != 0 &&
          bandwidth_attribute(other) > 0 &&
          bandwidth_attribute(node) >= 2 * bandwidth_attribute(other))
        return "HBM";
    return "DRAM";
  }

  /// The firmware's table (SLIT), where there is one.
  void read_distances() {
    hwloc_distances_s* table = nullptr;
    unsigned count = 1;
    if (hwloc_distances_get_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &table,
                                    HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
        count == 0)
      return;
    for (unsigned from = 0; from < table->nbobjs; ++from)
      for (MemoryNode& memory : layout_.memory)
        for (unsigned to = 0; to < table->nbobjs && table->objs[from] != nullptr; ++to)
          if (memory.os_index == table->objs[from]->os_index && table->objs[to] != nullptr)
            memory.distances[table->objs[to]->os_index] =
                static_cast<double>(table->values[from * table->nbobjs + to]);
    hwloc_distances_release(topology_, table);
  }

  void read_memory() {
    const std::vector<hwloc_obj_t> nodes = objects(HWLOC_OBJ_NUMANODE);
    std::vector<std::vector<unsigned>> domains;
    for (const hwloc_obj_t node : nodes) {
      MemoryNode memory;
      memory.os_index = node->os_index;
      memory.kind = memory_kind(node, nodes);
      memory.bytes = node->attr->numanode.local_memory;
      memory.local_cpus = numbers(node->cpuset);
      if (!memory.local_cpus.empty() &&
          std::find(domains.begin(), domains.end(), memory.local_cpus) == domains.end())
        domains.push_back(memory.local_cpus);
      layout_.memory.push_back(memory);
    }
    layout_.topology.memory_bytes = memory_by_kind(layout_.memory);
    read_distances();
    layout_.topology.numa_nodes = static_cast<unsigned>(std::max<std::size_t>(domains.size(), 1));
  }

  void add_scope(const std::string& scope, hwloc_const_bitmap_t within) {
    if (within == nullptr) return;
    std::vector<unsigned> cpus = first_threads(within);
    if (cpus.empty()) return;
    layout_.topology.scope_cores[scope] = static_cast<unsigned>(cpus.size());
    const bool end = scope == "core" || scope == "machine";
    if (!end && cpus.size() <= layout_.scopes.back().cpus.size()) return;
    layout_.scopes.push_back({scope, cpus, kind_of(cpus)});
  }

  std::string kind_of(const std::vector<unsigned>& cpus) const {
    for (const auto& kind : kinds_) {
      // Not a structured binding: Clang 14 can't capture one.
      const std::vector<unsigned>& of_kind = kind.second;
      if (std::all_of(cpus.begin(), cpus.end(), [&](unsigned cpu) {
            return std::find(of_kind.begin(), of_kind.end(), cpu) != of_kind.end();
          }))
        return kind.first;
    }
    return {};
  }

  void read_scopes() {
    const hwloc_obj_t core = reference_core();
    if (core == nullptr) return;
    layout_.smt_siblings = numbers(core->cpuset);
    add_scope("core", core->cpuset);
    for (const auto& [name, cpus] : kinds_)
      if (name != layout_.scopes.front().core_kind)
        layout_.scopes.push_back({"core", {cpus.front()}, name});
    if (last_cache_ != nullptr) add_scope("llc", last_cache_->cpuset);
    hwloc_const_bitmap_t domain = nullptr;
    for (const hwloc_obj_t node : objects(HWLOC_OBJ_NUMANODE))
      if (domain == nullptr && hwloc_bitmap_isincluded(core->cpuset, node->cpuset) != 0)
        domain = node->cpuset;
    add_scope("numa", domain);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, core);
    add_scope("socket", package == nullptr ? nullptr : package->cpuset);
    // A scope as large as the machine is the machine.
    const std::size_t all = first_threads(hwloc_get_root_obj(topology_)->cpuset).size();
    if (layout_.scopes.size() > 1 && layout_.scopes.back().scope != "core" &&
        layout_.scopes.back().cpus.size() == all)
      layout_.scopes.pop_back();
    add_scope("machine", hwloc_get_root_obj(topology_)->cpuset);
  }

  hwloc_topology_t topology_;
  MachineLayout layout_;
  std::map<std::string, std::vector<unsigned>> kinds_;  ///< first hardware thread of each core
  hwloc_obj_t last_cache_ = nullptr;
};

}  // namespace

std::map<std::string, std::uint64_t> memory_by_kind(const std::vector<MemoryNode>& nodes) {
  std::map<std::string, std::uint64_t> bytes;
  for (const MemoryNode& node : nodes) bytes[node.kind] += node.bytes;
  return bytes;
}

Result<MachineLayout> discover_layout(const TopologySource& source) {
  Result<TopologyHandle> handle = load(source);
  if (!handle) return tl::unexpected(handle.error());
  restrict_to_allowed(handle->get(), source);
  MachineLayout layout = Layout(handle->get()).read();
  if (layout.scopes.empty())
    return tl::unexpected(Problem{"no hardware thread is left of the topology", "topology",
                                  "check the affinity mask"});
  const bool this_machine = !source.xml_file && !source.synthetic;
  if (this_machine) apply_cpu_quota(layout, cpu_quota());
  if (this_machine) leave_out_forbidden_nodes(layout, allowed_memory_nodes());
  return layout;
}

}  // namespace roofmark
