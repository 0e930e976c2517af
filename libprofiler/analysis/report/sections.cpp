#include "sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/profile/profile_fields.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "chart_ceilings.hpp"
#include "flag_words.hpp"
#include "numbers.hpp"
#include "rank_table.hpp"

namespace roofmark::report {
namespace {

using namespace text;

/// A sentence that someone else began: with one full stop at its end.
std::string stopped(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text.empty() ? text : text + ".";
}

constexpr double told_waiting = 0.1;

}  // namespace

std::string command_line(const Program& program) {
  std::string text;
  for (const std::string& word : program.command) text += (text.empty() ? "" : " ") + word;
  return text.empty() ? "(unknown command)" : text;
}

std::vector<std::string> run_facts(const Profile& profile) {
  std::vector<std::string> facts;
  const auto& identity = profile.machine.identity;
  if (const auto model = identity.find("cpu_model"); model != identity.end())
    // A device's ceilings are of all of it.
    facts.push_back(identity.count("kind") > 0
                        ? model->second
                        : fmt::format("{}, {} core{}", model->second,
                                      profile.machine.topology.cores,
                                      profile.machine.topology.cores == 1 ? "" : "s"));
  if (std::string job = job_text(profile.program); !job.empty()) facts.push_back(std::move(job));
  if (!profile.program.host.empty()) facts.push_back("on " + profile.program.host);
  if (!profile.program.started.empty()) facts.push_back(profile.program.started);
  if (const Figure time = run_time(profile)) facts.push_back(duration(time.value()));
  // Where that is much, nothing below holds of a quiet machine: it stands before all numbers.
  if (const auto share = profile.program.waited_share; share && *share >= told_waiting)
    facts.push_back(fmt::format("waited {} of its time for a core", percent_text(*share)));
  if (const auto& sampling = profile.sampling)
    facts.push_back(fmt::format(
        "no regions were marked: functions found by sampling ({} samples at {:.0f} Hz{})",
        sampling->samples, sampling->frequency_hz,
        sampling->means == "timer" ? ", by timers: perf is denied" : ""));
  if (profile.program.exit_status == unknown_exit_status)
    facts.push_back("exit status not known");
  else if (profile.program.exit_status != 0)
    facts.push_back(fmt::format("ended with status {}", profile.program.exit_status));
  return facts;
}

std::vector<Explanation> explanations(const Profile& profile, const std::string& level,
                                      std::size_t most) {
  std::vector<RegionRow> rows = rows_of(profile, {true, level});
  std::erase_if(rows, [](const RegionRow& row) {
    return !row.roofline || row.roofline->why.empty() ||
           row.roofline->verdict == Verdict::too_small || !(time_away_from_roof(row) > 0);
  });
  std::stable_sort(rows.begin(), rows.end(), [](const RegionRow& a, const RegionRow& b) {
    return time_away_from_roof(a) > time_away_from_roof(b);
  });
  if (rows.size() > most) rows.resize(most);
  const Figure total = run_time(profile);
  std::vector<Explanation> explained;
  for (const RegionRow& row : rows) {
    const double away = time_away_from_roof(row);
    Explanation entry;
    entry.region = row.region;
    entry.path = row.path + (row.leaf ? "" : ", itself");
    const double spread = spread_of_time_away(row);
    entry.facts = duration(within_share(away, spread)) + " more than its roof needs";
    if (total && total.value() > 0)
      entry.facts += fmt::format(" ({} of the run)", percent_text(away / total.value(), spread));
    if (const std::string place = place_text(profile.regions[row.region]); !place.empty())
      entry.facts += "; at " + place;
    if (const auto& clock = profile.regions[row.region].clock_hz)
      entry.facts += "; clock " + clock_text(*clock) + (row.leaf ? "" : ", with children");
    entry.why = row.roofline->why;
    for (const Advice& advice : row.roofline->advice) {
      std::string text = advice.text;
      if (advice.gain && std::isfinite(*advice.gain))
        text = stopped(text) +
               fmt::format(" At most {}.", gain_text(*advice.gain, row.roofline->uncertainty));
      if (!advice.falsifier.empty()) text += " Wrong if: " + stopped(advice.falsifier);
      entry.tries.push_back(text);
    }
    entry.notes = row.roofline->notes;
    explained.push_back(std::move(entry));
  }
  return explained;
}

std::string place_text(const Region& region) {
  if (!region.code) return "";
  const CodePlace& code = *region.code;
  if (code.file.empty() || code.first_line == 0) return printable(code.object);
  std::string text = printable(code.file) + fmt::format(":{}", code.first_line);
  if (code.last_line > code.first_line) text += fmt::format("-{}", code.last_line);
  return text;
}

std::string clock_text(const Measure& clock_hz) {
  const auto hz = [](double value) { return with_prefix(value, "Hz"); };
  std::string text = hz(clock_hz.value);
  if (clock_hz.low && clock_hz.high && hz(*clock_hz.low) != hz(*clock_hz.high))
    text = hz(*clock_hz.low) + " to " + hz(*clock_hz.high);
  else if (clock_hz.low && !clock_hz.high)
    text = "at least " + text;
  return text + ", " + std::string(spelling(clock_hz.source));
}

std::string sentence(const Absences::Entry& entry, std::size_t regions) {
  std::string text = fmt::format("{}", fmt::join(entry.quantities, ", "));
  if (text.empty()) text = "number";
  if (entry.paths.size() == 1)
    text += " of " + elided(*entry.paths.begin(), 40);
  else if (entry.paths.size() == regions)
    text += " of every region";
  else
    text += fmt::format(" of {} regions", entry.paths.size());
  text += ": " + stopped(entry.reason);
  if (!entry.fix.empty()) text += " To change it: " + stopped(entry.fix);
  return text;
}

std::vector<std::string> flag_sentences(const Profile& profile, std::size_t most_named) {
  std::map<std::string, std::vector<std::string>> regions;
  for (const Region& region : profile.regions)
    for (const std::string& flag : region.flags) regions[flag].push_back(path_text(region.path));
  std::vector<std::string> sentences;
  for (const auto& [flag, paths] : regions) {
    std::string text = flag;
    if (const auto meaning = meaning_of_flag(flag); !meaning.empty())
      text += fmt::format(" ({})", meaning);
    text += ": ";
    const std::size_t named = most_named == 0 ? paths.size() : std::min(most_named, paths.size());
    for (std::size_t i = 0; i < named; ++i) text += (i > 0 ? ", " : "") + elided(paths[i], 40);
    if (paths.size() > named) text += fmt::format(" and {} more", paths.size() - named);
    sentences.push_back(text);
  }
  return sentences;
}

std::vector<std::string> function_sentences(const Profile& profile) {
  // Those of one library by the same means are one sentence.
  std::map<std::string, std::set<std::string>> names;
  for (const Region& region : profile.regions) {
    if (!region.function || region.path.empty()) continue;
    const CalledFunction& function = *region.function;
    std::string how = function.timed_by.empty() ? "not timed" : "timed by " + function.timed_by;
    if (!function.timed_by.empty() && function.cost_s)
      how += fmt::format(" ({} a call)", duration(*function.cost_s));
    how += function.counted_by.empty() ? ", not counted" : ", counted by " + function.counted_by;
    if (region.visits_source == Source::counted) how += ", as are its visits";
    names[fmt::format("of {}: {}", printable(function.object), how)].insert(
        printable(region.path.back()));
  }
  constexpr std::size_t most_named = 6;
  std::vector<std::string> sentences;
  for (const auto& [rest, functions] : names) {
    std::string list;
    std::size_t named = 0;
    for (const std::string& name : functions) {
      if (++named > most_named) break;
      list += (list.empty() ? "" : ", ") + name;
    }
    if (functions.size() > most_named)
      list += fmt::format(" and {} more", functions.size() - most_named);
    sentences.push_back(list + " " + rest);
  }
  return sentences;
}

std::vector<std::string> pass_sentences(const Profile& profile) {
  std::vector<std::string> sentences;
  for (const Pass& pass : profile.passes) {
    std::string text =
        fmt::format("{} by {}: {}", pass.purpose, pass.collector, duration(pass.wall_s));
    if (pass.exit_status && *pass.exit_status != 0)
      text += fmt::format(", ended with status {}", *pass.exit_status);
    if (pass.coverage < 1)
      text += fmt::format(", saw {} of the visits", percent_text(pass.coverage));
    if (!pass.note.empty()) text += "; " + pass.note;
    sentences.push_back(text);
  }
  // A region's marker time holds that of its descendants.
  double whole = 0, roots = 0;
  for (const Region& region : profile.regions) {
    if (!std::isfinite(region.marker_s) || region.path.size() > 1) continue;
    (region.path.empty() ? whole : roots) += region.marker_s;
  }
  const double markers = std::max(whole, roots);
  if (markers <= 0) return sentences;
  std::string text = "markers: " + duration(markers);
  if (const Figure total = run_time(profile); total && total.value() > 0)
    text += fmt::format(" ({} of the run)", percent_text(markers / total.value()));
  sentences.push_back(text + ", subtracted from the times above");
  return sentences;
}

std::vector<std::string> note_sentences(const Profile& profile) {
  std::vector<std::string> notes = profile.notes;
  const bool is_said = std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.starts_with("No roof: ") || note.starts_with("This machine's ceilings are not");
  });
  // Of kernels alone the roof is their GPU's.
  const bool gpu_alone = is_gpu(profile.machine) && !profile.machine.gpus.front().ceilings.empty();
  if (!is_said && !gpu_alone && profile.machine.compute.empty() &&
      profile.machine.bandwidth.empty())
    notes.push_back("No roof: the profile holds no ceilings of a machine (`roofmark machine`).");
  notes.insert(notes.end(), profile.machine.notes.begin(), profile.machine.notes.end());
  for (const Gpu& gpu : profile.machine.gpus)
    for (const std::string& note : gpu.notes) {
      std::string line = (gpu.name.empty() ? gpu.uuid : gpu.name) + ": " + note;
      // GPUs of one kind have the same ones.
      if (std::find(notes.begin(), notes.end(), line) == notes.end())
        notes.push_back(std::move(line));
    }
  return notes;
}

