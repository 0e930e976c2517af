#include "placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace roofmark {
namespace {

bool is_local(const MemoryNode& node, unsigned cpu) {
  return std::find(node.local_cpus.begin(), node.local_cpus.end(), cpu) != node.local_cpus.end();
}

double distance(const MemoryNode* from, const MemoryNode& to) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (from == nullptr) return unknown;
  const auto found = from->distances.find(to.os_index);
  return found == from->distances.end() ? unknown : found->second;
}

/// Local memory of the fewest cores, else what is least far from the core's home.
const MemoryNode* nearest(const MachineLayout& layout, const std::string& kind, unsigned cpu) {
  const MemoryNode* home = home_node(layout, cpu);
  const MemoryNode* best = nullptr;
  const auto rank = [&](const MemoryNode& node) {
    const bool local = is_local(node, cpu);
    return std::tuple(!local, local ? node.local_cpus.size() : 0, distance(home, node),
                      node.os_index);
  };
  for (const MemoryNode& node : layout.memory)
    if (node.kind == kind && (best == nullptr || rank(node) < rank(*best))) best = &node;
  return best;
}

/// Of the same kind as the core's own, and local to others: the nearest of them.
const MemoryNode* remote_node(const MachineLayout& layout, const MemoryNode& home, unsigned cpu) {
  const MemoryNode* best = nullptr;
  for (const MemoryNode& node : layout.memory) {
    if (node.kind != home.kind || is_local(node, cpu)) continue;
    if (best == nullptr || std::tuple(distance(&home, node), node.os_index) <
                               std::tuple(distance(&home, *best), best->os_index))
      best = &node;
  }
  return best;
}

/// One hardware thread of each core that may be loaded at once and is local to the node.
std::vector<unsigned> cores_of_node(const MachineLayout& layout, const MemoryNode& node) {
  std::vector<unsigned> cpus;
  for (const unsigned cpu : layout.scopes.back().cpus)
    if (is_local(node, cpu)) cpus.push_back(cpu);
  return cpus;
}

void add_kinds(std::vector<Placement>& all, const MachineLayout& layout, const MemoryNode& home) {
  std::vector<std::string> kinds;
  for (const MemoryNode& node : layout.memory)
    if (node.kind != home.kind && std::find(kinds.begin(), kinds.end(), node.kind) == kinds.end())
      kinds.push_back(node.kind);
  for (const std::string& kind : kinds) {
    // A core and the machine first: a roof stands on these.
    std::vector<const ScopeGroup*> groups = {&layout.scopes.front()};
    if (layout.scopes.back().cpus.size() > 1) groups.push_back(&layout.scopes.back());
    for (const ScopeGroup& group : layout.scopes)
      if (group.scope != "core" && group.scope != "machine" && group.cpus.size() > 1)
        groups.push_back(&group);
    for (const ScopeGroup* group : groups) {
      Placement placement{"", group->scope, group->cpus, {}, kind};
      for (const unsigned cpu : group->cpus)
        placement.nodes.push_back(nearest(layout, kind, cpu)->os_index);
      all.push_back(std::move(placement));
    }
  }
}

void add_remote(std::vector<Placement>& all, const MachineLayout& layout, const MemoryNode& home) {
  const unsigned core = layout.scopes.front().cpus.front();
  const MemoryNode* remote = remote_node(layout, home, core);
  if (remote == nullptr) return;
  all.push_back({"remote", "core", {core}, {remote->os_index}, remote->kind});
  const std::vector<unsigned> domain = cores_of_node(layout, home);
  if (domain.size() < 2) return;
  all.push_back({"remote", "numa", domain, std::vector<unsigned>(domain.size(), remote->os_index),
                 remote->kind});
}

}  // namespace

const MemoryNode* home_node(const MachineLayout& layout, unsigned cpu) {
  const MemoryNode* home = nullptr;
  for (const MemoryNode& node : layout.memory)
    if (is_local(node, cpu) && (home == nullptr || (node.kind == "DRAM" && home->kind != "DRAM")))
      home = &node;
  return home;
}

std::vector<Placement> placements_of(const MachineLayout& layout) {
  std::vector<Placement> all;
  if (layout.scopes.empty()) return all;
  const MemoryNode* home = home_node(layout, layout.scopes.front().cpus.front());
  if (home != nullptr) {
    add_kinds(all, layout, *home);
    add_remote(all, layout, *home);
  }
  if (layout.smt_siblings.size() > 1)
    all.push_back({"smt", "core", layout.smt_siblings, {}, home == nullptr ? "DRAM" : home->kind});
  return all;
}

std::string description_of(const Placement& placement) {
  const std::size_t count = placement.cpus.size();
  if (placement.name == "smt") return fmt::format("all {} hardware threads of a core", count);
  const std::string where = count == 1 ? "1 core" : fmt::format("{} cores", count);
  return fmt::format("{}{} on {}", placement.name.empty() ? "" : placement.name + " ",
                     placement.level, where);
}

}  // namespace roofmark
