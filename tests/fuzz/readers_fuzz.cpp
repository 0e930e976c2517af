// Fuzzes the readers of documents: readers_fuzz SECONDS [SEED [keep]]. First the corpus of each
// kind as it is, then its documents with damage: whatever they are, reading ends in a value or in
// one line that says what is wrong, and what was read can be judged, drawn and written again.
#include <unistd.h>
#include <analysis/arena/arena_reader.hpp>
#include <analysis/counters/cpu_identity.hpp>
#include <analysis/counters/event_table.hpp>
#include <analysis/counters/event_tables.hpp>
#include <analysis/import/likwid_profile.hpp>
#include <analysis/import/nsight_profile.hpp>
#include <analysis/import/perf_profile.hpp>
#include <analysis/machine/machine_json.hpp>
#include <analysis/merge/merge_ranks.hpp>
#include <analysis/profile/profile_json.hpp>
#include <analysis/text/plain_text.hpp>
#include <analysis/trace/trace.hpp>
#include <chrono>
#include <collectors/cupti/chip_table.hpp>
#include <collectors/cupti/results.hpp>
#include <collectors/emulated/counts.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "mutation.hpp"
#include "recordings.hpp"

namespace {

namespace fs = std::filesystem;
using namespace roofmark;

constexpr const char* name = "the file";

/// Nothing where it was read, else why not.
using Answer = std::optional<Problem>;

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

/// The text is the second rank of a job whose first is that of the corpus.
Answer read_rank(const std::string& text) {
  static const std::string first = [] {
    std::string rank =
        fuzz::bytes_of(fs::path(SOURCE) / "tests/fuzz/corpus/merge/good/rank_1_of_2.json");
    const std::string number = "\"rank\": 1";
    rank.replace(rank.find(number), number.size(), "\"rank\": 0");
    return rank;
  }();
  RankMerge merge;
  const auto rank_0 = profile_from_json(first, "rank 0");
  if (!rank_0 || merge.add(*rank_0, "rank 0")) give_up("rank 0 of the corpus can't be used");
  const auto rank = profile_from_json(text, name);
  if (!rank) return rank.error();
  if (auto problem = merge.add(*rank, name)) return problem;
  auto job = merge.finish();
  if (!job) return job.error();
  use(std::move(*job));
  return {};
}

Answer read_cpu(const std::string& text) {
  if (!read_cpuinfo(text).empty()) return {};
  return Problem{"it names no processor", name, ""};
}

/// For readers that want a file, and may look for others beside it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("roofmark-fuzz-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const char* file, const std::string& bytes) const {
    std::ofstream(path_ / file, std::ios::binary | std::ios::trunc) << bytes;
    return path_ / file;
  }

 private:
  fs::path path_;
};

const Folder& folder() {
  static const Folder made;
  return made;
}

Answer read_counts_file(const std::string& text) {
  return answer(read_counts(folder().write("counts.jsonl", text)));
}

Answer read_recording(const std::string& bytes) {
  const auto process = read_arena(folder().write("a.arena", bytes));
  if (!process) return process.error();
  for (const RawThread& thread : process->threads)
    for (std::size_t node = 0; node < thread.nodes.size(); ++node) {
      if (thread.nodes[node].parent != RawNode::no_parent && thread.nodes[node].parent >= node)
        give_up("a region stands before the one around it");
      thread.path(node);
    }
  return {};
}

Answer read_visits(const std::string& bytes) {
  const auto process = read_arena(folder().write("b.arena", test::recording_of_a_trace()));
  if (!process) give_up("the recording beside the visits can't be read");
  folder().write("b.trace", bytes);
  const auto trace = read_trace(*process, std::nullopt);
  if (!trace) return trace.error();
  render_trace_events({{"./app"}, {*trace}});
  return {};
}

struct Reader {
  std::string kind;
  std::function<Answer(const std::string&)> read;
  std::vector<fuzz::Document> corpus;
};

/// More true documents than the corpus has of its own.
void add_true(Reader& reader, const fs::path& folder, const std::string& end, std::size_t most) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(end)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths)
    if (most > 0) {
      reader.corpus.push_back({path.filename(), fuzz::bytes_of(path), fuzz::Side::good});
      --most;
    }
}

