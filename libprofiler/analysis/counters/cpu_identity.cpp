#include "cpu_identity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/text/parsing.hpp"

namespace roofmark {
namespace {

using namespace text;

/// "2.2 (pvr 004e 1202)": the upper half is the processor, the lower its revision.
std::optional<std::uint64_t> pvr_of(std::string_view revision) {
  const std::size_t at = revision.find("(pvr ");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = revision.substr(at + 5);
  return whole_number<std::uint64_t>(rest.substr(0, rest.find(' ')), 16);
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t blank = std::min(list.find(' '), list.size());
    if (list.substr(0, blank) == word) return true;
    list.remove_prefix(std::min(blank + 1, list.size()));
  }
  return false;
}

/// One line of /proc/cpuinfo, of whichever architecture.
void take(CpuIdentity& cpu, std::string_view key, std::string_view value) {
  if (key == "vendor_id") cpu.vendor = value;
  if (key == "cpu family") cpu.family = code_number(value);
  if (key == "model") cpu.model = code_number(value);
  if (key == "stepping") cpu.stepping = code_number(value);
  if (key == "model name") cpu.title = value;
  if (key == "flags") cpu.hypervisor = has_word(value, "hypervisor");
  if (key == "CPU implementer") cpu.implementer = code_number(value);
  if (key == "CPU part") cpu.part = code_number(value);
  if (key == "cpu" && cpu.title.empty()) cpu.title = value;
  if (key == "revision") cpu.pvr = pvr_of(value);
  if (key == "mvendorid") cpu.mvendorid = code_number(value);
  if (key == "marchid") cpu.marchid = code_number(value);
  if (key == "uarch") cpu.uarch = value;
}

bool says_something(const CpuIdentity& cpu) {
  return !cpu.vendor.empty() || cpu.implementer || cpu.pvr || cpu.mvendorid || !cpu.uarch.empty();
}

void add(std::vector<CpuIdentity>& kinds, const CpuIdentity& cpu) {
  if (!says_something(cpu)) return;
  const auto known = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const CpuIdentity& kind) { return kind.same_kind(cpu); });
  if (known == kinds.end())
    kinds.push_back(cpu);
  else
    known->processors += cpu.processors;
}

}  // namespace

bool CpuIdentity::same_kind(const CpuIdentity& other) const {
  return vendor == other.vendor && family == other.family && model == other.model &&
         stepping == other.stepping && implementer == other.implementer && part == other.part &&
         pvr == other.pvr && mvendorid == other.mvendorid && marchid == other.marchid &&
         uarch == other.uarch;
}

std::string to_text(const CpuIdentity& cpu) {
  std::string text = cpu.vendor;
  const auto put = [&](std::string_view word, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(word) + " " + value;
  };
  if (cpu.family) put("family", fmt::format("{}", *cpu.family));
  if (cpu.model) put("model", fmt::format("{}", *cpu.model));
  if (cpu.stepping) put("stepping", fmt::format("{}", *cpu.stepping));
  if (cpu.implementer) put("implementer", fmt::format("{:#04x}", *cpu.implementer));
  if (cpu.part) put("part", fmt::format("{:#05x}", *cpu.part));
  if (cpu.pvr) put("pvr", fmt::format("{:#06x}", *cpu.pvr));
  if (cpu.mvendorid) put("mvendorid", fmt::format("{:#x}", *cpu.mvendorid));
  if (cpu.marchid) put("marchid", fmt::format("{:#x}", *cpu.marchid));
  if (!cpu.uarch.empty()) put("uarch", cpu.uarch);
  return text;
}

std::vector<CpuIdentity> read_cpuinfo(std::string_view text) {
  std::vector<CpuIdentity> kinds;
  CpuIdentity cpu;
  // Old kernels of 32-bit Arm say what all processors are once, below the list of them.
  unsigned processors = 0;
  const auto finish = [&] {
    cpu.processors = processors;
    add(kinds, cpu);
    // The kind that follows has processors of its own.
    if (says_something(cpu)) processors = 0;
    cpu = {};
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    if (key == "processor") {
      finish();
      ++processors;
    } else {
      take(cpu, key, trimmed(line.substr(colon + 1)));
    }
  }
  finish();
  return kinds;
}

}  // namespace roofmark
