#include "memory_nodes.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

#include "analysis/text/parsing.hpp"
#include "identity.hpp"

namespace roofmark {

std::optional<std::vector<unsigned>> allowed_memory_nodes() {
  std::ifstream file("/proc/self/status");
  constexpr std::string_view field = "Mems_allowed_list:";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field)) {
      const std::string list(text::trimmed(std::string_view(line).substr(field.size())));
      const hwloc_bitmap_t set = hwloc_bitmap_alloc();
      const bool read = hwloc_bitmap_list_sscanf(set, list.c_str()) == 0;
      std::vector<unsigned> nodes;
      for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i))
        nodes.push_back(static_cast<unsigned>(i));
      hwloc_bitmap_free(set);
      return read && !nodes.empty() ? std::optional(nodes) : std::nullopt;
    }
  return std::nullopt;
}

void leave_out_forbidden_nodes(MachineLayout& layout,
                               const std::optional<std::vector<unsigned>>& allowed) {
  if (!allowed) return;
  std::vector<unsigned> forbidden;
  std::erase_if(layout.memory, [&](const MemoryNode& node) {
    if (std::find(allowed->begin(), allowed->end(), node.os_index) != allowed->end()) return false;
    forbidden.push_back(node.os_index);
    return true;
  });
  if (forbidden.empty()) return;
  layout.topology.memory_bytes = memory_by_kind(layout.memory);
  layout.notes.push_back(
      fmt::format("The cpuset lets this process have no memory on NUMA node{} {}: it is not "
                  "measured.",
                  forbidden.size() == 1 ? "" : "s", cpu_list(forbidden)));
}

std::optional<std::size_t> free_bytes_of_node(unsigned node) {
  std::ifstream file(fmt::format("/sys/devices/system/node/node{}/meminfo", node));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);  // "Node 0 MemFree:  15527636 kB"
    std::string word, name;
    std::size_t number = 0, kibibytes = 0;
    if (words >> word >> number >> name >> kibibytes && name == "MemFree:") return kibibytes * 1024;
  }
  return std::nullopt;
}

std::optional<double> share_on_node(const std::byte* data, std::size_t bytes, unsigned node) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t samples = 64;
  const std::size_t pages = bytes / page;
  if (pages == 0) return std::nullopt;
  std::vector<const void*> places;
  for (std::size_t i = 0; i < std::min(samples, pages); ++i)
    places.push_back(data + pages * i / std::min(samples, pages) * page);
  // Without nodes to move to it only tells where each page is.
  std::vector<int> found(places.size(), -1);
  if (syscall(SYS_move_pages, 0, places.size(), places.data(), nullptr, found.data(), 0) != 0)
    return std::nullopt;
  const auto there = std::count(found.begin(), found.end(), static_cast<int>(node));
  return static_cast<double>(there) / static_cast<double>(found.size());
}

}  // namespace roofmark
