#include "arena_reader.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <unordered_map>
#include <utility>

#include "arena_events.hpp"
#include "arena_image.hpp"

namespace roofmark {
namespace {

using arena::ItemKind;

std::string text_of(const char* bytes, std::size_t length, std::size_t room) {
  return {bytes, std::min(length, room)};
}

// Everything of one file while it is put together. Offsets are looked up, never followed.
struct Assembly {
  const ArenaImage& image;
  RawProcess& process;
  std::unordered_map<std::uint64_t, std::string> names;
  std::unordered_map<std::uint64_t, std::size_t> threads;  // offset -> index in process.threads
  struct Place {
    std::size_t thread, node;
  };
  std::unordered_map<std::uint64_t, Place> records;
  std::unordered_map<std::uint64_t, RawHistogram> histograms;
  std::unordered_map<std::uint64_t, RawEvents> events;
  std::size_t orphans = 0, nameless = 0, cyclic = 0;
};

void read_thread(Assembly& all, const arena::Thread& item, std::uint64_t offset) {
  RawThread thread;
  thread.tid = item.tid;
  if ((item.flags & arena::thread_unknown_parent) == 0 && item.creator_tid != 0)
    thread.creator_tid = item.creator_tid;
  thread.serial = item.serial;
  thread.created_ticks = item.created_ticks;
  thread.main = (item.flags & arena::thread_main) != 0;
  thread.detached = (item.flags & arena::thread_detached) != 0;
  thread.folded = (item.flags & arena::thread_folded) != 0;
  thread.truncated = (item.flags & arena::thread_other_full) != 0;
  thread.mismatched = (item.flags & arena::thread_mismatched) != 0;
  thread.ended_threads = item.ended_threads;
  thread.cpu_samples = item.cpu_samples;
  thread.refusal = {item.refusal.error, item.refusal.group, item.refusal.event};
  for (unsigned cpu = 0; cpu < arena::cpu_words * 64; ++cpu)
    if ((item.cpus[cpu / 64] >> (cpu % 64) & 1u) != 0) thread.cpus.push_back(cpu);
  all.threads.emplace(offset, all.process.threads.size());
  all.process.threads.push_back(std::move(thread));
}

RawHistogram read_histogram(const arena::Histogram& item) {
  RawHistogram histogram;
  histogram.counts.assign(item.counts, item.counts + arena::histogram_buckets);
  if (item.latest < arena::histogram_buckets) ++histogram.counts[item.latest];
  return histogram;
}

RawNode node_of(const arena::Record& record, const RawHistogram* histogram) {
  RawNode node;
  node.visits = record.early_visits;
  if (histogram != nullptr) {
    node.histogram = *histogram;
    for (const auto count : histogram->counts) node.visits += count;
  }
  const bool open = record.entry != 0 && record.last_exit < record.entry;
  if (open) node.open_since = record.entry;
  node.torn = (record.sequence & 1u) != 0 || (open && record.closing == record.entry);
  node.sum_ticks = record.sum_ticks;
  node.min_ticks = record.min_ticks <= record.max_ticks ? record.min_ticks : 0;
  node.max_ticks = record.max_ticks;
  const auto finite = [&](double value) {
    if (std::isfinite(value)) return value;
    node.torn = true;
    return 0.0;
  };
  node.sum_of_squares = finite(record.sum_of_squares);
  node.first_visit_ticks = record.first_ticks;
  node.first_entry = record.first_entry;
  node.last_exit = record.last_exit;
  node.declared_flop = finite(record.declared_flop);
  node.declared_bytes = finite(record.declared_bytes);
  node.declarations = record.declarations;
  node.adopted_visits = record.adopted_visits;
  node.threads = record.threads != 0 ? record.threads : 1;
  node.max_thread_ticks = record.threads != 0 ? record.max_thread_ticks : record.sum_ticks;
  node.mismatched = (record.flags & arena::record_mismatched) != 0;
  node.wrong_thread = (record.flags & arena::record_wrong_thread) != 0;
  node.inherited = (record.flags & arena::record_inherited) != 0;
  node.unclosed = (record.flags & arena::record_unclosed) != 0;
  node.other = (record.flags & arena::record_other) != 0;
  node.other_inside = (record.flags & arena::record_other_inside) != 0;
  return node;
}

bool worth_showing(const RawNode& node) {
  return node.visits != 0 || node.open_since || node.declarations != 0 || node.inherited;
}

void add_record(Assembly& all, const arena::Record& record, std::uint64_t offset,
                std::size_t parent) {
  const auto thread = all.threads.find(record.thread);
  const auto name = all.names.find(record.name);
  if (thread == all.threads.end()) {
    ++all.orphans;
    return;
  }
  const auto histogram = all.histograms.find(record.histogram);
  RawNode node = node_of(record, histogram != all.histograms.end() ? &histogram->second : nullptr);
  node.parent = parent;
  if (const auto events = all.events.find(record.events); events != all.events.end())
    node.events = events->second;
  if (name != all.names.end())
    node.name = name->second;
  else
    ++all.nameless;
  // Every thread has an "(other)" at hand; one that was not needed is nothing to tell.
  if (node.other && !worth_showing(node)) return;
  auto& nodes = all.process.threads[thread->second].nodes;
  all.records[offset] = {thread->second, nodes.size()};
  nodes.push_back(std::move(node));
}

// Parents first, whatever the order in the file: children wait until their parent is placed.
void place_records(Assembly& all, const std::vector<ArenaImage::Item>& items) {
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiting;
  std::unordered_map<std::uint64_t, const arena::Record*> known;
  std::vector<std::uint64_t> ready;
  std::vector<std::uint64_t> order;
  for (const auto& item : items) {
    const auto* record = all.image.as<arena::Record>(item);
    if (record == nullptr || (record->flags & arena::record_folded) != 0) continue;
    known.emplace(item.offset, record);
    order.push_back(item.offset);
  }
  for (const auto offset : order) {
    const auto parent = known[offset]->parent;
    if (parent == 0) {
      ready.push_back(offset);
    } else {
      waiting[parent].push_back(offset);
    }
  }
  std::size_t placed = 0;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const auto offset = ready[i];
    const arena::Record& record = *known[offset];
    std::size_t parent = RawNode::no_parent;
    const auto above = all.records.find(record.parent);
    const auto thread = all.threads.find(record.thread);
    if (above != all.records.end() && thread != all.threads.end() &&
        above->second.thread == thread->second)
      parent = above->second.node;
    if (record.parent == 0 || parent != RawNode::no_parent)
      add_record(all, record, offset, parent);
    else
      ++all.orphans;
    ++placed;
    if (const auto children = waiting.find(offset); children != waiting.end())
      for (const auto child : children->second) ready.push_back(child);
  }
  all.cyclic = order.size() - placed;
}

void read_header(const arena::FileHeader& header, RawProcess& process) {
  process.host = text_of(header.host, header.host_bytes, sizeof header.host);
  process.executable =
      text_of(header.executable, header.executable_bytes, sizeof header.executable);
  process.pid = header.pid;
  process.ppid = header.ppid;
  if (header.rank < header.ranks) {
    process.rank = header.rank;
    process.ranks = header.ranks;
  }
  process.process_start = header.process_start;
  process.realtime_ns = header.realtime_ns;
  process.sequence = header.file_sequence;
  switch (header.calibration.clock) {
    case arena::Clock::tsc:
      process.calibration.clock = "tsc";
      break;
    case arena::Clock::monotonic_raw:
      process.calibration.clock = "monotonic_raw";
      break;
    case arena::Clock::counter:
      process.calibration.clock = "counter";
      break;
    default:
      process.damage.emplace_back("the clock is none that is known");
  }
  process.calibration.first_ticks = header.calibration.first_ticks;
  process.calibration.first_raw_ns = header.calibration.first_raw_ns;
  // Killed while both were being written: one of them may be the older.
  if ((header.calibration.last_sequence & 1u) == 0) {
    process.calibration.last_ticks = header.calibration.last_ticks;
    process.calibration.last_raw_ns = header.calibration.last_raw_ns;
  }
  process.marker_ticks = header.marker_ticks;
  process.marker_inner_ticks = header.marker_inner_ticks;
  process.ended = (header.flags & arena::file_ended) != 0;
  process.truncated = (header.flags & arena::file_truncated) != 0;
  if (process.truncated)
    process.truncated_reason = header.grow_errno != 0 ? std::strerror(header.grow_errno)
                               : header.records >= arena::record_cap
                                   ? "the limit of 1000000 paths was reached"
                                   : "a name was longer than 4096 bytes, or memory ran out";
  process.counting_refusal = text_of(
      header.counting_refusal, strnlen(header.counting_refusal, sizeof header.counting_refusal),
      sizeof header.counting_refusal);
  process.refused_threads = header.refused_threads;
  process.first_refusal = {header.first_refusal.error, header.first_refusal.group,
                           header.first_refusal.event};
  process.lost_visits = header.lost_visits;
  process.untraced = header.untraced;
  if (header.trace_errno != 0) process.untraced_reason = std::strerror(header.trace_errno);
  process.stale_exits = header.stale_exits;
  if ((header.flags & arena::file_forked) != 0) {
    process.parent_pid = header.parent_pid;
    process.parent_sequence = header.parent_sequence;
    process.fork_ticks = header.fork_ticks;
  }
}

// The path that was open at the fork: the deepest node that was inherited.
void find_context(RawProcess& process) {
  if (!process.parent_pid) return;
  for (const RawThread& thread : process.threads)
    for (std::size_t i = 0; i < thread.nodes.size(); ++i)
      if (thread.nodes[i].inherited) {
        auto path = thread.path(i);
        if (path.size() > process.context.size()) process.context = std::move(path);
      }
}

void report_damage(const Assembly& all) {
  const auto say = [&](std::size_t count, const char* what) {
    if (count != 0) all.process.damage.push_back(std::to_string(count) + what);
  };
  say(all.orphans, " regions belong to no thread");
  say(all.nameless, " regions have lost their name");
  say(all.cyclic, " regions have lost the region around them");
}

}  // namespace

