#include <cxxabi.h>

#include <algorithm>
#include <analysis/symbols/names.hpp>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace roofmark::symbols {
namespace {

constexpr std::size_t longest_arguments = 24;

/// Where the bracket that opens at `at` is closed; npos: nowhere.
std::size_t closing(const std::string& text, std::size_t at) {
  const char open = text[at];
  const char close = open == '(' ? ')' : '>';
  int depth = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == open) ++depth;
    // "->" closes nothing.
    if (text[i] == close && !(close == '>' && i > 0 && text[i - 1] == '-') && --depth == 0)
      return i;
  }
  return std::string::npos;
}

bool follows(const std::string& text, std::size_t at, std::string_view word) {
  return text.compare(at, word.size(), word) == 0;
}

/// The operator's own signs, which are no brackets; 0: no operator stands here.
std::size_t operator_length(const std::string& text, std::size_t at) {
  constexpr std::string_view word = "operator";
  if (!follows(text, at, word)) return 0;
  if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_'))
    return 0;
  for (const std::string_view sign :
       {"()", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=", "->*", "->", "<", ">"})
    if (follows(text, at + word.size(), sign)) return word.size() + sign.size();
  return 0;
}

/// How a compiler changed a function (`.isra`, `.constprop`) says nothing to who reads a report;
/// that it is the body of a parallel region does.
std::string telling_clone(const std::string& clone) {
  return clone.find("._omp_fn") != std::string::npos ? clone : "";
}

}  // namespace

std::string demangled(const std::string& symbol) {
  if (symbol.compare(0, 2, "_Z") != 0) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

std::string shortened(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size();) {
    if (const std::size_t length = operator_length(name, i); length != 0) {
      result += name.substr(i, length);
      i += length;
      if (i < name.size() && name[i] == ' ') ++i;  // `operator<< <char>`
      continue;
    }
    const char c = name[i];
    if (follows(name, i, "(anonymous namespace)")) {
      result += "(anonymous)";
      i += std::string_view("(anonymous namespace)").size();
    } else if (c == '{') {  // {lambda(int)#1}
      const std::size_t end = name.find('}', i);
      const std::size_t number = name.find('#', i);
      if (end == std::string::npos) break;
      result += "{lambda" + (number < end ? name.substr(number, end - number) : "") + "}";
      i = end + 1;
    } else if (c == '<') {
      const std::size_t end = closing(name, i);
      if (end == std::string::npos) break;
      const std::string arguments = name.substr(i + 1, end - i - 1);
      result += arguments.size() <= longest_arguments ? "<" + arguments + ">" : "<...>";
      i = end + 1;
    } else if (c == '(') {  // parameters: what follows them counts only where a scope does
      const std::size_t end = closing(name, i);
      if (end == std::string::npos) break;
      const std::size_t scope = name.find("::", end);
      const std::size_t clone = name.find(" [clone ", end);
      if (scope == std::string::npos || scope > clone) {
        if (clone != std::string::npos) result += telling_clone(name.substr(clone));
        break;
      }
      i = scope;
    } else if (c == ' ') {
      // A return type stands before the name, and a blank between them; not the blank of a
      // clone, which is a compiler's affair.
      if (follows(name, i, " [clone ")) {
        result += telling_clone(name.substr(i));
        break;
      }
      result.clear();
      ++i;
    } else {
      result += c;
      ++i;
    }
  }
  return result.empty() ? name : result;
}

std::string home_of_part(const std::string& symbol) {
  const std::size_t at = symbol.find(".cold");
  return at == std::string::npos || at == 0 ? symbol : symbol.substr(0, at);
}

std::string without_processor(const std::string& symbol) {
  constexpr std::array<std::string_view, 38> words{
      "sse2",      "sse3",      "ssse3",       "sse4",        "sse41",      "sse42",
      "sse4_1",    "sse4_2",    "avx",         "avx2",        "avx512",     "avx512f",
      "avx512vl",  "avx512bw",  "avx512_skx",  "avx512_spr",  "evex",       "evex512",
      "fma",       "fma3",      "fma4",        "rtm",         "erms",       "haswell",
      "skylakex",  "zen",       "sandybridge", "nehalem",     "cooperlake", "sapphirerapids",
      "barcelona", "bulldozer", "piledriver",  "steamroller", "excavator",  "prescott",
      "core2",     "unaligned"};
  std::string lowered = symbol;
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string stem;
  bool found = false;
  std::size_t at = 0;
  while (at <= lowered.size()) {
    const std::size_t end = std::min(lowered.find('_', at), lowered.size());
    // A few words have a `_` of their own.
    std::string word = lowered.substr(at, end - at);
    std::size_t next = end + 1;
    if (end < lowered.size()) {
      const std::size_t second = std::min(lowered.find('_', end + 1), lowered.size());
      const std::string both = lowered.substr(at, second - at);
      if (std::find(words.begin(), words.end(), both) != words.end()) {
        word = both;
        next = second + 1;
      }
    }
    if (std::find(words.begin(), words.end(), word) != words.end())
      found = true;
    else
      stem += symbol.substr(at, end - at) + "_";
    at = next;
  }
  return found ? stem : "";
}

}  // namespace roofmark::symbols
