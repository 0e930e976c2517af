#include "collectors/emulated/counts.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "collectors/emulated/plan.hpp"

using namespace roofmark;
namespace fs = std::filesystem;

namespace {

const std::string header =
    R"({"schema":"roofmark-counts/1","pid":7,"ppid":1,"sequence":0,"exe":"/x","arguments":["/x","a\u00ff"],)"
    R"("context":[],"isa":{"host":"avx512","emulated":"avx2","executed":"avx","queried_by":["libblas.so"]},)"
    R"("cpu_identity_of_host":1,"fma_by_host":0,"caches":"sampled","sampling":"sets 1/8",)"
    R"("geometry":[{"name":"L1","bytes":49152,"ways":12,"line_bytes":64}]})"
    "\n";

/// A directory that goes away with the test.
struct Directory {
  fs::path path = fs::temp_directory_path() / ("roofmark-counts-" + std::to_string(::getpid()));
  Directory() { fs::create_directories(path); }
  ~Directory() { fs::remove_all(path); }
  fs::path file(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
};

}  // namespace

TEST_CASE("counts are read as they were written") {
  const Directory directory;
  const auto counts = read_counts(directory.file(
      "counts-7-0.jsonl",
      header +
          R"({"thread":1,"tid":8,"creator":0})"
          "\n"
          R"({"region":["a","\u0000\u00e9\""],"thread":1,"visits":3,"flags":["adopted"],)"
          R"("mix":[["f64",256,"fma",18446744073709551615]],"operations":{"loads":5},)"
          R"("bytes":{"L1":[1,2],"DRAM":[10,9,11,20,19,21]},"declared":{"flop":4,"bytes":5}})"
          "\n"
          R"({"function":"f","object":"/x","file":"x.c","flop":1,"load_bytes":2,"store_bytes":3})"
          "\n"
          R"({"line":9,"function":"f","object":"/x","file":"x.c","flop":1,"load_bytes":2,"store_bytes":3})"
          "\n"
          R"({"from_the_future":1})"
          "\n"
          R"({"end":"exec"})"
          "\n"));
  REQUIRE(counts.has_value());
  REQUIRE(counts->arguments.back() == "a\xff");
  REQUIRE(counts->isa_differs());
  REQUIRE(counts->sampling == "sets 1/8");
  REQUIRE(counts->geometry.at(0).ways == 12);
  REQUIRE(counts->threads.at(0).creator == 0u);
  const RegionCounts& region = counts->regions.at(0);
  REQUIRE(region.path == std::vector<std::string>{"a", std::string("\0\xe9\"", 3)});
  REQUIRE(region.mix.at(0) ==
          ComputeClass{Precision::f64, 256, Operation::fma, 18446744073709551615u});
  REQUIRE(region.bytes.at("L1").write.low == 2);
  REQUIRE(region.bytes.at("DRAM").read.high == 11);
  REQUIRE(region.declared_bytes == 5u);
  REQUIRE(counts->functions.size() == 1);
  REQUIRE(counts->lines.at(0).line == 9);
  REQUIRE(counts->end == CountsEnd::exec);
}

TEST_CASE("a host without a wider set, or a program that did not ask, does not differ") {
  ProcessCounts counts;
  counts.isa_host = counts.isa_emulated = "avx2";
  counts.isa_queried_by = {"libblas.so"};
  REQUIRE_FALSE(counts.isa_differs());
  counts.isa_host = "avx512";
  REQUIRE(counts.isa_differs());
  counts.isa_queried_by.clear();
  REQUIRE_FALSE(counts.isa_differs());
}

