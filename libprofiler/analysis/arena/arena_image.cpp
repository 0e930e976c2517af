#include "arena_image.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace roofmark {
namespace {

Problem cannot_read(const std::string& path) {
  return {std::strerror(errno), path, "record again"};
}

bool aligned(std::uint64_t value) {
  return value % arena::item_alignment == 0;
}

}  // namespace

Result<ArenaImage> ArenaImage::load(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return tl::make_unexpected(cannot_read(path));
  ArenaImage image;
  std::size_t filled = 0;  // in bytes
  errno = 0;
  for (;;) {
    // Read until the end rather than ask for the size: the file may be growing.
    if (filled + 65536 > image.words_.size() * 8)
      image.words_.resize(image.words_.empty() ? 16384 : image.words_.size() * 2);
    const std::size_t got = std::fread(reinterpret_cast<char*>(image.words_.data()) + filled, 1,
                                       image.words_.size() * 8 - filled, file.get());
    filled += got;
    if (got == 0) break;
  }
  if (std::ferror(file.get()) != 0) return tl::make_unexpected(cannot_read(path));
  image.words_.resize(filled / 8);
  if (image.size() < sizeof(arena::FileHeader))
    return tl::make_unexpected(
        Problem{"shorter than the header of a recording", path, "record again"});
  const arena::FileHeader& header = image.header();
  if (header.magic != arena::file_magic)
    return tl::make_unexpected(Problem{"no recording of Roofmark", path, "record again"});
  if (header.byte_order != arena::byte_order_mark)
    return tl::make_unexpected(Problem{"recorded on a machine of another byte order", path,
                                       "report it on a machine of that kind"});
  if (header.version != arena::layout_version)
    return tl::make_unexpected(Problem{"layout version " + std::to_string(header.version) +
                                           " instead of " + std::to_string(arena::layout_version),
                                       path, "use runtime and command of one version"});
  if (header.header_bytes < sizeof(arena::FileHeader) || !aligned(header.header_bytes))
    return tl::make_unexpected(Problem{"the header is damaged", path, "record again"});
  return image;
}

std::vector<ArenaImage::Item> ArenaImage::items(std::vector<std::string>& damage) const {
  std::vector<Item> items;
  std::uint64_t start = header().header_bytes;
  while (start + sizeof(arena::SegmentHeader) <= size()) {
    const auto& segment = *reinterpret_cast<const arena::SegmentHeader*>(bytes() + start);
    // Reserved, but the process did not come to use it.
    if (segment.magic == 0) break;
    if (segment.magic != arena::segment_magic || !aligned(segment.bytes) ||
        segment.bytes < sizeof(arena::SegmentHeader)) {
      damage.push_back("the segment at byte " + std::to_string(start) + " is damaged");
      break;
    }
    std::uint64_t end = start + segment.bytes;
    if (end < start || end > size()) {
      damage.push_back("the file ends inside the segment at byte " + std::to_string(start));
      end = size() & ~std::uint64_t{arena::item_alignment - 1};
    }
    if (segment.used > segment.bytes)
      damage.push_back("the segment at byte " + std::to_string(start) + " claims too much");
    if ((segment.owner_sequence & 1u) != 0)
      damage.push_back("the segment at byte " + std::to_string(start) + " was changing hands");
    const std::uint64_t used = start + std::min(segment.used, segment.bytes);
    const std::uint64_t last = std::min(used, end);
    std::uint64_t at = start + sizeof(arena::SegmentHeader);
    while (at + sizeof(arena::ItemHeader) <= last) {
      const auto& item = *reinterpret_cast<const arena::ItemHeader*>(bytes() + at);
      if (item.bytes == 0 || !aligned(item.bytes) || item.bytes > last - at) {
        // A cleared item of a segment that is being reused ends it without harm.
        if (item.kind != arena::ItemKind::none)
          damage.push_back("the item at byte " + std::to_string(at) + " is damaged");
        break;
      }
      items.push_back({item.kind, at, item.bytes});
      at += item.bytes;
    }
    start += segment.bytes;
    if (start < segment.bytes) break;
  }
  return items;
}

}  // namespace roofmark