std::vector<Reader> readers() {
  const fs::path source = SOURCE, tables = EVENT_TABLES;
  const auto known = common_entries_from_json(fuzz::bytes_of(tables / "common.json"), name);
  if (!known) give_up(to_line(known.error()));
  const CommonEntries common = *known;
  const auto event_table = [common](const std::string& text) {
    return answer(event_table_from_json(text, name, common));
  };
  const auto event_common = [](const std::string& text) {
    return answer(common_entries_from_json(text, name));
  };
  const auto chips = [](const std::string& text) {
    return answer(cupti::chip_table_from_json(text, name));
  };
  const auto results = [](const std::string& text) {
    return answer(cupti::results_from_text(text, name));
  };
  std::vector<Reader> all = {
      {"profile", read_profile, {}},
      {"merge", read_rank, {}},
      {"machine", read_machine, {}},
      {"event_table", event_table, {}},
      {"event_common", event_common, {}},
      {"gpu_metrics", chips, {}},
      {"gpu_results", results, {}},
      {"counts", read_counts_file, {}},
      {"cpuinfo", read_cpu, {}},
      {"perf", read_perf, {}},
      {"likwid", read_likwid, {}},
      {"ncu", read_ncu, {}},
      {"arena", read_recording, fuzz::recordings()},
      {"trace", read_visits, fuzz::traces()},
  };
  for (Reader& reader : all) {
    for (fuzz::Document& document : fuzz::documents_in(source / "tests/fuzz/corpus" / reader.kind))
      reader.corpus.push_back(std::move(document));
    if (reader.kind == "profile") add_true(reader, source / "tests/fixtures", ".json", 10);
    if (reader.kind == "profile") add_true(reader, source / "tests/golden", ".json", 20);
    if (reader.kind == "event_table") add_true(reader, tables, "n1.json", 4);
    if (reader.kind == "machine") add_true(reader, source / "tests/examples", ".machine.json", 4);
    if (reader.kind == "gpu_metrics")
      add_true(reader, source / "collectors/cupti", "chips.json", 1);
  }
  return all;
}

/// What is wrong with an answer, as the command would say it; empty: nothing.
std::string fault_of(const Problem& why) {
  const std::string line = text::printable(to_line(why));
  if (why.reason.empty()) return "refused without a reason";
  if (line.find('\n') != std::string::npos) return "more than a line: " + line;
  if (line.size() > 4000) return "a line of " + std::to_string(line.size()) + " bytes";
  return "";
}

/// Each document of the corpus is on the side that it is said to be.
void hold(const Reader& reader) {
  std::size_t good = 0, hostile = 0;
  for (const fuzz::Document& document : reader.corpus) {
    good += document.side == fuzz::Side::good;
    hostile += document.side == fuzz::Side::hostile;
    const Answer why = reader.read(document.bytes);
    if (why && document.side == fuzz::Side::good)
      give_up(document.name + " is refused: " + to_line(*why));
    if (!why && document.side == fuzz::Side::hostile) give_up(document.name + " was read");
    if (why && !fault_of(*why).empty()) give_up(document.name + ": " + fault_of(*why));
  }
  if (good == 0 || hostile == 0) give_up("the corpus of " + reader.kind + " has but one side");
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const std::vector<Reader> all = readers();
  for (const auto& entry : fs::directory_iterator(fs::path(SOURCE) / "tests/fuzz/corpus"))
    if (std::none_of(all.begin(), all.end(),
                     [&](const Reader& reader) { return reader.kind == entry.path().filename(); }))
      give_up("nothing reads the corpus " + entry.path().string());
  for (const Reader& reader : all) {
    hold(reader);
    const auto share = std::chrono::duration<double>(seconds / double(all.size()));
    const auto end = std::chrono::steady_clock::now() + share;
    // Each second time a good one: little of what is hostile already gets past the first lines.
    std::vector<const fuzz::Document*> any, good;
    for (const fuzz::Document& document : reader.corpus) {
      any.push_back(&document);
      if (document.side == fuzz::Side::good) good.push_back(&document);
    }
    unsigned long long rounds = 0, values = 0;
    for (; std::chrono::steady_clock::now() < end; ++rounds) {
      const auto& some = rounds % 2 == 0 ? good : any;
      const std::string text = fuzz::mutated(some[rounds / 2 % some.size()]->bytes, random);
      const std::string kept = "fuzzed.txt";
      // Kept where reading ends otherwise than by its answer.
      if (argc > 3) std::ofstream(kept, std::ios::binary | std::ios::trunc) << text;
      const Answer why = reader.read(text);
      if (!why) {
        ++values;
        continue;
      }
      if (const std::string fault = fault_of(*why); !fault.empty()) {
        std::ofstream(kept, std::ios::binary | std::ios::trunc) << text;
        give_up(reader.kind + ": " + fault + "; the document is kept: " + kept);
      }
    }
    std::printf("%-13s %3zu documents; %llu damaged ones, %llu of them with a value\n",
                reader.kind.c_str(), reader.corpus.size(), rounds, values);
  }
  return 0;
}
