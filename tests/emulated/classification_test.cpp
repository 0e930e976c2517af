// Instructions by their bytes against VEX's intermediate code: two readings that have nothing in
// common. And the second one alone, as it is used where bytes can't be decoded.
#include <collectors/emulated/x86/decode.hpp>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;
using roofmark::Precision;

extern "C" const std::uint8_t roofmark_zoo[];
extern "C" const std::uint8_t roofmark_zoo_end[];

namespace {

constexpr std::size_t slot_bytes = 32;
constexpr long untranslated = -1;

struct Form {
  std::string truth, instruction;

  bool computes() const { return truth.rfind("flop", 0) == 0; }
  long flop() const {
    return computes() ? std::stol(truth.substr(truth.find_last_of(' ') + 1)) : 0;
  }
  /// Works on vector or x87 registers, and so does nothing to the control flow or the stack.
  bool executable() const {
    if (computes() || truth == "compare" || truth == "convert" || truth == "integer_simd")
      return true;
    return truth == "other" && std::regex_search(instruction, std::regex("%[xy]mm|%st"));
  }
};

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

std::vector<Form> zoo() {
  std::vector<Form> forms;
  for (const std::string& line : lines_of(ROOFMARK_X86_ZOO)) {
    const auto colon = line.find(" : ");
    forms.push_back({line.substr(0, colon), line.substr(colon + 3)});
  }
  return forms;
}

/// Where the two readings are known to differ: the FLOPs of intermediate code by instruction.
std::map<std::string, long> known_differences() {
  std::map<std::string, long> known;
  for (const std::string& line : lines_of(ROOFMARK_X86_IR_DIFFERS)) {
    const auto colon = line.find(" : ");
    const std::string value = line.substr(0, colon);
    known[line.substr(colon + 3)] = value == "untranslated" ? untranslated : std::stol(value);
  }
  return known;
}

struct Readings {
  long by_bytes = 0, by_ir = 0;
};

/// What the emulator made of each instruction that has FLOPs either way, by its bytes.
std::map<std::string, Readings> readings(const Run& run) {
  std::map<std::string, Readings> all;
  const std::regex one(R"re(\["([0-9a-f]+)",(\d+),(\d+)\])re");
  const std::size_t start = run.raw.find("\"cross_check\"");
  REQUIRE(start != std::string::npos);
  const std::string text = run.raw.substr(start, run.raw.find('\n', start) - start);
  for (std::sregex_iterator at(text.begin(), text.end(), one), end; at != end; ++at)
    all[(*at)[1]] = {std::stol((*at)[2]), std::stol((*at)[3])};
  return all;
}

std::string digits_of(const std::uint8_t* bytes, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

/// No instruction is the beginning of another, so the length need not be known.
const Readings* find(const std::map<std::string, Readings>& all, const std::uint8_t* slot) {
  for (std::size_t length = 1; length < 16; ++length)
    if (const auto found = all.find(digits_of(slot, length)); found != all.end())
      return &found->second;
  return nullptr;
}

std::uint64_t count(const char* classified_by, const std::string& variant,
                    const std::string& kernel, unsigned n, Precision precision) {
  const Run r = run({program("kernels_" + variant), kernel, std::to_string(n)}, flop_only(), {},
                    {std::string("--classify=") + classified_by});
  REQUIRE(r.wait_status == 0);
  return sum(r, {kernel}).by_precision[precision];
}

}  // namespace

TEST_CASE("intermediate code and bytes agree on every form, but for those that are written down") {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::cerr << "skipped: without AVX2 and FMA the emulator knows fewer instructions\n";
    return;
  }
  const std::vector<Form> forms = zoo();
  std::vector<std::string> command = {program("zoo")};
  std::vector<std::size_t> executed;
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (forms[i].executable()) {
      executed.push_back(i);
      command.push_back(std::to_string(i));
    }
  REQUIRE(executed.size() > 500);
  const Run r = run(command, flop_only(), {}, {"--cross-check=yes"});
  REQUIRE(r.output == std::to_string(executed.size()) + "\n");

  const auto all = readings(r);
  const auto known = known_differences();
  std::size_t compared = 0;
  for (const std::size_t i : executed) {
    const Form& form = forms[i];
    INFO(form.truth << " : " << form.instruction);
    const Readings* got = find(all, roofmark_zoo + i * slot_bytes);
    const auto exception = known.find(form.instruction);
    const bool may_differ = exception != known.end();
    if (got == nullptr) {
      // No FLOP in either reading, or the emulator does not know the instruction.
      const auto decoded = roofmark::x86::decode(roofmark_zoo + i * slot_bytes,
                                                 roofmark::x86::max_instruction_bytes);
      const bool newer = decoded.encoding == roofmark::x86::Encoding::evex;
      const bool as_written =
          !form.computes() || newer || (may_differ && exception->second == untranslated);
      CHECK(as_written);
      continue;
    }
    ++compared;
    CHECK(got->by_bytes == form.flop());
    const bool equal = got->by_ir == form.flop() || (may_differ && got->by_ir == exception->second);
    INFO("by intermediate code: " << got->by_ir);
    CHECK(equal);
  }
  CHECK(compared > 250);
}

TEST_CASE("by intermediate code alone the FLOPs are those of the closed form") {
  const std::string variant = GENERATE("scalar", "sse2", "fma");
  CAPTURE(variant);
  const auto by_ir = [&](const char* kernel, unsigned n, Precision precision) {
    return count("ir", variant, kernel, n, precision);
  };
  CHECK(by_ir("triad", 100003, Precision::f64) == 2 * 100003);
  CHECK(by_ir("dot", 100003, Precision::f64) == 2 * 100003);
  CHECK(by_ir("dgemm", 50, Precision::f64) == 2 * 50 * 50 * 50);
  CHECK(by_ir("stencil", 20, Precision::f64) == 7 * 18 * 18 * 18);
  CHECK(by_ir("sqrt_div", 10000, Precision::f64) == 30000);
  CHECK(by_ir("x87", 10000, Precision::x87) == 30000);
  // Vectorised, it gathers and sums up differently: no closed form.
  CHECK(by_ir("nbody", 64, Precision::f32) == count("bytes", variant, "nbody", 64, Precision::f32));
}

TEST_CASE("by intermediate code alone widths and the FMA share are found again") {
  const auto triad = [](const std::string& variant) {
    return sum(
        run({program("kernels_" + variant), "triad", "100000"}, flop_only(), {}, {"--classify=ir"}),
        {"triad"});
  };
  CHECK(triad("scalar").by_width.at(0) == 200000);
  CHECK(triad("sse2").by_width.at(128) == 200000);
  const Sum fma = triad("fma");
  CHECK(fma.by_width.at(256) == 200000);
  CHECK(fma.fma == 200000);
}

TEST_CASE("a word that an option of the emulator does not know ends the run with a line") {
  for (const std::string word :
       {"--classify=nonsense", "--classify=", "--index=Modulo", "--L1=big"}) {
    INFO(word);
    const Run refused = run({program("kernels_sse2"), "triad", "10"}, flop_only(), {}, {word});
    CHECK(WIFEXITED(refused.wait_status));
    CHECK(WEXITSTATUS(refused.wait_status) == 1);
    CHECK(refused.output.empty());
    CHECK(refused.raw.empty());
    CHECK(refused.errors.find(word.substr(0, word.find('='))) != std::string::npos);
  }
}
