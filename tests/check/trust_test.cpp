// Findings are kept by processor and microcode, whole, and a damaged file is no finding.
#include "analysis/check/trust.hpp"

#include <filesystem>
#include <fstream>

#include "catch.hpp"

using namespace roofmark::check;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "roofmark-trust-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = fs::path(name) / "below";
  }
  ~Folder() { fs::remove_all(path.parent_path()); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

const TrustKey key{"GenuineIntel family 6 model 85 stepping 4", "0x2007006"};

std::vector<SelfTestRow> rows() {
  return {{"perf", "flop.f64", "f64_256_add", 1000, 1000, ""},
          {"perf", "flop.f64", "f64_256_fma", 1000, 500, ""},
          {"perf", "flop.f32", "f32_256_fma", 1000, 1000, ""},
          {"perf", "flop.f16", "f16", 1000, std::nullopt, "no such event"}};
}

}  // namespace

TEST_CASE("what was found is found again") {
  const Folder folder;
  CHECK(load_findings(folder.path, key)->empty());
  REQUIRE_FALSE(save_findings(folder.path, key, rows()));
  const auto findings = load_findings(folder.path, key);
  REQUIRE(findings);
  REQUIRE(findings->size() == 3);
  CHECK(findings->at(1) == Finding{"perf", "flop.f64", "f64_256_fma", 0.5, false});
  const Finding* against = distrust(*findings, "perf", "flop.f64");
  REQUIRE(against != nullptr);
  CHECK(against->kernel == "f64_256_fma");
  CHECK(distrust(*findings, "perf", "flop.f32") == nullptr);
  CHECK(distrust(*findings, "emulated", "flop.f64") == nullptr);
}

TEST_CASE("another microcode is another processor") {
  const Folder folder;
  REQUIRE_FALSE(save_findings(folder.path, key, rows()));
  CHECK(load_findings(folder.path, {key.processor, "0x2007007"})->empty());
  CHECK(trust_file(folder.path, key) != trust_file(folder.path, {key.processor, ""}));
}

TEST_CASE("a damaged file is said") {
  const Folder folder;
  REQUIRE_FALSE(save_findings(folder.path, key, rows()));
  const fs::path file = trust_file(folder.path, key);
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  in.close();
  const auto refused = [&](const std::string& content) {
    std::ofstream(file) << content;
    return !load_findings(folder.path, key);
  };
  CHECK_FALSE(refused(text));
  CHECK(refused(text.substr(0, text.size() / 2)));
  CHECK(refused(""));
  CHECK(refused("[]"));
  for (const char* word : {"roofmark-findings/1", "0x2007006", "flop.f64", "untrusted"}) {
    std::string spoilt = text;
    spoilt.replace(spoilt.find(word), std::string(word).size(), "");
    INFO(word);
    CHECK(refused(spoilt));
  }
}

TEST_CASE("the key is read from /proc/cpuinfo") {
  const TrustKey read = trust_key(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n"
      "microcode\t: 0x2007006\n");
  CHECK(read == key);
  CHECK(trust_key("processor\t: 0\nvendor_id\t: X\nmicrocode\n").microcode.empty());
}