namespace {

/// Those in which regions of the host have FLOPs.
std::set<Precision> precisions_in(const Profile& profile, const std::vector<RegionRow>& rows) {
  std::set<Precision> precisions;
  for (const RegionRow& row : rows)
    if (profile.regions[row.region].kernel)
      continue;
    else if (const auto precision = parse_word<Precision>(row.precision);
             precision && *precision != Precision::any)
      precisions.insert(*precision);
  if (precisions.empty()) precisions.insert(Precision::f64);
  return precisions;
}

}  // namespace

std::vector<ChartCeiling> own_roof(const Profile& profile, const std::vector<RegionRow>& rows) {
  std::vector<ChartCeiling> lines = chart_ceilings(profile.machine, precisions_in(profile, rows));
  std::erase_if(lines, [](const ChartCeiling& line) { return !line.emphasised; });
  return lines;
}

std::vector<ChartCeiling> other_ceilings(const Profile& profile,
                                         const std::vector<RegionRow>& rows) {
  std::vector<ChartCeiling> lines = every_ceiling(profile.machine, precisions_in(profile, rows));
  const std::vector<ChartCeiling> own = own_roof(profile, rows);
  std::erase_if(lines, [&](const ChartCeiling& line) {
    return std::any_of(own.begin(), own.end(), [&](const ChartCeiling& one) {
      return one.kind == line.kind && one.per_s.value == line.per_s.value &&
             one.cores == line.cores && line.name.starts_with(one.name);
    });
  });
  return lines;
}