TEST_CASE("damaged counts are a problem that names the line") {
  const Directory directory;
  const auto reason = [&](const std::string& text) {
    const auto counts = read_counts(directory.file("counts-1-0.jsonl", text));
    REQUIRE_FALSE(counts.has_value());
    return to_line(counts.error());
  };
  REQUIRE(reason("").find("killed before") != std::string::npos);
  REQUIRE(reason(header).find("end early") != std::string::npos);
  REQUIRE(reason("{}\n").find("\"schema\" is missing") != std::string::npos);
  REQUIRE(reason(R"({"schema":"roofmark-counts/9"})").find("not roofmark-counts/1") !=
          std::string::npos);
  REQUIRE(reason(header + R"({"region":["a"],"thread":0,"visits":-1})").find(":2") !=
          std::string::npos);
  REQUIRE(reason(header + R"({"region":["a"],"thre)").find("no JSON object") != std::string::npos);
}

TEST_CASE("a pass's processes come parents first, and a bad file hides no other") {
  const Directory directory;
  const auto of = [](int pid, int parent, int sequence) {
    std::string text = header;
    text.replace(text.find("\"pid\":7"), 7, "\"pid\":" + std::to_string(pid));
    text.replace(text.find("\"ppid\":1"), 8, "\"ppid\":" + std::to_string(parent));
    text.replace(text.find("\"sequence\":0"), 12, "\"sequence\":" + std::to_string(sequence));
    return text + R"({"end":"exit"})"
                  "\n";
  };
  directory.file("counts-5-0.jsonl", of(5, 90, 0));
  directory.file("counts-5-1.jsonl", of(5, 90, 1));
  directory.file("counts-90-0.jsonl", of(90, 1, 0));
  directory.file("counts-91-0.jsonl", "");
  const auto pass = read_counts_of_pass(directory.path);
  REQUIRE(pass.problems.size() == 1);
  REQUIRE(pass.processes.size() == 3);
  REQUIRE(pass.processes.at(0).pid == 90);
  REQUIRE(pass.processes.at(2).sequence == 1);
  REQUIRE(read_counts_of_pass(directory.path / "none").problems.size() == 1);
}

TEST_CASE("cache geometry is what the kernel says") {
  const Directory directory;
  const auto cache = [&](int index, const char* level, const char* type, const char* size,
                         const char* ways) {
    const fs::path at = directory.path / "cpu2/cache" / ("index" + std::to_string(index));
    fs::create_directories(at);
    std::ofstream(at / "level") << level << "\n";
    std::ofstream(at / "type") << type << "\n";
    std::ofstream(at / "size") << size << "\n";
    std::ofstream(at / "ways_of_associativity") << ways << "\n";
    std::ofstream(at / "coherency_line_size") << "64\n";
  };
  std::ofstream(directory.path / "online") << "2-3\n";
  cache(0, "1", "Data", "48K", "12");
  cache(1, "1", "Instruction", "32K", "8");
  cache(3, "3", "Unified", "480M", "16");
  cache(2, "2", "Unified", "2048K", "16");
  const auto geometry = emulated::host_geometry(directory.path);
  REQUIRE(geometry.has_value());
  REQUIRE(geometry->levels.size() == 3);
  REQUIRE(geometry->levels[0].bytes == 49152);
  REQUIRE(geometry->levels[2].bytes == 503316480);
  REQUIRE(geometry->levels[2].name == "L3");
  REQUIRE_FALSE(emulated::host_geometry(directory.path / "none").has_value());
}

TEST_CASE("of a measured machine's caches the usable part is modelled") {
  constexpr std::uint64_t kib = 1024, mib = 1024 * kib;
  Topology topology;
  topology.caches.resize(3);
  const std::uint64_t sizes[] = {48 * kib, 2 * mib, 480 * mib};
  for (std::size_t i = 0; i < 3; ++i) {
    topology.caches[i].name = std::string("L") + static_cast<char>('1' + i);
    topology.caches[i].bytes = sizes[i];
    topology.caches[i].ways = 16;
  }
  const auto geometry = [&] {
    const auto made = emulated::geometry_of(topology);
    REQUIRE(made);
    return *made;
  };
  SECTION("unconfirmed: as reported") {
    REQUIRE(geometry().levels[2].bytes == 480 * mib);
    REQUIRE(geometry().reduced.empty());
    REQUIRE(emulated::to_text(geometry()) == "L1 48 KiB, L2 2 MiB, L3 480 MiB");
  }
  SECTION("a share of the last cache, and both sizes are told") {
    topology.caches[0].confirmed_bytes = 48 * kib;
    topology.caches[2].confirmed_bytes = 128 * mib;
    REQUIRE(geometry().levels[0].bytes == 48 * kib);
    REQUIRE(geometry().levels[2].bytes == 128 * mib);
    REQUIRE(reduced_text(geometry()) == "L3 of 128 MiB (480 MiB reported)");
  }
  SECTION("any level") {
    topology.caches[1].confirmed_bytes = mib;
    topology.caches[2].confirmed_bytes = 100 * mib;
    REQUIRE(geometry().levels[1].bytes == mib);
    REQUIRE(reduced_text(geometry()) ==
            "L2 of 1 MiB (2 MiB reported), L3 of 100 MiB (480 MiB reported)");
  }
  SECTION("a measured size is cut to what can be simulated") {
    topology.caches[1].ways = 64;
    topology.caches[2].confirmed_bytes = 47153856;
    REQUIRE(geometry().levels[1].ways == 32);
    REQUIRE(geometry().levels[2].bytes % (64 * 16 * 16) == 0);
    REQUIRE(geometry().levels[2].bytes > 47153856 - 64 * 16 * 16);
    REQUIRE(reduced_text(geometry()) == "L3 of 45 MiB (480 MiB reported)");
  }
  SECTION("never more than is reported, never less than a set") {
    topology.caches[1].confirmed_bytes = 4 * mib;
    topology.caches[2].confirmed_bytes = 1;
    REQUIRE(geometry().levels[1].bytes == 2 * mib);
    REQUIRE(geometry().levels[2].bytes == 480 * mib);
    REQUIRE(geometry().reduced.empty());
  }
}

TEST_CASE("a missing emulator is one line with the remedy") {
  const Directory directory;
  const auto problem = emulated::unavailable({directory.path, directory.path});
  REQUIRE(problem.has_value());
  REQUIRE_FALSE(problem->remedy.empty());
  REQUIRE_FALSE(
      emulated::plan({directory.path, directory.path}, {"/bin/true"}, directory.path, {}));
}
