#include <algorithm>
#include <analysis/arena/arena_image.hpp>
#include <analysis/arena/arena_reader.hpp>
#include <analysis/trace/trace.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "libprofiler/arena/trace_layout.h"

namespace roofmark {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

template <class T>
bool read_at(std::FILE* file, std::uint64_t offset, T* to, std::size_t count) {
  return fseeko(file, static_cast<off_t>(offset), SEEK_SET) == 0 &&
         std::fread(to, sizeof(T), count, file) == count;
}

/// Names of the recording, by where they lie in it.
using Names = std::unordered_map<std::uint64_t, std::string>;
Result<Names> names_in(const std::string& arena) {
  const auto image = ArenaImage::load(arena);
  if (!image) return tl::unexpected(image.error());
  Names names;
  std::vector<std::string> damage;
  for (const ArenaImage::Item& item : image->items(damage))
    if (const auto* name = image->as<arena::Name>(item)) {
      const std::size_t room = item.bytes - offsetof(arena::Name, bytes);
      names.emplace(item.offset,
                    std::string(name->bytes, std::min<std::size_t>(name->length, room)));
    }
  return names;
}

class Reader {
 public:
  Reader(const RawProcess& process, double ticks_per_second, Names names, TracedProcess& to)
      : process_(process), ticks_per_second_(ticks_per_second), names_(std::move(names)), to_(to) {}

  double seconds(std::uint64_t ticks) const {
    const RawCalibration& clock = process_.calibration;
    const auto since = static_cast<std::int64_t>(ticks - clock.first_ticks);
    return static_cast<double>(clock.first_raw_ns) * 1e-9 +
           static_cast<double>(since) / ticks_per_second_;
  }

  void add(const arena::TraceVisit& visit) {
    if (visit.entry == 0) return;  // claimed, but the program was killed before it was written
    const std::uint32_t named = visit.name & ~arena::trace_inherited;
    const auto known = numbers_.find(named);
    std::uint32_t number = 0;
    if (known != numbers_.end()) {
      number = known->second;
    } else {
      const auto name = names_.find(std::uint64_t{named} * arena::item_alignment);
      if (name == names_.end()) return;
      number = static_cast<std::uint32_t>(to_.names.size());
      to_.names.push_back(name->second);
      numbers_.emplace(named, number);
    }
    to_.visits.push_back({number, visit.tid, seconds(visit.entry),
                          static_cast<double>(visit.duration) / ticks_per_second_,
                          (visit.name & arena::trace_inherited) != 0});
  }

 private:
  const RawProcess& process_;
  double ticks_per_second_;
  Names names_;
  TracedProcess& to_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

void read_blocks(std::FILE* file, const arena::TraceFileHeader& header, Reader& reader) {
  std::vector<arena::TraceVisit> visits;
  for (std::uint64_t at = arena::trace_header_bytes; at < header.file_bytes;) {
    arena::TraceBlock block;
    if (!read_at(file, at, reinterpret_cast<char*>(&block), offsetof(arena::TraceBlock, visits)))
      return;
    const std::uint64_t room = (std::uint64_t{block.bytes} - offsetof(arena::TraceBlock, visits)) /
                               sizeof(arena::TraceVisit);
    if (block.magic != arena::trace_block_magic || block.bytes < arena::first_trace_block_bytes ||
        block.bytes > arena::largest_trace_block_bytes || block.room > room)
      return;
    visits.resize(std::min<std::uint64_t>(block.claimed, block.room));
    if (!read_at(file, at + offsetof(arena::TraceBlock, visits), visits.data(), visits.size()))
      return;
    for (const arena::TraceVisit& visit : visits) reader.add(visit);
    at += block.bytes;
  }
}

void add_open(const RawProcess& process, const Reader& reader, TracedProcess& traced) {
  for (const RawThread& thread : process.threads)
    for (const RawNode& node : thread.nodes)
      if (node.open_since && !thread.folded)
        traced.open.push_back({node.name, thread.tid, reader.seconds(*node.open_since),
                               node.inherited && node.visits == 0});
  std::stable_sort(traced.open.begin(), traced.open.end(),
                   [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
}

void add_entered(const RawProcess& process, TracedProcess& traced) {
  for (const RawThread& thread : process.threads)
    for (std::size_t i = 0; i < thread.nodes.size(); ++i)
      if (const RawNode& node = thread.nodes[i];
          node.visits > 0 || node.open_since || node.sum_ticks > 0)
        traced.entered.emplace_back(thread.folded ? TracedProcess::ended_threads : thread.tid,
                                    thread.path(i));
}

}  // namespace

Result<TracedProcess> read_trace(const RawProcess& process,
                                 std::optional<double> ticks_per_second) {
  TracedProcess traced;
  traced.host = process.host;
  traced.executable = process.executable;
  traced.pid = process.pid;
  traced.sequence = process.sequence;
  traced.rank = process.rank;
  traced.untraced = process.untraced;
  traced.untraced_reason = process.untraced_reason;
  const auto own = process.ticks_per_second();
  if (!own && !ticks_per_second)
    return tl::unexpected(Problem{"its clock could not be calibrated", process.file, ""});
  const std::size_t stem = process.file.rfind(".arena");
  const std::string path = process.file.substr(0, stem) + ".trace";
  auto names = names_in(process.file);
  if (!names) return tl::unexpected(names.error());
  Reader reader(process, own ? *own : *ticks_per_second, std::move(*names), traced);
  const File file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (file) {
    arena::TraceFileHeader header;
    if (!read_at(file.get(), 0, &header, 1) || header.magic != arena::trace_file_magic ||
        header.version != arena::trace_layout_version)
      return tl::unexpected(Problem{"no trace of this version of Roofmark", path, "record again"});
    read_blocks(file.get(), header, reader);
  } else if (errno != ENOENT) {
    return tl::unexpected(Problem{std::strerror(errno), path, "record again"});
  }
  add_open(process, reader, traced);
  add_entered(process, traced);
  return traced;
}

}  // namespace roofmark
