// JSON lines by hand: the target has no JSON library. Names are raw bytes, written as the code
// points U+0000..U+00FF.
#include <charconv>
#include <cmath>
#include <string_view>

#include "snapshot.hpp"

namespace roofmark::cupti {
namespace {

class Lines {
 public:
  Lines& begin() {
    text_ += '{';
    first_ = true;
    return *this;
  }
  void end() {
    text_ += "}\n";
    ++count_;
  }
  Lines& key(std::string_view name) {
    if (!first_) text_ += ',';
    first_ = false;
    string(name);
    text_ += ':';
    return *this;
  }
  template <class Integer>
  Lines& number(std::string_view name, Integer value) {
    key(name);
    digits(value);
    return *this;
  }
  /// A time of a clock that never is before 0.
  Lines& time(std::string_view name, std::int64_t ns) { return number(name, ns < 0 ? 0 : ns); }
  Lines& text(std::string_view name, std::string_view value) {
    key(name);
    string(value);
    return *this;
  }
  Lines& texts(std::string_view name, const std::vector<std::string>& values) {
    key(name);
    text_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) text_ += ',';
      string(values[i]);
    }
    text_ += ']';
    return *this;
  }
  Lines& three(std::string_view name, const std::array<std::uint32_t, 3>& values) {
    key(name);
    for (std::size_t i = 0; i < 3; ++i) {
      text_ += i == 0 ? '[' : ',';
      digits(values[i]);
    }
    text_ += ']';
    return *this;
  }
  Lines& values(std::string_view name, const std::map<std::string, double>& values) {
    key(name);
    text_ += '{';
    first_ = true;
    for (const auto& [metric, value] : values)
      if (std::isfinite(value)) key(metric).digits(value);
    text_ += '}';
    first_ = false;
    return *this;
  }
  Lines& open(std::string_view name) {
    key(name);
    text_ += '{';
    first_ = true;
    return *this;
  }
  Lines& close() {
    text_ += '}';
    first_ = false;
    return *this;
  }
  std::uint64_t count() const { return count_; }
  std::string take() { return std::move(text_); }

