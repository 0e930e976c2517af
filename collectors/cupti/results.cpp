#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "analysis/text/bytes_text.hpp"

namespace roofmark::cupti {
namespace {

using Json = nlohmann::json;

/// What a line lacks; caught where the line's number is known.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void bad(const std::string& key, const char* what) {
  throw BadLine("\"" + key + "\" " + what);
}

/// Code points U+0000..U+00FF back to bytes.
std::string bytes_of(const Json& json, const char* key) {
  if (!json.is_string()) bad(key, "is no string");
  const auto& utf8 = json.get_ref<const std::string&>();
  auto bytes = roofmark::bytes_of_code_points(utf8);
  if (!bytes) bad(key, "holds a character beyond U+00FF");
  return std::move(*bytes);
}

std::uint64_t number_of(const Json& json, const char* key) {
  if (!json.is_number_unsigned()) bad(key, "is no whole number");
  return json.get<std::uint64_t>();
}

/// One line's object.
class Line {
 public:
  explicit Line(const Json& json) : json_(json) {
    if (!json.is_object()) throw BadLine("no JSON object");
  }

  bool has(const char* key) const { return json_.contains(key); }
  const Json& part(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) bad(key, "is missing");
    return *found;
  }
  std::string text(const char* key) const { return bytes_of(part(key), key); }
  template <class Integer = std::uint64_t>
  Integer number(const char* key) const {
    const std::uint64_t value = number_of(part(key), key);
    if (!std::in_range<Integer>(value)) bad(key, "is too large");
    return static_cast<Integer>(value);
  }
  bool yes(const char* key) const {
    const auto value = number(key);
    if (value > 1) bad(key, "is neither 0 nor 1");
    return value == 1;
  }
  double seconds(const char* key) const { return static_cast<double>(number(key)) * 1e-9; }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> list;
    for (const Json& item : array(key)) list.push_back(bytes_of(item, key));
    return list;
  }
  const Json& array(const char* key) const {
    const Json& value = part(key);
    if (!value.is_array()) bad(key, "is no list");
    return value;
  }
  /// Which of the words the text is.
  template <std::size_t count>
  std::size_t word(const char* key, const char* const (&words)[count]) const {
    const std::string found = text(key);
    const auto at = std::find(std::begin(words), std::end(words), found);
    if (at == std::end(words)) bad(key, "is an unknown word");
    return static_cast<std::size_t>(at - std::begin(words));
  }

 private:
  const Json& json_;
};

class Reader {
 public:
  /// True after the last line.
  bool read(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    const Line line(json);
    ++lines_;
    if (lines_ == 1) return header(line), false;
    if (line.has("names")) return path(line), false;
    if (line.has("uuid")) return device(line), false;
    if (line.has("kernel")) return kernel(line), false;
    if (line.has("launch")) return launch(line), false;
    if (line.has("busy")) return busy(line), false;
    if (line.has("copy")) return copy(line), false;
    if (line.has("host")) return host(line), false;
    if (line.has("range")) return range(line), false;
    if (line.has("problem")) return problem(line), false;
    if (line.has("end")) return end(line), true;
    throw BadLine("a line of an unknown kind");
  }

  GpuProcess result;

 private:
  void header(const Line& line) {
    if (line.text("schema") != "roofmark-gpu/1") throw BadLine("not roofmark-gpu/1");
    GpuProcess& p = result;
    p.host = line.text("host");
    p.pid = line.number<std::int64_t>("pid");
    p.ppid = line.number<std::int64_t>("ppid");
    p.sequence = line.number<std::uint32_t>("sequence");
    p.exe = line.text("exe");
    p.driver_version = line.number<int>("driver");
    p.cupti_version = line.number<unsigned>("cupti");
    constexpr const char* kinds[] = {"activity", "counters"};
    p.kind = line.word("kind", kinds) == 0 ? RunKind::activity : RunKind::counters;
    p.set = line.text("set");
    if ((p.kind == RunKind::counters) == p.set.empty())
      throw BadLine("the set of metrics does not fit the kind of run");
    p.begin_s = line.seconds("begin_ns");
    p.markers = line.yes("markers");
  }

  void path(const Line& line) {
    if (line.number<std::size_t>("path") != paths_.size()) throw BadLine("paths are not in order");
    paths_.push_back(line.texts("names"));
  }