std::vector<ChartCeiling> own_roof_of(const Profile& profile, const Gpu& gpu) {
  std::set<Precision> precisions;
  std::set<std::string> tensor;
  for (const Region& region : profile.regions) {
    if (!region.kernel || region.kernel->device != gpu.uuid) continue;
    for (const auto& [precision, count] : region.work.flop)
      if (count.value > 0) precisions.insert(precision);
    for (const auto& [type, count] : region.work.tensor)
      if (count.value > 0) tensor.insert(type);
  }
  if (precisions.empty()) precisions.insert(Precision::f32);
  std::vector<ChartCeiling> lines = gpu_chart_ceilings(machine_of(gpu), precisions, tensor);
  std::erase_if(lines, [](const ChartCeiling& line) { return !line.emphasised; });
  return lines;
}

std::string spread_of(const Interval& ceiling) {
  constexpr const char* unknown = "spread not known";
  if (!ceiling.low || !ceiling.high || !(ceiling.value > 0)) return unknown;
  const double below = std::min(0.0, *ceiling.low / ceiling.value - 1);
  const double above = std::max(0.0, *ceiling.high / ceiling.value - 1);
  if (!(above > below)) return unknown;  // given, or of one look
  constexpr double least_told = 0.001;
  if (above < least_told && below > -least_told) return "within " + percent(least_told);
  const auto told = [](double end) { return percent(std::round(end / least_told) * least_told); };
  return fmt::format("{} to +{}", told(below), told(above));
}

}  // namespace roofmark::report
