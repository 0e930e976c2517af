// Fuzzes the readers of documents: readers_fuzz SECONDS [SEED]. True documents of each kind with
// damage; whatever they are, reading ends in a value or in one line that says what is wrong, and
// what was read can be judged, drawn and written again.
#include <analysis/counters/event_table.hpp>
#include <analysis/counters/event_tables.hpp>
#include <analysis/import/likwid_profile.hpp>
#include <analysis/import/nsight_profile.hpp>
#include <analysis/import/perf_profile.hpp>
#include <analysis/machine/machine_json.hpp>
#include <analysis/profile/profile_json.hpp>
#include <analysis/text/plain_text.hpp>
#include <chrono>
#include <collectors/cupti/chip_table.hpp>
#include <collectors/cupti/results.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "mutation.hpp"
#include "tests/cupti/results_lines.hpp"

namespace {

namespace fs = std::filesystem;
using namespace roofmark;

constexpr const char* name = "the file";

/// Nothing where it was read, else why not.
using Answer = std::optional<Problem>;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A number that is none must not come out of a reader.
[[noreturn]] void give_up(const std::string& what) {
  std::printf("%s\n", what.c_str());
  std::exit(1);
}

const import::KnownEvents& known_events() {
  static const import::KnownEvents events(load_event_tables({EVENT_TABLES}), {});
  return events;
}

void use(Profile profile) {
  judge(profile);
  const std::string json = to_json(profile);
  if (!profile_from_json(json, name)) give_up("what was written can't be read again");
  for (const std::string& text :
       {render_text(profile), render_csv(profile), render_svg(chart_of(profile)),
        render_icicle(profile), render_openmetrics(profile)})
    if (text.find("nan") != std::string::npos && json.find("nan") == std::string::npos)
      give_up("a report with a number that is none");
}

template <class T>
Answer answer(const Result<T>& result) {
  return result ? Answer() : Answer(result.error());
}

Answer read_profile(const std::string& text) {
  auto profile = profile_from_json(text, name);
  if (!profile) return profile.error();
  use(std::move(*profile));
  return {};
}

Answer read_machine(const std::string& text) {
  const auto machine = machine_from_json(text, name);
  if (machine) render_svg(chart_of(*machine));
  return answer(machine);
}

Answer read_perf(const std::string& text) {
  const auto rows = import::read_perf_stat(text, name);
  if (rows) use(import::profile_of(*rows, name, known_events(), Machine{}, false));
  return answer(rows);
}

Answer read_likwid(const std::string& text) {
  const auto tables = import::read_likwid(text, name);
  if (!tables) return tables.error();
  auto profile = import::profile_of(*tables, name, known_events(), Machine{}, false);
  if (profile) use(*profile);
  return answer(profile);
}

Answer read_ncu(const std::string& text) {
  const auto launches = import::read_nsight(text, name);
  if (!launches) return launches.error();
  auto profile = import::profile_of(*launches, name);
  if (profile) use(*profile);
  return answer(profile);
}

struct Reader {
  std::string kind;
  std::function<Answer(const std::string&)> read;
  std::vector<std::string> seeds;
};

std::vector<std::string> files(const fs::path& folder, const std::string& end, std::size_t most) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(end)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths)
    if (texts.size() < most) texts.push_back(text_of(path));
  return texts;
}

std::vector<Reader> readers() {
  const fs::path source = SOURCE, corpus = source / "tests/fuzz/corpus";
  const auto known =
      common_entries_from_json(text_of(fs::path(EVENT_TABLES) / "common.json"), name);
  if (!known) give_up(to_line(known.error()));
  const CommonEntries common = *known;
  return {
      {"profile", read_profile, files(source / "tests/fixtures", ".json", 10)},
      {"machine", read_machine, {text_of(source / "tests/examples/small_caches.machine.json")}},
      {"event table",
       [common](const std::string& text) {
         return answer(event_table_from_json(text, name, common));
       },
       files(EVENT_TABLES, "n1.json", 4)},
      {"GPU metrics",
       [](const std::string& text) { return answer(cupti::chip_table_from_json(text, name)); },
       {text_of(source / "collectors/cupti/chips.json")}},
      {"GPU results",
       [](const std::string& text) { return answer(cupti::results_from_text(text, name)); },
       {cupti::sample::text_of(cupti::sample::activity_lines()),
        cupti::sample::text_of(cupti::sample::counters_lines())}},
      {"perf stat", read_perf, {text_of(corpus / "perf.csv"), text_of(corpus / "perf.jsonl")}},
      {"likwid-perfctr", read_likwid, {text_of(corpus / "likwid.csv")}},
      {"Nsight Compute", read_ncu, {text_of(corpus / "ncu.csv")}},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  for (const Reader& reader : readers()) {
    if (reader.seeds.empty()) give_up("no document of the kind " + reader.kind);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds / 8);
    unsigned long long rounds = 0, values = 0;
    for (; rounds < reader.seeds.size() || std::chrono::steady_clock::now() < end; ++rounds) {
      const std::string& seed = reader.seeds[rounds % reader.seeds.size()];
      const std::string text = rounds < reader.seeds.size() ? seed : fuzz::mutated(seed, random);
      const std::string kept = "fuzzed.txt";
      // Kept where reading ends otherwise than by its answer.
      if (argc > 3) std::ofstream(kept, std::ios::binary | std::ios::trunc) << text;
      const Answer why = reader.read(text);
      if (!why) {
        ++values;
        continue;
      }
      const std::string line = text::printable(to_line(*why));  // as the command says it
      if (rounds < reader.seeds.size() || why->reason.empty() ||
          line.find('\n') != std::string::npos || line.size() > 4000) {
        std::ofstream(kept, std::ios::binary | std::ios::trunc) << text;
        give_up(reader.kind + ": " + line + "; the document is kept: " + kept);
      }
    }
    std::printf("%-15s %llu documents, %llu of them with a value\n", reader.kind.c_str(), rounds,
                values);
  }
  return 0;
}