std::pair<double, double> RawHistogram::bounds(std::size_t bucket) {
  const auto edge = [](std::size_t index) {
    const double octave =
        std::ldexp(1.0, static_cast<int>(index / 4 + arena::histogram_first_octave));
    return octave * (1.0 + 0.25 * static_cast<double>(index % 4));
  };
  return {bucket == 0 ? 0.0 : edge(bucket), bucket + 1 >= arena::histogram_buckets
                                                ? std::numeric_limits<double>::infinity()
                                                : edge(bucket + 1)};
}

std::optional<double> RawHistogram::quantile(double q) const {
  double total = 0;
  for (const auto count : counts) total += static_cast<double>(count);
  if (total == 0) return std::nullopt;
  double below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (count > 0 && below + count >= q * total) {
      const auto [lower, upper] = bounds(i);
      if (!std::isfinite(upper)) return lower;
      return lower + (upper - lower) * std::clamp((q * total - below) / count, 0.0, 1.0);
    }
    below += count;
  }
  return bounds(counts.size() - 1).first;
}

std::vector<std::uint64_t> RawThread::descendant_visits() const {
  std::vector<std::uint64_t> below(nodes.size(), 0);
  // Parents come before children: from the end, every node is complete when it is added.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const std::size_t parent = nodes[i].parent;
    if (parent != RawNode::no_parent)
      below[parent] += below[i] + nodes[i].visits + (nodes[i].open_since ? 1u : 0u);
  }
  return below;
}

