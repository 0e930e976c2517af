#include "region_paths.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace roofmark::cupti {
namespace {

/// What a thread knows of its own paths; nodes stand for paths as long as it lives.
/// Nothing of it is destroyed: exit destroys what the main thread has of its own before static
/// objects and exit handlers, which may launch too.
struct Known {
  struct Other {
    const void* node;
    std::uint32_t path;
  };
  static constexpr std::size_t most = 512;

  const void* node;
  std::uint32_t path;
  Other others[most];

  Other& other(const void* of) {
    // Nodes lie in arrays: the lowest bits tell nothing, those above tell neighbours apart.
    constexpr unsigned alignment_bits = 4, spread_bits = 9;
    const auto at = reinterpret_cast<std::uintptr_t>(of) >> alignment_bits;
    return others[(at ^ at >> spread_bits) % most];
  }
};
static_assert(std::is_trivially_destructible_v<Known>);

}  // namespace

bool RegionPaths::find_runtime() {
  if (has_runtime()) return true;
  const auto* const found =
      static_cast<const roofmark_runtime_table*>(dlsym(RTLD_DEFAULT, "roofmark_api_v1"));
  if (found == nullptr || found->markers.abi != 1 ||
      found->markers.size < sizeof(roofmark_runtime_table) || found->open_path == nullptr)
    return false;
  table_ = found;
  return true;
}

std::uint32_t RegionPaths::here() {
  const roofmark_runtime_table* const table = table_;
  if (table == nullptr) return 0;
  thread_local constinit Known known{};
  const void* node = known.node;
  char room[2048];
  std::size_t length = table->open_path(&node, room, sizeof room);
  if (length == ROOFMARK_SAME_PATH) return known.path;
  std::string large;
  const char* names = room;
  // A name may have 4 KiB.
  if (length > sizeof room) {
    large.resize(length);
    node = nullptr;
    const std::size_t again = table->open_path(&node, large.data(), large.size());
    length = again > large.size() ? 0 : again;
    names = large.data();
  }
  known.node = node;
  if (length == 0) return known.path = 0;
  Known::Other& other = known.other(node);
  if (node != nullptr && other.node == node) return known.path = other.path;
  {
    const std::lock_guard lock(mutex_);
    known.path = paths_.number_of({names, length});
  }
  other = {node, known.path};
  return known.path;
}

std::vector<LaunchPath> RegionPaths::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<LaunchPath> list;
  for (std::uint32_t path = 0; path < paths_.size(); ++path) list.push_back(paths_.names(path));
  return list;
}

}  // namespace roofmark::cupti
