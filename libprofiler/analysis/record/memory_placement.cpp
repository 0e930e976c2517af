#include "memory_placement.hpp"

#include <algorithm>
#include <analysis/files/read_file.hpp>
#include <analysis/machine/memory_nodes.hpp>
#include <analysis/text/parsing.hpp>
#include <iterator>

namespace roofmark {
namespace {

/// From here on it is told as one kind.
constexpr double share_of_one_kind = 0.95;

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

bool is_shared_memory(std::string_view file) {
  constexpr std::string_view prefixes[] = {"/dev/shm/", "/SYSV", "/dev/zero", "/memfd:"};
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return file.starts_with(prefix); });
}

/// "7f1c000 default anon=512 dirty=512 N0=300 N1=212 kernelpagesize_kB=4"
void add_mapping(std::string_view line, NodeBytes& bytes) {
  NodeBytes pages;
  std::uint64_t page_kibibytes = 4;
  bool of_file = false, huge = false;
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == word.npos ? "" : word.substr(equals + 1);
    huge = huge || word == "huge";
    if (name == "file") of_file = !is_shared_memory(value);
    if (name == "kernelpagesize_kB")
      page_kibibytes = text::whole_number<std::uint64_t>(value).value_or(page_kibibytes);
    if (!name.starts_with('N')) continue;
    const auto node = text::whole_number<unsigned>(name.substr(1));
    const auto count = text::whole_number<std::uint64_t>(value);
    if (node && count) pages[*node] += *count;
  }
  // Pages of hugetlbfs have a file, and no disk behind it.
  if (of_file && !huge) return;
  for (const auto& [node, count] : pages) bytes[node] += count * page_kibibytes * 1024;
}

bool is_local(const MemoryNode& node, const std::set<unsigned>& processors) {
  return std::any_of(node.local_cpus.begin(), node.local_cpus.end(),
                     [&](unsigned cpu) { return processors.contains(cpu); });
}

/// Where a thread ran on a core that no node is known to be near, nothing can be called remote.
bool all_known(const std::set<unsigned>& processors, const std::vector<MemoryNode>& nodes) {
  return !processors.empty() &&
         std::all_of(processors.begin(), processors.end(), [&](unsigned processor) {
           return std::any_of(nodes.begin(), nodes.end(),
                              [&](const MemoryNode& node) { return is_local(node, {processor}); });
         });
}

}  // namespace

NodeBytes parse_numa_maps(std::string_view text) {
  NodeBytes bytes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    add_mapping(line, bytes);
  }
  return bytes;
}

NodeBytes node_bytes(pid_t process) {
  return parse_numa_maps(
      read_file("/proc/" + std::to_string(process) + "/numa_maps").value_or(std::string()));
}

MemoryPlacement memory_placement(const NodeBytes& bytes, const std::set<unsigned>& processors,
                                 const std::vector<MemoryNode>& nodes) {
  double all = 0, remote = 0;
  std::map<std::string, double> by_kind;
  for (const auto& [number, amount] : bytes) {
    const auto node =
        std::find_if(nodes.begin(), nodes.end(),
                     [number = number](const MemoryNode& one) { return one.os_index == number; });
    if (node == nodes.end()) return {};  // not all of it can be told
    all += static_cast<double>(amount);
    by_kind[node->kind] += static_cast<double>(amount);
    if (!is_local(*node, processors)) remote += static_cast<double>(amount);
  }
  MemoryPlacement placement;
  if (all <= 0 || nodes.size() < 2) return placement;
  for (const auto& [kind, amount] : by_kind)
    if (amount >= share_of_one_kind * all) placement.kind = kind;
  if (all_known(processors, nodes)) placement.remote_share = remote / all;
  return placement;
}

bool has_several_nodes() {
  const auto nodes = allowed_memory_nodes();
  return nodes && nodes->size() > 1;
}

void add_memory_placement(const NodeBytes& bytes, const std::vector<PlacementSample>& samples,
                          WholeProgram& whole) {
  if (bytes.empty()) return;
  const auto layout = discover_layout();
  if (!layout) return;
  std::set<unsigned> processors;
  for (const PlacementSample& sample : samples)
    for (const PlacementSample::Thread& thread : sample.threads)
      if (thread.processor >= 0) processors.insert(static_cast<unsigned>(thread.processor));
  MemoryPlacement placement = memory_placement(bytes, processors, layout->memory);
  whole.memory_kind = std::move(placement.kind);
  whole.remote_memory_share = placement.remote_share;
}

}  // namespace roofmark
