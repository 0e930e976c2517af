// The shapes of the simulated caches: from the kernel, or from a machine file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

#include "cache/geometry.hpp"
#include "plan.hpp"

namespace roofmark::emulated {
namespace {

constexpr std::array<const char*, 3> level_names = {"L1", "L2", "L3"};

std::optional<std::string> line_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!in || !std::getline(in, line)) return std::nullopt;
  return line;
}

/// "48K", "2M", "12": the kernel's spelling of a size or a number.
std::optional<std::uint64_t> size_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  if (rest != end && *rest == 'K') value <<= 10;
  if (rest != end && *rest == 'M') value <<= 20;
  if (rest != end && *rest == 'G') value <<= 30;
  return value;
}

/// The first CPU that is online has the lowest number in "0-3,8".
std::string first_online(const std::filesystem::path& sysfs) {
  const std::string list = line_of(sysfs / "online").value_or("0");
  return "cpu" + list.substr(0, list.find_first_of(",-\n"));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  return bytes >= mebibyte ? fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20))
                           : fmt::format("{:.3g} KiB", static_cast<double>(bytes) / (1 << 10));
}

/// What of a cache the program can use: as much as was confirmed, never more than is reported.
std::uint64_t usable_bytes(const CacheLevel& level, unsigned ways) {
  const std::uint64_t ours = std::min(level.confirmed_bytes.value_or(level.bytes), level.bytes);
  const std::uint64_t one_set = std::uint64_t{level.line_bytes} * ways;
  return ours >= one_set ? ours : level.bytes;
}

/// A shape that the simulation takes. It cuts the sets of the outer levels into blocks, and a size
/// that was measured is a multiple of nothing.
CountedCache simulated_shape(CountedCache level) {
  level.ways = std::min(level.ways, cache::max_ways);
  const std::uint64_t block = cache::block_bytes(level.ways);
  if (level.name != "L1" && block != 0 && level.bytes >= block) level.bytes -= level.bytes % block;
  return level;
}

Result<Geometry> checked(Geometry geometry, const std::string& where) {
  const auto problem = [&](const std::string& reason) {
    return tl::unexpected(
        Problem{reason, where, "give a machine file with the caches, or count without caches"});
  };
  if (geometry.levels.empty() || geometry.levels.front().name != "L1")
    return problem("no L1 data cache is described");
  for (CountedCache& level : geometry.levels) {
    level = simulated_shape(level);
    if (level.line_bytes != cache::line_bytes)
      return problem(level.name + " has lines of " + std::to_string(level.line_bytes) +
                     " bytes; 64 can be simulated");
    if (level.bytes < std::uint64_t{64} * level.ways || level.ways == 0)
      return problem(level.name + " has no size or no ways");
  }
  return geometry;
}

}  // namespace

Result<Geometry> host_geometry(const std::filesystem::path& sysfs) {
  const std::filesystem::path caches = sysfs / first_online(sysfs) / "cache";
  Geometry geometry;
  geometry.source = "sysfs";
  for (int index = 0; index < 16; ++index) {
    const auto directory = caches / ("index" + std::to_string(index));
    const auto level = size_of(line_of(directory / "level"));
    const auto type = line_of(directory / "type");
    if (!level || !type || *type == "Instruction" || *level < 1 || *level > level_names.size())
      continue;
    CountedCache cache;
    cache.name = level_names[*level - 1];
    cache.bytes = size_of(line_of(directory / "size")).value_or(0);
    cache.line_bytes = static_cast<std::uint32_t>(
        size_of(line_of(directory / "coherency_line_size")).value_or(64));
    cache.ways = static_cast<std::uint32_t>(
        size_of(line_of(directory / "ways_of_associativity")).value_or(0));
    // Some virtual machines describe no ways: 0 there means fully associative or "not told".
    if (cache.ways == 0) cache.ways = *level == 1 ? 8 : 16;
    geometry.levels.push_back(cache);
  }
  std::sort(geometry.levels.begin(), geometry.levels.end(),
            [](const CountedCache& a, const CountedCache& b) { return a.name < b.name; });
  return checked(std::move(geometry), caches.string());
}

Result<Geometry> geometry_of(const Topology& topology) {
  Geometry geometry;
  geometry.source = "machine";
  for (const CacheLevel& level : topology.caches) {
    if (std::find(level_names.begin(), level_names.end(), level.name) == level_names.end())
      continue;
    const unsigned ways = level.ways != 0 ? level.ways : level.name == "L1" ? 8U : 16U;
    const std::uint64_t bytes = usable_bytes(level, ways);
    geometry.levels.push_back({level.name, bytes, ways, level.line_bytes});
    if (bytes < level.bytes) {
      geometry.reduced[level.name] = fmt::format("{} of {} ({} reported)", level.name,
                                                 size_text(bytes), size_text(level.bytes));
      geometry.reported_bytes[level.name] = level.bytes;
    }
  }
  return checked(std::move(geometry), "the machine's topology");
}

void divide_last_cache(Geometry& geometry, unsigned processes) {
  // Of the inner ones each core, or a few of them, has its own.
  if (processes < 2 || geometry.levels.empty() || geometry.levels.back().name != "L3") return;
  CountedCache& last = geometry.levels.back();
  CountedCache share = last;
  share.bytes = std::max(last.bytes / processes, std::uint64_t{64} * last.ways);
  share = simulated_shape(share);
  const auto reported = geometry.reported_bytes.find(last.name);
  geometry.reduced[last.name] = fmt::format(
      "{} of {} ({} among {} processes{})", last.name, size_text(share.bytes),
      size_text(last.bytes), processes,
      reported == geometry.reported_bytes.end() ? ""
                                                : ", " + size_text(reported->second) + " reported");
  last = share;
}

std::string to_text(const Geometry& geometry) {
  std::string text;
  for (const CountedCache& level : geometry.levels)
    text += (text.empty() ? "" : ", ") + level.name + " " + size_text(level.bytes);
  return text;
}

std::string reduced_text(const Geometry& geometry) {
  std::string text;
  for (const auto& [level, reduced] : geometry.reduced)
    text += (text.empty() ? "" : ", ") + reduced;
  return text;
}

}  // namespace roofmark::emulated