 private:
  template <class Number>
  void digits(Number value) {
    char buffer[40];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    if (error == std::errc()) text_.append(buffer, end);
  }
  void string(std::string_view bytes) {
    constexpr char hexadecimal[] = "0123456789abcdef";
    text_ += '"';
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == '"' || byte == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20 || byte > 0x7E) {
        text_ += "\\u00";
        text_ += hexadecimal[byte >> 4];
        text_ += hexadecimal[byte & 15];
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  std::uint64_t count_ = 0;
  bool first_ = true;
};

void header(Lines& out, const Snapshot& s) {
  out.begin()
      .text("schema", "roofmark-gpu/1")
      .text("host", s.host)
      .number("pid", s.pid)
      .number("ppid", s.ppid)
      .number("sequence", s.sequence)
      .text("exe", s.exe)
      .number("driver", s.driver_version)
      .number("cupti", s.cupti_version)
      .text("kind", s.kind == RunKind::activity ? "activity" : "counters")
      .text("set", s.set)
      .time("begin_ns", s.begin_ns)
      .number("markers", s.markers ? 1 : 0)
      .end();
}

void devices(Lines& out, const Snapshot& s) {
  std::size_t number = 0;
  for (const DeviceRow& d : s.devices)
    out.begin()
        .number("device", number++)
        .text("uuid", d.uuid)
        .number("index", d.index)
        .text("name", d.name)
        .text("chip", d.chip)
        .number("compute_major", d.compute_major)
        .number("compute_minor", d.compute_minor)
        .number("multiprocessors", d.multiprocessors)
        .number("memory_bytes", d.memory_bytes)
        .number("l2_bytes", d.l2_bytes)
        .number("memory_bus_bits", d.memory_bus_bits)
        .number("sm_clock_khz", d.sm_clock_khz)
        .number("memory_clock_khz", d.memory_clock_khz)
        .number("integrated", d.integrated ? 1 : 0)
        .number("mig", d.mig ? 1 : 0)
        .end();
}

void kernels(Lines& out, const Snapshot& s) {
  for (const KernelRow& k : s.kernels)
    out.begin()
        .text("kernel", k.name)
        .number("device", k.device)
        .number("path", k.path)
        .number("launches", k.launches)
        .number("graph_launches", k.graph_launches)
        .number("sum_ns", k.sum_ns)
        .number("min_ns", k.min_ns)
        .number("max_ns", k.max_ns)
        .time("first_ns", k.first_ns)
        .time("last_ns", k.last_ns)
        .three("grid", k.grid)
        .three("block", k.block)
        .number("shapes_differ", k.shapes_differ ? 1 : 0)
        .end();
  for (const LaunchRow& l : s.launches) {
    out.begin()
        .number("launch", l.kernel)
        .time("start_ns", l.start_ns)
        .time("end_ns", l.end_ns)
        .number("context", l.context)
        .number("stream", l.stream)
        .number("correlation", l.correlation)
        .number("graph", l.graph);
    if (l.called_ns) out.time("called_ns", *l.called_ns);
    out.end();
  }
  for (const BusyRow& b : s.busy)
    out.begin()
        .number("busy", b.path)
        .number("device", b.device)
        .number("ns", b.busy_ns)
        .time("first_ns", b.first_ns)
        .time("last_ns", b.last_ns)
        .number("exact", b.exact ? 1 : 0)
        .end();
}

void calls(Lines& out, const Snapshot& s) {
  for (const CopyRow& c : s.copies) {
    out.begin().text("copy", spelling(c.kind)).number("device", c.device);
    if (c.peer) out.number("peer", *c.peer);
    out.number("path", c.path)
        .number("count", c.count)
        .number("bytes", c.bytes)
        .number("ns", c.ns)
        .end();
  }
  for (const HostRow& h : s.host_calls)
    out.begin()
        .number("host", h.path)
        .number("launches", h.launches)
        .number("launch_ns", h.launch_ns)
        .number("waits", h.waits)
        .number("wait_ns", h.wait_ns)
        .end();
}

void ranges(Lines& out, const Snapshot& s) {
  for (const RangeRow& r : s.ranges)
    out.begin()
        .text("range", r.name)
        .number("device", r.device)
        .number("path", r.path)
        .number("launches", r.launches)
        .values("metrics", r.metrics)
        .texts("lacking", r.lacking)
        .end();
}

void problems(Lines& out, const Snapshot& s) {
  for (const ProblemRow& p : s.problems) {
    out.begin()
        .open("problem")
        .text("call", p.call)
        .number("code", p.code < 0 ? 0 : p.code)
        .text("name", p.name)
        .text("reason", p.reason)
        .text("fix", p.fix)
        .number("count", p.count);
    if (p.device) out.number("device", *p.device);
    out.close().end();
  }
}

}  // namespace

std::string to_text(const Snapshot& s) {
  Lines out;
  header(out, s);
  for (std::size_t number = 0; number < s.paths.size(); ++number)
    out.begin().number("path", number).texts("names", s.paths[number]).end();
  devices(out, s);
  kernels(out, s);
  calls(out, s);
  ranges(out, s);
  problems(out, s);
  const std::uint64_t lines = out.count();
  out.begin()
      .text("end", s.end == ResultsEnd::exit ? "exit" : "snapshot")
      .number("lines", lines)
      .number("launches_left_out", s.totals.launches_left_out)
      .number("launches_unfinished", s.totals.launches_unfinished)
      .number("records_dropped", s.totals.records_dropped)
      .number("launches_of_unknown_path", s.totals.launches_of_unknown_path)
      .number("ranges_dropped", s.totals.ranges_dropped)
      .end();
  return out.take();
}

}  // namespace roofmark::cupti
