#include <analysis/sampling/proc_maps.hpp>
#include <sstream>
#include <string>

namespace roofmark::sampling {

void add_mappings(std::istream& maps, std::int32_t process, AddressSpaces& spaces) {
  for (std::string line; std::getline(maps, line);) {
    // 55d0c0a00000-55d0c0a21000 r-xp 00001000 fd:01 1234   /bin/x
    std::istringstream fields(line);
    std::uint64_t start = 0, end = 0, offset = 0;
    char dash = 0;
    std::string rights, device, inode, file;
    fields >> std::hex >> start >> dash >> end >> rights >> offset >> device >> inode >> std::ws;
    std::getline(fields, file);
    if (rights.size() < 3 || rights[2] != 'x' || end <= start) continue;
    spaces.map(process, start, end - start, offset, file);
  }
}

}  // namespace roofmark::sampling