std::uint64_t RawThread::descendant_visits(std::size_t node) const {
  return descendant_visits()[node];
}

std::vector<std::string> RawThread::path(std::size_t node) const {
  std::vector<std::string> names;
  for (; node != RawNode::no_parent && node < nodes.size(); node = nodes[node].parent)
    names.push_back(nodes[node].name);
  std::reverse(names.begin(), names.end());
  return names;
}

std::optional<double> RawProcess::ticks_per_second() const {
  if (calibration.clock == "monotonic_raw") return 1e9;
  if (calibration.last_ticks <= calibration.first_ticks) return std::nullopt;
  constexpr std::uint64_t least_ns = 1000000;
  if (calibration.last_raw_ns < calibration.first_raw_ns + least_ns) return std::nullopt;
  return static_cast<double>(calibration.last_ticks - calibration.first_ticks) /
         (static_cast<double>(calibration.last_raw_ns - calibration.first_raw_ns) * 1e-9);
}

Result<RawProcess> read_arena(const std::string& path) {
  auto image = ArenaImage::load(path);
  if (!image) return tl::make_unexpected(image.error());
  RawProcess process;
  process.file = path;
  read_header(image->header(), process);
  std::vector<ArenaImage::Item> items = image->items(process.damage);
  Assembly all{*image, process, {}, {}, {}, {}, {}};
  for (const auto& item : items)
    if (item.offset == image->header().counting) process.counting = read_counting(*image, item);
  for (const auto& item : items) {
    if (process.counting && item.kind == ItemKind::events)
      if (auto events = read_events(*image, item, *process.counting); events)
        all.events.emplace(item.offset, std::move(*events));
    if (const auto* name = image->as<arena::Name>(item); name != nullptr)
      all.names.emplace(item.offset, text_of(name->bytes, name->length,
                                             item.bytes - offsetof(arena::Name, bytes)));
    if (const auto* thread = image->as<arena::Thread>(item); thread != nullptr)
      read_thread(all, *thread, item.offset);
    if (const auto* histogram = image->as<arena::Histogram>(item); histogram != nullptr)
      all.histograms.emplace(item.offset, read_histogram(*histogram));
  }
  place_records(all, items);
  report_damage(all);
  find_context(process);
  return process;
}

std::vector<RawProcess> read_arenas(const std::string& directory, std::vector<Problem>& problems) {
  std::vector<RawProcess> processes;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error), end;
  if (error) {
    problems.push_back({error.message(), directory, ""});
    return processes;
  }
  for (; entries != end; entries.increment(error)) {
    if (error) break;
    if (entries->path().extension() != ".arena") continue;
    auto process = read_arena(entries->path().string());
    if (process)
      processes.push_back(std::move(*process));
    else
      problems.push_back(process.error());
  }
  std::sort(processes.begin(), processes.end(), [](const RawProcess& a, const RawProcess& b) {
    return std::tie(a.realtime_ns, a.file) < std::tie(b.realtime_ns, b.file);
  });
  return processes;
}

}  // namespace roofmark
