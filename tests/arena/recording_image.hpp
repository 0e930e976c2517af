// A recording as the runtime would write it, whose bytes a test may damage.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "libprofiler/arena/layout.h"

namespace roofmark::test {

/// Main thread, solve (closed twice), solve/spmv (open).
class RecordingImage {
 public:
  RecordingImage() : bytes_(header_bytes + segment_bytes, '\0') {
    auto& header = at<arena::FileHeader>(0);
    header.magic = arena::file_magic;
    header.version = arena::layout_version;
    header.byte_order = arena::byte_order_mark;
    header.header_bytes = header_bytes;
    header.pid = 42;
    header.host_bytes = 4;
    std::memcpy(header.host, "host", 4);
    header.calibration = {1000, 0, 3001000, 1000000, 2, arena::Clock::tsc};
    auto& segment = at<arena::SegmentHeader>(header_bytes);
    segment.magic = arena::segment_magic;
    segment.bytes = segment_bytes;
    segment.used = sizeof segment;

    thread = add<arena::Thread>(arena::ItemKind::thread);
    at<arena::Thread>(thread).flags = arena::thread_main;
    at<arena::Thread>(thread).tid = 42;
    at<arena::Thread>(thread).cpus[1] = 2;
    const auto solve_name = name("solve"), spmv_name = name("spmv");
    histogram = add<arena::Histogram>(arena::ItemKind::histogram);
    at<arena::Histogram>(histogram).counts[10] = 1;
    at<arena::Histogram>(histogram).latest = 10;
    solve = record(solve_name, 0);
    auto& closed = at<arena::Record>(solve);
    closed.entry = closed.closing = 300;
    closed.last_exit = 400;
    closed.sum_ticks = 150;
    closed.min_ticks = 50;
    closed.max_ticks = 100;
    closed.sum_of_squares = 12500;
    closed.histogram = histogram;
    spmv = record(spmv_name, solve);
    at<arena::Record>(spmv).entry = 500;
    at<arena::Record>(spmv).min_ticks = ~std::uint64_t{0};
  }

  template <class T>
  T& at(std::uint64_t offset) {
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  std::uint64_t record(std::uint64_t name, std::uint64_t parent) {
    const auto offset = add<arena::Record>(arena::ItemKind::record);
    auto& record = at<arena::Record>(offset);
    record.name = name;
    record.parent = parent;
    record.thread = thread;
    return offset;
  }
  std::string& bytes() { return bytes_; }

  std::uint64_t thread = 0, solve = 0, spmv = 0, histogram = 0;
  static constexpr std::uint64_t header_bytes = 4096, segment_bytes = 65536;

 private:
  template <class T>
  std::uint64_t add(arena::ItemKind kind) {
    auto& segment = at<arena::SegmentHeader>(header_bytes);
    const std::uint64_t offset = header_bytes + segment.used;
    at<arena::ItemHeader>(offset) = {kind, sizeof(T)};
    segment.used += sizeof(T);
    return offset;
  }
  std::uint64_t name(const char* text) {
    const auto offset = add<arena::Name>(arena::ItemKind::name);
    auto& item = at<arena::Name>(offset);
    item.length = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(item.bytes, text, item.length);
    return offset;
  }

  std::string bytes_;
};

}  // namespace roofmark::test
