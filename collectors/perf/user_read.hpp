// Reads a counter without a system call, by the page that the kernel shares with its owner: the
// protocol of linux/perf_event.h, `struct perf_event_mmap_page`. What reads the counter and the
// clock is given, so that a test can play the hardware.
#pragma once

#include <linux/perf_event.h>

#include <cstdint>

namespace roofmark::perf {

struct UserValue {
  std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
};

/// The low `width` bits of a hardware counter, sign-extended as the kernel's `offset` expects it.
inline std::int64_t sign_extended(std::uint64_t raw, unsigned width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(raw);
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(raw << unused) >> unused;
}

/// Nanoseconds since the page was last updated.
inline std::uint64_t page_delta_ns(const perf_event_mmap_page& page, std::uint64_t ticks) {
  if (page.cap_user_time_short)
    ticks = page.time_cycles + ((ticks - page.time_cycles) & page.time_mask);
  const unsigned shift = page.time_shift;
  const std::uint64_t whole = ticks >> shift;
  const std::uint64_t rest = ticks & ((std::uint64_t{1} << shift) - 1);
  return page.time_offset + whole * page.time_mult + ((rest * page.time_mult) >> shift);
}

/// The protocol: `read` is given the page as the kernel changes it and takes the counter's raw
/// value; what it leaves is of one moment where this says true. False where the counter can't be
/// read so at this moment: it does not run, or the kernel does not allow it, or it kept changing
/// the page.
template <class Read>
[[gnu::always_inline]] inline bool read_consistent(const volatile perf_event_mmap_page* shared,
                                                   Read read) {
  for (unsigned attempt = 0; attempt < 16; ++attempt) {
    const std::uint32_t lock = shared->lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!read(*shared)) return false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (shared->lock == lock) return true;
  }
  return false;
}

/// With its times.
template <class ReadCounter, class ReadClock>
[[gnu::always_inline]] inline bool read_by_page(const volatile perf_event_mmap_page* shared,
                                                ReadCounter read_counter, ReadClock read_clock,
                                                UserValue& result) {
  return read_consistent(shared, [&](const volatile perf_event_mmap_page& now) {
    perf_event_mmap_page page;
    page.capabilities = now.capabilities;
    page.index = now.index;
    page.offset = now.offset;
    page.time_enabled = now.time_enabled;
    page.time_running = now.time_running;
    page.pmc_width = now.pmc_width;
    page.time_shift = now.time_shift;
    page.time_mult = now.time_mult;
    page.time_offset = now.time_offset;
    page.time_cycles = now.time_cycles;
    page.time_mask = now.time_mask;
    // Without the clock, `enabled` and `running` are old, and 'did not run' could not be told.
    if (!page.cap_user_rdpmc || !page.cap_user_time || page.index == 0) return false;
    const std::uint64_t since = page_delta_ns(page, read_clock());
    const std::uint64_t raw = read_counter(page.index - 1);
    result.value = static_cast<std::uint64_t>(page.offset + sign_extended(raw, page.pmc_width));
    result.enabled_ns = page.time_enabled + since;
    result.running_ns = page.time_running + since;
    return true;
  });
}

/// Of a counter whose group has told its times: the clock is not read again.
template <class ReadCounter>
[[gnu::always_inline]] inline bool read_by_page(const volatile perf_event_mmap_page* shared,
                                                ReadCounter read_counter, std::uint64_t& value) {
  return read_consistent(shared, [&](const volatile perf_event_mmap_page& now) {
    perf_event_mmap_page page;
    page.capabilities = now.capabilities;
    const std::uint32_t index = now.index;
    const std::int64_t offset = now.offset;
    const unsigned width = now.pmc_width;
    if (!page.cap_user_rdpmc || index == 0) return false;
    value = static_cast<std::uint64_t>(offset + sign_extended(read_counter(index - 1), width));
    return true;
  });
}

}  // namespace roofmark::perf
