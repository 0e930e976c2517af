// A second opinion: GNU objdump's mnemonics of whole system libraries. Nothing is shared with the
// decoder's tables; what the names say must be what the bytes say.
#include <collectors/emulated/x86/decode.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "catch.hpp"
#include "x86_words.hpp"

using namespace roofmark::x86;

namespace {

struct Rule {
  std::string truth;
  std::regex name;
};

std::vector<Rule> rules() {
  std::ifstream file(ROOFMARK_X86_MNEMONICS);
  std::vector<Rule> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto space = line.find(' ');
    all.push_back(
        {line.substr(0, space), std::regex(line.substr(space + 1), std::regex::optimize)});
  }
  return all;
}

std::string opinion(const std::vector<Rule>& all, const std::string& mnemonic) {
  for (const Rule& rule : all) {
    if (std::regex_match(mnemonic, rule.name)) return rule.truth;
  }
  return "other";
}

std::string in_the_rules_words(const Instruction& i) {
  std::istringstream words(x86_tests::words(i));
  std::string kind, precision, width;
  words >> kind >> precision >> width;
  if (kind != "flop") return kind;
  return kind + ":" + precision + (width == "0" ? ":s" : ":p");
}

std::optional<std::string> first_existing(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

struct Listing {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe;
  explicit Listing(const std::string& object)
      : pipe(popen(("LC_ALL=C objdump -d --insn-width=15 " + object + " 2>/dev/null").c_str(), "r"),
             pclose) {}
};

// "  12ab:\tc5 f5 58 c2 \tvaddpd %ymm2,%ymm1,%ymm0"
bool parse(const std::string& line, std::vector<std::uint8_t>& bytes, std::string& mnemonic) {
  const auto first = line.find('\t');
  if (first == std::string::npos || line.find(':') > first) return false;
  const auto second = line.find('\t', first + 1);
  if (second == std::string::npos) return false;
  bytes.clear();
  std::istringstream hex(line.substr(first + 1, second - first - 1));
  for (std::string byte; hex >> byte;)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(byte, nullptr, 16)));
  std::istringstream text(line.substr(second + 1));
  static const std::regex prefix(
      "(lock|rep|repz|repnz|data16|addr32|cs|ds|es|fs|gs|ss|notrack|bnd|xacquire|xrelease|rex[."
      "WRXB]*)");
  while (text >> mnemonic && std::regex_match(mnemonic, prefix)) {
  }
  return !bytes.empty() && !mnemonic.empty();
}

}  // namespace

TEST_CASE("the decoder agrees with objdump on the instructions of libm and libc") {
  if (std::system("objdump --version > /dev/null 2>&1") != 0) {
    WARN("skipped: objdump is not installed (package binutils)");
    return;
  }
  const std::vector<std::vector<std::string>> libraries = {
      {"/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6"},
      {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6"}};
  const std::vector<Rule> all = rules();
  std::unordered_map<std::string, std::string> known;
  std::map<std::string, std::string> disagreements;
  std::size_t instructions = 0, flops = 0;
  for (const auto& places : libraries) {
    const auto library = first_existing(places);
    if (!library) continue;
    const Listing listing(*library);
    REQUIRE(listing.pipe != nullptr);
    char buffer[1024];
    std::vector<std::uint8_t> bytes;
    std::string mnemonic;
    while (std::fgets(buffer, sizeof buffer, listing.pipe.get()) != nullptr) {
      if (!parse(buffer, bytes, mnemonic)) continue;
      const Instruction i = decode(bytes.data(), bytes.size());
      if (i.encoding == Encoding::evex || i.encoding == Encoding::xop) continue;  // the zoo's
      if (mnemonic == "(bad)" || mnemonic[0] == '.') continue;
      auto found = known.find(mnemonic);
      if (found == known.end()) found = known.emplace(mnemonic, opinion(all, mnemonic)).first;
      ++instructions;
      if (i.kind == Kind::flop) ++flops;
      const std::string ours = in_the_rules_words(i);
      if (ours != found->second)
        disagreements.emplace(mnemonic + ": " + ours + ", by name " + found->second, buffer);
    }
  }
  if (instructions == 0) {
    WARN("skipped: no libm or libc where they are looked for");
    return;
  }
  for (const auto& [what, line] : disagreements) UNSCOPED_INFO(what << "  in " << line);
  CHECK(disagreements.empty());
  CHECK(instructions > 100'000);
  CHECK(flops > 5'000);
}
