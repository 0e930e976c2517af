#include "counts.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "analysis/files/full_disk.hpp"
#include "analysis/text/bytes_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::json;

/// What a line lacks; caught where the line's number is known.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Code points U+0000..U+00FF back to bytes.
std::string bytes_of(const Json& json) {
  if (!json.is_string()) throw BadLine("a string is missing");
  const auto& utf8 = json.get_ref<const std::string&>();
  auto bytes = roofmark::bytes_of_code_points(utf8);
  if (!bytes) throw BadLine("a name holds a character beyond U+00FF");
  return std::move(*bytes);
}

std::uint64_t number_of(const Json& json) {
  if (!json.is_number_unsigned()) throw BadLine("a number is missing or not a whole one");
  return json.get<std::uint64_t>();
}

const Json& part(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw BadLine(std::string("\"") + key + "\" is missing");
  return *found;
}

std::string text(const Json& object, const char* key) {
  return bytes_of(part(object, key));
}
std::uint64_t number(const Json& object, const char* key) {
  return number_of(part(object, key));
}
template <class Integer>
Integer number_as(const Json& object, const char* key) {
  return static_cast<Integer>(number(object, key));
}

std::vector<std::string> texts(const Json& array) {
  if (!array.is_array()) throw BadLine("a list is missing");
  std::vector<std::string> list;
  for (const Json& item : array) list.push_back(bytes_of(item));
  return list;
}

CountedTraffic traffic_of(const Json& a) {
  const auto exact = [](std::uint64_t n) { return CountRange{n, n, n}; };
  if (!a.is_array()) throw BadLine("bytes of a level are no list");
  if (a.size() == 2) return {exact(number_of(a[0])), exact(number_of(a[1]))};
  if (a.size() != 6) throw BadLine("bytes of a level need 2 or 6 numbers");
  return {{number_of(a[0]), number_of(a[1]), number_of(a[2])},
          {number_of(a[3]), number_of(a[4]), number_of(a[5])}};
}

ComputeClass class_of(const Json& a) {
  if (!a.is_array() || a.size() != 4) throw BadLine("an entry of the mix needs 4 parts");
  const auto precision = parse_word<Precision>(bytes_of(a[0]));
  const auto operation = parse_word<Operation>(bytes_of(a[2]));
  if (!precision || !operation) throw BadLine("an entry of the mix has an unknown word");
  return {*precision, static_cast<unsigned>(number_of(a[1])), *operation, number_of(a[3])};
}

void read_header(const Json& line, ProcessCounts& p) {
  if (text(line, "schema") != "roofmark-counts/1") throw BadLine("not roofmark-counts/1");
  p.pid = number_as<std::int64_t>(line, "pid");
  p.ppid = number_as<std::int64_t>(line, "ppid");
  p.sequence = number_as<std::uint32_t>(line, "sequence");
  if (line.contains("rank")) p.rank = number_as<std::uint32_t>(line, "rank");
  p.exe = text(line, "exe");
  p.arguments = texts(part(line, "arguments"));
  p.context = texts(part(line, "context"));
  const Json& isa = part(line, "isa");
  p.isa_host = text(isa, "host");
  p.isa_emulated = text(isa, "emulated");
  p.isa_executed = text(isa, "executed");
  p.isa_queried_by = texts(part(isa, "queried_by"));
  p.cpu_identity_of_host = number(line, "cpu_identity_of_host") != 0;
  p.fma_by_host = number(line, "fma_by_host") != 0;
  p.caches = text(line, "caches");
  if (line.contains("sampling")) p.sampling = text(line, "sampling");
  for (const Json& level : part(line, "geometry"))
    p.geometry.push_back({text(level, "name"), number(level, "bytes"),
                          number_as<std::uint32_t>(level, "ways"),
                          number_as<std::uint32_t>(level, "line_bytes")});
}

void read_thread(const Json& line, ProcessCounts& p) {
  CountedThread t;
  t.serial = number_as<std::uint32_t>(line, "thread");
  t.tid = number_as<std::uint32_t>(line, "tid");
  if (line.contains("creator")) t.creator = number_as<std::uint32_t>(line, "creator");
  p.threads.push_back(t);
}

void read_region(const Json& line, ProcessCounts& p) {
  RegionCounts r;
  r.path = texts(part(line, "region"));
  r.thread = number_as<std::uint32_t>(line, "thread");
  r.visits = number(line, "visits");
  r.flags = texts(part(line, "flags"));
  for (const Json& entry : part(line, "mix")) r.mix.push_back(class_of(entry));
  for (const auto& [name, value] : part(line, "operations").items())
    r.operations.emplace(name, number_of(value));
  for (const auto& [name, value] : part(line, "bytes").items())
    r.bytes.emplace(name, traffic_of(value));
  if (line.contains("declared")) {
    r.declared_flop = number(line["declared"], "flop");
    r.declared_bytes = number(line["declared"], "bytes");
  }
  p.regions.push_back(std::move(r));
}

