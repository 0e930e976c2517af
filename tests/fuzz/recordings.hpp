// Recordings in memory and the visits beside them, as the corpus has text: their layout is this
// build's, so they are made and not kept.
#pragma once

#include <string>
#include <vector>

#include "corpus.hpp"
#include "tests/arena/recording_image.hpp"
#include "tests/trace/trace_image.hpp"

namespace roofmark::fuzz {

/// A recording with one thing changed.
template <class Change>
Document recording(const char* name, Side side, Change change) {
  test::RecordingImage image;
  change(image);
  return {std::string("arena/") + name, image.bytes(), side};
}

inline std::vector<Document> recordings() {
  using Image = test::RecordingImage;
  const std::string whole = Image().bytes();
  return {
      {"arena/whole", whole, Side::good},
      {"arena/empty", "", Side::hostile},
      {"arena/text", std::string(100000, 'x'), Side::hostile},
      {"arena/half a header", whole.substr(0, 40), Side::hostile},
      {"arena/truncated", whole.substr(0, 4096 + 300), Side::odd},
      recording("wrong version", Side::hostile,
                [](Image& it) { it.at<arena::FileHeader>(0).version = 9; }),
      recording("other byte order", Side::hostile,
                [](Image& it) { it.at<arena::FileHeader>(0).byte_order = 0x04030201; }),
      recording("header of 4 GB", Side::odd,
                [](Image& it) { it.at<arena::FileHeader>(0).header_bytes = 0xffffffc0; }),
      recording("a region around itself", Side::odd,
                [](Image& it) { it.at<arena::Record>(it.spmv).parent = it.spmv; }),
      recording("two regions around each other", Side::odd,
                [](Image& it) { it.at<arena::Record>(it.solve).parent = it.spmv; }),
      recording("a region around two of one name", Side::odd,
                [](Image& it) {
                  const auto name = it.at<arena::Record>(it.spmv).name;
                  it.record(name, it.solve);
                }),
      recording("a chain of regions", Side::odd,
                [](Image& it) {
                  std::uint64_t around = it.spmv;
                  const auto name = it.at<arena::Record>(it.spmv).name;
                  for (int depth = 0; depth < 100; ++depth) around = it.record(name, around);
                }),
      recording("a name beyond the end", Side::odd,
                [](Image& it) { it.at<arena::Record>(it.solve).name = ~std::uint64_t{0}; }),
      recording("shortest visit above longest", Side::odd,
                [](Image& it) { it.at<arena::Record>(it.solve).min_ticks = 1000; }),
      recording("a time below zero", Side::odd,
                [](Image& it) { it.at<arena::Record>(it.solve).sum_ticks = ~std::uint64_t{0}; }),
      recording("a clock that runs backwards", Side::odd,
                [](Image& it) { it.at<arena::FileHeader>(0).calibration.last_ticks = 0; }),
      recording("a name that is no UTF-8", Side::odd,
                [](Image& it) {
                  auto& name = it.at<arena::Name>(it.at<arena::Record>(it.solve).name);
                  std::memset(name.bytes, 0xff, name.length);
                }),
  };
}

template <class Change>
Document visits(const char* name, Side side, Change change) {
  std::string bytes = test::trace_of_two_visits();
  change(bytes);
  return {std::string("trace/") + name, bytes, side};
}

inline std::vector<Document> traces() {
  using test::put;
  const std::size_t first = 4096 + offsetof(arena::TraceBlock, visits);
  const std::uint32_t name = test::name_at / arena::item_alignment;
  return {
      visits("whole", Side::good, [](std::string&) {}),
      visits("truncated", Side::odd, [](std::string& it) { it.resize(4096 + 40); }),
      visits("half a header", Side::odd, [](std::string& it) { it.resize(10); }),
      visits("wrong version", Side::hostile,
             [](std::string& it) {
               put(it, 0,
                   arena::TraceFileHeader{arena::trace_file_magic, 9, 0,
                                          arena::trace_header_bytes + 4096});
             }),
      visits("text", Side::hostile, [](std::string& it) { it.assign(10000, 'x'); }),
      visits("a block of no bytes", Side::odd,
             [](std::string& it) {
               put(it, 4096, arena::TraceBlock{arena::trace_block_magic, 0, 100, 3, {}});
             }),
      visits("a block beyond the end", Side::odd,
             [](std::string& it) {
               put(it, 4096,
                   arena::TraceBlock{arena::trace_block_magic, 0xffffffff, 0xffffffff, 3, {}});
             }),
      visits("a name that is none", Side::odd,
             [=](std::string& it) {
               put(it, first, arena::TraceVisit{2000, 500, 12345, 7});
             }),
      visits("a time without an end", Side::odd,
             [=](std::string& it) {
               put(it, first, arena::TraceVisit{~std::uint64_t{0}, ~std::uint64_t{0}, name, -7});
             }),
  };
}

}  // namespace roofmark::fuzz
