#include "gpu_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "roof_share.hpp"
#include "text_regions.hpp"

namespace roofmark::report {
using namespace text;

namespace {

constexpr std::array<const char*, 8> titles = {"Kernels",   "Busy",   "Idle", "With CPU",
                                               "Launching", "Copied", "Roof", "Verdict"};
constexpr const char* explanation =
    "Busy: any of its kernels ran, those of regions inside it too; where several did, once. Idle: "
    "none did, from the first one's start to the last one's end. With CPU: of busy, its thread was "
    "at work meanwhile. Launching: the host was in calls that launch. Copied: between memories, "
    "fills included. Roof and verdict are of its kernels together.";

std::string time_text(const std::optional<Measure>& time, bool utf8) {
  if (!time) return "-";
  return duration(Interval{time->value, time->low, time->high}, utf8);
}

std::string copied(const GpuShare& share) {
  if (share.copies.empty()) return "-";
  double bytes = 0;
  for (const auto& [kind, copies] : share.copies) bytes += static_cast<double>(copies.bytes);
  return with_prefix(bytes, "B");
}

std::array<std::string, 8> cells_of(const Region& region, const GpuShare& share, bool utf8) {
  const Roofline* line = inclusive_roofline(region, locus_of_device(share.device));
  std::string verdict = line != nullptr ? std::string(spelling(line->verdict)) : "-";
  std::replace(verdict.begin(), verdict.end(), '_', ' ');
  if (line != nullptr && !line->verdict_detail.empty() && line->verdict_detail.size() < 10)
    verdict += " " + line->verdict_detail;
  const auto busy_s = share.busy_s ? std::optional(share.busy_s->value) : std::nullopt;
  const auto roof = line != nullptr ? share_beside_verdict(*line, busy_s) : std::nullopt;
  const auto& calls = share.calls ? share.calls : region.gpu_calls;
  return {whole(static_cast<double>(share.launches)),
          time_text(share.busy_s, utf8),
          time_text(share.idle_s, utf8),
          time_text(share.overlap_s, utf8),
          calls ? duration(calls->launch_s, utf8) : "-",
          copied(share),
          roof ? roof_percent(*line, *roof) : "-",
          utf8 ? printable(verdict) : printable_ascii(verdict)};
}

bool has_shares(const Profile& profile) {
  return std::any_of(profile.regions.begin(), profile.regions.end(),
                     [](const Region& region) { return !region.kernel && !region.gpu.empty(); });
}

bool several(const Profile& profile) {
  return loci_of(profile).size() > 2 || profile.machine.gpus.size() > 1;
}

/// "HtoD 1.2 GB in 3 copies (0.1 s)", over the whole program and by device.
std::vector<std::string> copy_sentences(const Profile& profile) {
  std::vector<std::string> sentences;
  for (const Region& region : profile.regions) {
    if (!region.path.empty()) continue;
    for (const GpuShare& share : region.gpu) {
      std::string text;
      for (const auto& [kind, copies] : share.copies)
        text += fmt::format("{}{} {} in {} ({})", text.empty() ? "" : ", ", kind,
                            with_prefix(static_cast<double>(copies.bytes), "B"), copies.count,
                            duration(copies.time_s));
      if (!text.empty()) sentences.push_back(gpu_name(profile, share.device) + " copied: " + text);
    }
  }
  return sentences;
}

}  // namespace

std::string gpu_name(const Profile& profile, const std::string& uuid) {
  const Gpu* gpu = gpu_of(profile.machine, uuid);
  if (gpu == nullptr || gpu->name.empty()) return printable(uuid);
  return printable(gpu->name) + (several(profile) ? " (" + printable(uuid) + ")" : "");
}

std::string gpu_text(const Profile& profile, const std::vector<RegionRow>& rows,
                     const TextOptions& options) {
  if (!has_shares(profile)) return "";
  std::vector<TextColumn> columns = {{"  Region", false, 400, 0, true}};
  const bool devices = several(profile);
  if (devices) columns.push_back({"GPU", false, 12, 1, false});
  for (std::size_t i = 0; i < titles.size(); ++i)
    columns.push_back({titles[i], i + 1 < titles.size(), 14, i == 3 || i == 5 ? 2 : 0, false});
  TextTable table(columns);
  for (const std::size_t index : heaviest(profile, rows, options.rows)) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    if (region.kernel) continue;
    for (const GpuShare& share : region.gpu) {
      std::vector<TextCell> line = {
          {"  " + (options.utf8 ? printable(row.path) : printable_ascii(row.path)), ""}};
      if (devices) line.push_back({elided(printable(share.device), 12, options.utf8), ""});
      for (std::string& cell : cells_of(region, share, options.utf8))
        line.push_back({std::move(cell), ""});
      table.add(std::move(line));
    }
  }
  std::string text = table.render(options.width, options.utf8, options.colour) +
                     indented(explanation, 2, 2, options.width);
  for (const std::string& sentence : copy_sentences(profile))
    text += indented(options.utf8 ? sentence : printable_ascii(sentence), 2, 2, options.width);
  return text;
}

std::string gpu_html(const Profile& profile, const std::vector<RegionRow>& rows,
                     const std::vector<std::size_t>& shown) {
  if (!has_shares(profile)) return "";
  const bool devices = several(profile);
  std::string text =
      "<h2>GPU</h2>\n<div class=\"scroll\"><table id=\"gpu\"><thead><tr>"
      "<th class=\"left\" scope=\"col\">Region</th>";
  if (devices) text += "<th class=\"left\" scope=\"col\">GPU</th>";
  for (const char* title : titles) text += fmt::format("<th scope=\"col\">{}</th>", title);
  text += "</tr></thead>\n<tbody>\n";
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    if (region.kernel) continue;
    for (const GpuShare& share : region.gpu) {
      text += fmt::format("<tr><td class=\"left\">{}</td>", markup(row.path));
      if (devices) text += fmt::format("<td class=\"left\">{}</td>", markup(share.device));
      for (const std::string& cell : cells_of(region, share, true))
        text += fmt::format("<td>{}</td>", markup(cell));
      text += "</tr>\n";
    }
  }
  text += fmt::format("</tbody></table></div>\n<p>{}</p>\n", markup(explanation));
  for (const std::string& sentence : copy_sentences(profile))
    text += fmt::format("<p>{}</p>\n", markup(sentence));
  return text;
}

}  // namespace roofmark::report