PlaceCounts place_of(const Json& line) {
  PlaceCounts c;
  c.function = text(line, "function");
  c.object = text(line, "object");
  c.file = text(line, "file");
  if (line.contains("line")) c.line = number_as<std::uint32_t>(line, "line");
  c.flop = number(line, "flop");
  c.load_bytes = number(line, "load_bytes");
  c.store_bytes = number(line, "store_bytes");
  return c;
}

void read_end(const Json& line, ProcessCounts& p) {
  const std::string word = text(line, "end");
  p.end = word == "exit" ? CountsEnd::exit : word == "exec" ? CountsEnd::exec : CountsEnd::snapshot;
}

/// True after the last line.
bool read_line(const std::string& line, bool first, ProcessCounts& p) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw BadLine("no JSON object");
  if (first) {
    read_header(json, p);
  } else if (json.contains("region")) {
    read_region(json, p);
  } else if (json.contains("line")) {
    p.lines.push_back(place_of(json));
  } else if (json.contains("function")) {
    p.functions.push_back(place_of(json));
  } else if (json.contains("thread")) {
    read_thread(json, p);
  } else if (json.contains("note")) {
    p.notes.push_back(text(json, "note"));
  } else if (json.contains("end")) {
    read_end(json, p);
    return true;
  }
  return false;
}

}  // namespace

bool ProcessCounts::isa_differs() const {
  return isa_host != isa_emulated && !isa_queried_by.empty();
}

Result<ProcessCounts> read_counts(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return tl::unexpected(Problem{"the counts can't be read", path.filename().string(),
                                  "run the counted pass again"});
  ProcessCounts counts;
  std::string line;
  std::size_t at = 0;
  bool ended = false;
  while (!ended && std::getline(file, line)) {
    ++at;
    try {
      ended = read_line(line, at == 1, counts);
    } catch (const std::exception& bad) {
      const bool cut = file.peek() == std::ifstream::traits_type::eof();
      if (cut && full_disk(path.parent_path())) break;
      return tl::unexpected(
          Problem{bad.what(), path.filename().string() + ":" + std::to_string(at),
                  "run the counted pass again with the same version of Roofmark"});
    }
  }
  if (at > 0 && ended) return counts;
  const auto full = full_disk(path.parent_path());
  const std::string where = path.filename().string();
  if (full)
    return tl::unexpected(Problem{
        (at == 0 ? "the process left no counts: " : "the counts end early: ") + full->reason,
        at == 0 ? where : where + ":" + std::to_string(at), full->remedy});
  if (at == 0)
    return tl::unexpected(Problem{
        "the process left no counts: it was killed before it wrote them, or could write no "
        "file any more (a disk that was full then, or a limit on their sizes that it set itself)",
        where, "make room where TMPDIR lies, or set it to another disk"});
  return tl::unexpected(Problem{"the counts end early", where + ":" + std::to_string(at),
                                "run the counted pass again, and leave it to its end"});
}

CountsOfPass read_counts_of_pass(const std::filesystem::path& directory) {
  CountsOfPass pass;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("counts-") && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  if (error) {
    pass.problems.push_back({error.message(), directory.string(), ""});
    return pass;
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    auto counts = read_counts(file);
    // A snapshot stands where the end could not be written.
    const auto reason = unwritten(file);
    if (reason)
      pass.problems.push_back(*reason);
    else if (!counts)
      pass.problems.push_back(counts.error());
    if (counts) pass.processes.push_back(std::move(*counts));
  }
  // Parents first: by depth in the tree of processes, then by pid and image.
  const auto depth = [&](const ProcessCounts& p) {
    std::size_t levels = 0;
    std::int64_t parent = p.ppid;
    for (bool found = true; found && levels <= pass.processes.size(); ++levels) {
      const auto up = std::find_if(pass.processes.begin(), pass.processes.end(),
                                   [&](const ProcessCounts& q) { return q.pid == parent; });
      found = up != pass.processes.end() && up->ppid != parent;
      if (found) parent = up->ppid;
    }
    return levels;
  };
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < pass.processes.size(); ++i)
    order.emplace_back(depth(pass.processes[i]), i);
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const auto& p = pass.processes[a.second];
    const auto& q = pass.processes[b.second];
    return std::tuple(a.first, p.pid, p.sequence) < std::tuple(b.first, q.pid, q.sequence);
  });
  std::vector<ProcessCounts> sorted;
  sorted.reserve(order.size());
  for (const auto& [level, index] : order) sorted.push_back(std::move(pass.processes[index]));
  pass.processes = std::move(sorted);
  return pass;
}

}  // namespace roofmark
