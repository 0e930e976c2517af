#include <analysis/sampling/address_spaces.hpp>
#include <analysis/sampling/sampled_run.hpp>

namespace roofmark::sampling {
namespace {

/// The kernel's words for memory of no file.
bool is_no_file(const std::string& name) {
  return name.empty() || name.compare(0, 2, "//") == 0 || name.compare(0, 6, "/dev/z") == 0 ||
         name.compare(0, 6, "/SYSV0") == 0 || name.compare(0, 5, "anon_") == 0 ||
         name == "[heap]" || name.compare(0, 6, "[stack") == 0;
}

}  // namespace

AddressSpaces::AddressSpaces() {
  object(no_object);
}

std::uint32_t AddressSpaces::object(const std::string& name) {
  const auto [found, is_new] =
      index_.try_emplace(name, static_cast<std::uint32_t>(objects_.size()));
  if (is_new) objects_.push_back(name);
  return found->second;
}

void AddressSpaces::map(std::int32_t process, std::uint64_t start, std::uint64_t bytes,
                        std::uint64_t offset, const std::string& file) {
  const std::uint64_t end = start + bytes;
  if (end <= start) return;
  Space& space = spaces_[process];
  // What lay there before is gone; what lay around it stays.
  auto it = space.upper_bound(start);
  if (it != space.begin()) --it;
  while (it != space.end() && it->first < end) {
    const std::uint64_t old_start = it->first;
    const Mapping old = it->second;
    if (old.end <= start) {
      ++it;
      continue;
    }
    it = space.erase(it);
    if (old_start < start) space[old_start] = {start, old.offset, old.object};
    if (old.end > end) space[end] = {old.end, old.offset + (end - old_start), old.object};
    if (old.end > end) break;
  }
  const bool anonymous = is_no_file(file);
  space[start] = {end, anonymous ? start : offset, object(anonymous ? no_object : file)};
}

void AddressSpaces::replaced(std::int32_t process) {
  spaces_[process].clear();
}

void AddressSpaces::forked(std::int32_t parent, std::int32_t child) {
  if (parent == child) return;  // a thread
  const auto found = spaces_.find(parent);
  if (found == spaces_.end()) return;
  Space copy = found->second;
  spaces_[child] = std::move(copy);
}

void AddressSpaces::ended(std::int32_t process) {
  spaces_.erase(process);
}

Place AddressSpaces::find(std::int32_t process, std::uint64_t address) const {
  return find_mapped(process, address).value_or(Place{0, address});
}

std::optional<Place> AddressSpaces::find_mapped(std::int32_t process, std::uint64_t address) const {
  const auto space = spaces_.find(process);
  if (space != spaces_.end()) {
    auto it = space->second.upper_bound(address);
    if (it != space->second.begin() && address < (--it)->second.end)
      return Place{it->second.object, address - it->first + it->second.offset};
  }
  return std::nullopt;
}

}  // namespace roofmark::sampling