  void device(const Line& line) {
    GpuDevice d;
    if (line.number<std::size_t>("device") != result.devices.size())
      throw BadLine("devices are not in order");
    d.uuid = line.text("uuid");
    if (d.uuid.empty()) bad("uuid", "is empty");
    for (const GpuDevice& other : result.devices)
      if (other.uuid == d.uuid) throw BadLine("a device is there twice");
    d.index = line.number<unsigned>("index");
    d.name = line.text("name");
    d.chip = line.text("chip");
    d.compute_major = line.number<unsigned>("compute_major");
    d.compute_minor = line.number<unsigned>("compute_minor");
    d.multiprocessors = line.number<unsigned>("multiprocessors");
    d.memory_bytes = line.number("memory_bytes");
    d.l2_bytes = line.number("l2_bytes");
    d.memory_bus_bits = line.number<unsigned>("memory_bus_bits");
    // The driver speaks of kHz; 0 stands for a clock that it does not tell.
    const auto hertz = [](std::uint64_t khz) {
      return khz == 0 ? std::nullopt : std::optional(static_cast<double>(khz) * 1e3);
    };
    d.sm_clock_hz = hertz(line.number("sm_clock_khz"));
    d.memory_clock_hz = hertz(line.number("memory_clock_khz"));
    d.integrated = line.yes("integrated");
    d.mig = line.yes("mig");
    result.devices.push_back(std::move(d));
  }

  void kernel(const Line& line) {
    needs(RunKind::activity);
    GpuKernel k;
    k.name = line.text("kernel");
    k.device = device_of(line);
    k.path = path_of(line, "path");
    k.launches = at_least_one(line, "launches");
    k.graph_launches = line.number("graph_launches");
    if (k.graph_launches > k.launches) bad("graph_launches", "is more than all launches");
    const auto least = line.number("min_ns"), most = line.number("max_ns"),
               sum = line.number("sum_ns");
    // Not least * launches <= sum: that could overflow.
    if (least > most || most > sum || sum / k.launches < least) bad("sum_ns", "does not fit");
    k.time_s = static_cast<double>(sum) * 1e-9;
    k.min_s = static_cast<double>(least) * 1e-9;
    k.max_s = static_cast<double>(most) * 1e-9;
    std::tie(k.first_start_s, k.last_end_s) = span(line);
    k.grid = three(line, "grid");
    k.block = three(line, "block");
    k.shapes_differ = line.yes("shapes_differ");
    result.kernels.push_back(std::move(k));
  }

  void launch(const Line& line) {
    needs(RunKind::activity);
    GpuLaunch l;
    l.kernel = line.number<std::size_t>("launch");
    if (l.kernel >= result.kernels.size()) bad("launch", "names a kernel that is not there");
    if (line.number("start_ns") > line.number("end_ns")) bad("end_ns", "is before the start");
    l.start_s = line.seconds("start_ns");
    l.end_s = line.seconds("end_ns");
    if (line.has("called_ns")) l.launch_s = line.seconds("called_ns");
    l.context = line.number<std::uint32_t>("context");
    l.stream = line.number<std::uint32_t>("stream");
    l.correlation = line.number<std::uint32_t>("correlation");
    l.graph = line.number<std::uint32_t>("graph");
    result.launches.push_back(l);
  }

  void busy(const Line& line) {
    needs(RunKind::activity);
    GpuBusy b;
    b.path = path_of(line, "busy");
    b.device = device_of(line);
    b.busy_s = line.seconds("ns");
    std::tie(b.first_start_s, b.last_end_s) = span(line);
    b.exact = line.yes("exact");
    if (b.exact && line.number("ns") > line.number("last_ns") - line.number("first_ns"))
      bad("ns", "is longer than the time it lies in");
    result.busy.push_back(std::move(b));
  }

  void copy(const Line& line) {
    needs(RunKind::activity);
    GpuCopy c;
    c.kind = static_cast<CopyKind>(line.word("copy", copy_words));
    c.device = device_of(line);
    if (line.has("peer")) c.peer = device_of(line, "peer");
    c.path = path_of(line, "path");
    c.count = at_least_one(line, "count");
    c.bytes = line.number("bytes");
    c.time_s = line.seconds("ns");
    result.copies.push_back(std::move(c));
  }

  void host(const Line& line) {
    needs(RunKind::activity);
    GpuHostCalls h;
    h.path = path_of(line, "host");
    h.launches = line.number("launches");
    h.launch_s = line.seconds("launch_ns");
    h.waits = line.number("waits");
    h.wait_s = line.seconds("wait_ns");
    result.host_calls.push_back(std::move(h));
  }

  void range(const Line& line) {
    needs(RunKind::counters);
    GpuRange r;
    r.name = line.text("range");
    r.device = device_of(line);
    r.path = path_of(line, "path");
    r.launches = at_least_one(line, "launches");
    const Json& metrics = line.part("metrics");
    if (!metrics.is_object()) bad("metrics", "is no object");
    for (const auto& [name, value] : metrics.items()) {
      if (!value.is_number()) bad(name, "is no number");
      const double number = value.get<double>();
      if (!std::isfinite(number)) bad(name, "is no finite number");
      r.metrics.emplace(name, number);
    }
    r.lacking = line.texts("lacking");
    result.ranges.push_back(std::move(r));
  }

