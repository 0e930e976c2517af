#include "chase.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "size_text.hpp"
#include "statistics.hpp"

namespace roofmark {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t first_size = std::size_t{8} << 10;
constexpr double size_step = 1.3;
/// Links of a chase: in a larger buffer a random sample of its lines stands for all of them, and
/// one sequential pass brings the rest in.
constexpr std::size_t most_links = 30000;
constexpr std::size_t links_per_window = 1000;

using Link = void*;

/// Writes one random cycle through the buffer; returns its first link and length.
struct Cycle {
  Link* first = nullptr;
  std::size_t links = 0;
};

Cycle write_cycle(std::byte* data, std::size_t bytes, std::mt19937_64& random) {
  const std::size_t lines = bytes / line_bytes;
  std::vector<std::size_t> order;
  if (lines <= most_links) {
    order.resize(lines);
    std::iota(order.begin(), order.end(), std::size_t{0});
  } else {
    std::uniform_int_distribution<std::size_t> any(0, lines - 1);
    order.resize(most_links);
    for (std::size_t& line : order) line = any(random);
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
  }
  std::shuffle(order.begin(), order.end(), random);
  auto link = [&](std::size_t i) {
    return reinterpret_cast<Link*>(data + order[i % order.size()] * line_bytes);
  };
  for (std::size_t i = 0; i < order.size(); ++i) *link(i) = link(i + 1);
  return {link(0), order.size()};
}

Link* follow(Link* at, std::size_t links) {
  for (; links != 0; --links) at = static_cast<Link*>(*at);
  __asm__ volatile("" : : "r"(at) : "memory");
  return at;
}

void read_all(const std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line_bytes)
    (void)*reinterpret_cast<const volatile std::uint64_t*>(data + at);
}

double latency(std::byte* data, std::size_t bytes, std::mt19937_64& random,
               const Stopwatch& watch) {
  const Cycle cycle = write_cycle(data, bytes, random);
  const bool sampled = bytes / line_bytes > most_links;
  const int repeats = bytes > (std::size_t{64} << 20) ? 1 : 3;
  std::vector<double> windows;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    read_all(data, bytes);
    Link* at = cycle.first;
    if (!sampled) at = follow(at, cycle.links);
    const std::size_t links = std::max(cycle.links, 10 * links_per_window);
    for (std::size_t done = 0; done + links_per_window <= links; done += links_per_window) {
      if (sampled && done + links_per_window > cycle.links) break;
      const std::uint64_t start = watch.ticks();
      at = follow(at, links_per_window);
      windows.push_back(watch.window_s(watch.ticks() - start) / links_per_window);
    }
  }
  // Disturbances only ever lengthen a window.
  return quantile(windows, 0.2);
}

/// Latency at `bytes`, interpolated.
double latency_at(const std::vector<ChasePoint>& curve, double bytes) {
  const auto above = std::find_if(curve.begin(), curve.end(), [&](const ChasePoint& point) {
    return static_cast<double>(point.bytes) >= bytes;
  });
  if (above == curve.end()) return curve.back().latency_s;
  if (above == curve.begin()) return curve.front().latency_s;
  const ChasePoint& below = *(above - 1);
  const double part =
      (bytes - static_cast<double>(below.bytes)) / static_cast<double>(above->bytes - below.bytes);
  return below.latency_s + part * (above->latency_s - below.latency_s);
}

/// A larger buffer is never faster: what reads above a later point was disturbed.
std::vector<ChasePoint> without_disturbances(std::vector<ChasePoint> curve) {
  for (std::size_t i = curve.size(); i-- > 1;)
    curve[i - 1].latency_s = std::min(curve[i - 1].latency_s, curve[i].latency_s);
  return curve;
}

}  // namespace

std::vector<ChasePoint> chase_latencies(Buffer& buffer, std::size_t most_bytes, double limit_s,
                                        const Stopwatch& watch,
                                        const std::function<bool()>& interrupted) {
  const double start = monotonic_s();
  std::mt19937_64 random(20240229);
  std::vector<ChasePoint> curve;
  for (double size = static_cast<double>(first_size); size <= static_cast<double>(most_bytes);
       size *= size_step) {
    const std::size_t bytes = static_cast<std::size_t>(size) / line_bytes * line_bytes;
    buffer.touch(bytes, limit_s - (monotonic_s() - start));
    if (buffer.touched() < bytes) break;
    curve.push_back({bytes, latency(buffer.data(), bytes, random, watch)});
    if (monotonic_s() - start > limit_s || (interrupted && interrupted())) break;
  }
  return curve;
}

std::vector<std::string> confirm_caches(std::vector<CacheLevel>& caches,
                                        const std::vector<ChasePoint>& measured) {
  std::vector<std::string> notes;
  if (measured.empty()) return notes;
  const std::vector<ChasePoint> curve = without_disturbances(measured);
  double inner = 0;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    CacheLevel& cache = caches[i];
    const auto bytes = static_cast<double>(cache.bytes);
    // Where this level's plateau and the next one's are expected.
    const double here = latency_at(curve, inner == 0 ? bytes / 2 : std::sqrt(inner * bytes));
    const bool last = i + 1 == caches.size();
    const double next_place = last ? static_cast<double>(curve.back().bytes)
                                   : std::sqrt(bytes * static_cast<double>(caches[i + 1].bytes));
    const double next = latency_at(curve, next_place);
    inner = bytes;
    cache.latency_s = here;
    const bool seen_past = next_place >= 1.2 * bytes && next > 1.25 * here;
    const double threshold = std::sqrt(here * next);
    double ours = 0;
    for (const ChasePoint& point : curve)
      if (point.latency_s <= threshold) ours = static_cast<double>(point.bytes);
    if (!seen_past && ours >= static_cast<double>(curve.back().bytes)) continue;
    if (ours <= 0) continue;
    // One step of the curve and the lines of everything else running explain the last third.
    constexpr double agrees = 0.65;
    cache.confirmed_bytes = static_cast<std::uint64_t>(ours >= agrees * bytes ? bytes : ours);
    if (ours < agrees * bytes)
      notes.push_back(fmt::format(
          "{} is reported with {} but a pointer chase finds only {} of it ours: the rest is shared "
          "with others or belongs to other cores.",
          cache.name, size_text(bytes), size_text(ours)));
  }
  return notes;
}

}  // namespace roofmark
