#include "resident_pages.hpp"

#include <algorithm>
#include <analysis/files/read_small.hpp>
#include <charconv>
#include <string>

namespace roofmark {
namespace {

/// The field `name` of the text, in bytes; 0 where it is not there.
std::uint64_t field(std::string_view text, std::string_view name) {
  const std::string start = "\n" + std::string(name) + ":";
  const std::size_t found = text.find(start);
  if (found == std::string_view::npos) return 0;
  std::string_view rest = text.substr(found + start.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::uint64_t kibibytes = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
  return kibibytes * 1024;
}

}  // namespace

std::optional<ResidentPages> parse_resident_pages(std::string_view text) {
  if (text.find("\nAnonymous:") == std::string_view::npos) return std::nullopt;
  // Pages of hugetlbfs are in none of the other fields.
  const std::uint64_t reserved = field(text, "Private_Hugetlb") + field(text, "Shared_Hugetlb");
  const std::uint64_t shared_large = field(text, "ShmemPmdMapped");
  ResidentPages pages;
  pages.bytes =
      field(text, "Anonymous") + std::max(field(text, "Pss_Shmem"), shared_large) + reserved;
  pages.large_bytes = field(text, "AnonHugePages") + shared_large + reserved;
  pages.large_bytes = std::min(pages.large_bytes, pages.bytes);
  return pages;
}

std::optional<ResidentPages> resident_pages(pid_t process) {
  return parse_resident_pages(read_small("/proc/" + std::to_string(process) + "/smaps_rollup"));
}

}  // namespace roofmark