  void problem(const Line& line) {
    const Line inner(line.part("problem"));
    GpuProblem p;
    p.call = inner.text("call");
    p.code = inner.number<int>("code");
    p.name = inner.text("name");
    p.reason = inner.text("reason");
    if (p.reason.empty()) bad("reason", "is empty");
    p.fix = inner.text("fix");
    if (inner.has("device")) p.device = device_of(inner);
    p.count = at_least_one(inner, "count");
    result.problems.push_back(std::move(p));
  }

  void end(const Line& line) {
    GpuProcess& p = result;
    constexpr const char* ends[] = {"exit", "snapshot"};
    p.end = line.word("end", ends) == 0 ? ResultsEnd::exit : ResultsEnd::snapshot;
    if (line.number("lines") != lines_ - 1) bad("lines", "does not fit: some lines are missing");
    p.launches_left_out = line.number("launches_left_out");
    p.launches_unfinished = line.number("launches_unfinished");
    p.records_dropped = line.number("records_dropped");
    p.launches_of_unknown_path = line.number("launches_of_unknown_path");
    p.ranges_dropped = line.number("ranges_dropped");
  }

  void needs(RunKind kind) const {
    if (result.kind != kind) throw BadLine("a line that does not fit the kind of run");
  }
  static std::uint64_t at_least_one(const Line& line, const char* key) {
    const auto value = line.number(key);
    if (value == 0) bad(key, "is 0");
    return value;
  }
  static std::pair<double, double> span(const Line& line) {
    if (line.number("first_ns") > line.number("last_ns")) bad("last_ns", "is before the first");
    return {line.seconds("first_ns"), line.seconds("last_ns")};
  }
  static std::array<std::uint32_t, 3> three(const Line& line, const char* key) {
    const Json& list = line.array(key);
    if (list.size() != 3) bad(key, "needs three numbers");
    std::array<std::uint32_t, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto value = number_of(list[i], key);
      if (!std::in_range<std::uint32_t>(value)) bad(key, "is too large");
      values[i] = static_cast<std::uint32_t>(value);
    }
    return values;
  }
  const LaunchPath& path_of(const Line& line, const char* key) const {
    const auto index = line.number<std::size_t>(key);
    if (index >= paths_.size()) bad(key, "names a path that is not there");
    return paths_[index];
  }
  const std::string& device_of(const Line& line, const char* key = "device") const {
    const auto index = line.number<std::size_t>(key);
    if (index >= result.devices.size()) bad(key, "names a device that is not there");
    return result.devices[index].uuid;
  }

  std::vector<LaunchPath> paths_;
  std::uint64_t lines_ = 0;
};

}  // namespace

Result<GpuProcess> results_from_text(std::string_view text, const std::string& name) {
  if (text.empty())
    return tl::unexpected(Problem{"the GPU's results are empty", name, "record again"});
  Reader reader;
  bool ended = false;
  for (std::size_t at = 1; !text.empty(); ++at) {
    const std::string where = name + ":" + std::to_string(at);
    if (ended) return tl::unexpected(Problem{"there is something behind the end", where, ""});
    const auto stop = text.find('\n');
    // A line that was cut off must not be taken for a whole one.
    if (stop == text.npos)
      return tl::unexpected(Problem{"the line has no end", where, "record again"});
    try {
      ended = reader.read(text.substr(0, stop));
    } catch (const std::exception& wrong) {
      return tl::unexpected(
          Problem{wrong.what(), where, "record again with the same version of Roofmark"});
    }
    text.remove_prefix(stop + 1);
  }
  if (!ended)
    return tl::unexpected(
        Problem{"the GPU's results end early", name, "make room on the disk and record again"});
  return std::move(reader.result);
}

Result<GpuProcess> read_results(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file leaves the stream bad: it is told below.
  if (!file || (!(text << file.rdbuf()) && file.peek() != std::ifstream::traits_type::eof()))
    return tl::unexpected(Problem{"the GPU's results can't be read", name, "record again"});
  return results_from_text(text.str(), name);
}

GpuResultsOfRun read_results_of_run(const std::filesystem::path& directory) {
  GpuResultsOfRun run;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("gpu-") && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  if (error) run.problems.push_back({error.message(), directory.string(), ""});
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    auto process = read_results(file);
    if (process)
      run.processes.push_back(std::move(*process));
    else
      run.problems.push_back(std::move(process.error()));
  }
  std::stable_sort(run.processes.begin(), run.processes.end(),
                   [](const GpuProcess& a, const GpuProcess& b) {
                     return std::tie(a.pid, a.sequence) < std::tie(b.pid, b.sequence);
                   });
  return run;
}

}  // namespace roofmark::cupti
