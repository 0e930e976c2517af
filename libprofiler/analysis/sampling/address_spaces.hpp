// Which file's code lies where in each process, as the kernel tells of it while processes map, fork
// and become other programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace roofmark::sampling {

struct Place {
  std::uint32_t object = 0;
  std::uint64_t offset = 0;
};

class AddressSpaces {
 public:
  AddressSpaces();

  void map(std::int32_t process, std::uint64_t start, std::uint64_t bytes, std::uint64_t offset,
           const std::string& file);
  /// The process became another program.
  void replaced(std::int32_t process);
  void forked(std::int32_t parent, std::int32_t child);
  void ended(std::int32_t process);

  /// What lies at an address; code in no file that is known: `no_object` and the address.
  Place find(std::int32_t process, std::uint64_t address) const;
  /// Nothing where no mapping is known to be.
  std::optional<Place> find_mapped(std::int32_t process, std::uint64_t address) const;
  std::uint32_t object(const std::string& name);
  const std::vector<std::string>& objects() const { return objects_; }

 private:
  struct Mapping {
    std::uint64_t end = 0, offset = 0;
    std::uint32_t object = 0;
  };
  using Space = std::map<std::uint64_t, Mapping>;  ///< by first address

  std::unordered_map<std::int32_t, Space> spaces_;
  std::vector<std::string> objects_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace roofmark::sampling
