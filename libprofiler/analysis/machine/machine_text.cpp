#include "machine_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/text/plain_text.hpp"
#include "size_text.hpp"

namespace roofmark {
namespace {

constexpr double giga = 1e9;

/// Three significant digits without an exponent: "8.16", "65.4", "1030".
std::string short_number(double value) {
  const double size = std::fabs(value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string counted(unsigned count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "~" for a noisy number, "!" for one that a check doubts.
char mark(const std::vector<std::string>& flags) {
  const bool noisy = std::find(flags.begin(), flags.end(), "noisy") != flags.end();
  if (flags.size() > (noisy ? 1U : 0U)) return '!';
  return noisy ? '~' : ' ';
}

bool stands_apart(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(),
                     [](const std::string& flag) { return flag.starts_with("core_kind:"); });
}

/// Words of `text` in lines of `width`, the first after `first`, the others after as many spaces.
std::string wrapped(const std::string& first, const std::string& text, unsigned width) {
  std::string out = first;
  std::size_t column = first.size();
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column + word.size() + 1 > width && column > first.size()) {
      out += "\n" + std::string(first.size(), ' ');
      column = first.size();
    } else if (column > first.size()) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out + "\n";
}

class MachineText {
 public:
  MachineText(const Machine& machine, const MachineTextOptions& options)
      : machine_(machine), options_(options) {
    for (const ComputeCeiling& ceiling : machine.compute)
      if (ceiling.scope == "machine") most_threads_ = std::max(most_threads_, ceiling.threads);
  }

  std::string render() {
    head();
    caches();
    compute();
    curve();
    bandwidths();
    apart();
    legend();
    gpus();
    notes();
    return std::move(out_);
  }

 private:
  std::string identity(const char* key) const {
    const auto found = machine_.identity.find(key);
    return found == machine_.identity.end() ? "" : found->second;
  }

  void head() {
    const std::string model = identity("cpu_model");
    out_ += (model.empty() ? "Unknown processor" : model) + "\n";
    const Topology& t = machine_.topology;
    std::string line =
        fmt::format("{}, {}, {}", counted(t.cores, "core"), counted(t.sockets, "socket"),
                    counted(t.numa_nodes, "NUMA node"));
    for (const auto& [kind, count] : t.core_kinds) line += fmt::format(", {} {}", count, kind);
    if (t.smt > 1) line += fmt::format(", {} hardware threads each", t.smt);
    if (const std::string host = identity("virtual"); !host.empty() && host != "no")
      line += ", virtual (" + host + ")";
    if (machine_.clock_hz) line += fmt::format(", {:.2f} GHz seen", *machine_.clock_hz / giga);
    out_ += wrapped("", line, options_.width);
    if (!machine_.measured_at.empty()) out_ += "measured at " + machine_.measured_at + "\n";
  }

  void caches() {
    if (machine_.topology.caches.empty()) return;
    out_ += fmt::format("\n{:<10}{:>12}{:>12}{:>12}{:>12}\n", "cache", "reported", "ours",
                        "latency", "cores");
    for (const CacheLevel& cache : machine_.topology.caches)
      out_ += fmt::format(
          "{:<10}{:>12}{:>12}{:>12}{:>12}\n", cache.name,
          size_text(static_cast<double>(cache.bytes)),
          cache.confirmed_bytes ? size_text(static_cast<double>(*cache.confirmed_bytes)) : absent(),
          cache.latency_s ? short_number(*cache.latency_s * giga) + " ns" : absent(),
          cache.shared_by);
  }

  std::string absent() const { return "-"; }

  const ComputeCeiling* find(Precision precision, const std::string& isa, Operation operation,
                             bool machine_scope, bool sustained) const {
    for (const ComputeCeiling& c : machine_.compute)
      if (c.precision == precision && c.isa == isa && c.operation == operation &&
          c.sustained == sustained && !stands_apart(c.flags) &&
          (machine_scope ? c.scope == "machine" && c.threads == most_threads_ : c.scope == "core"))
        return &c;
    return nullptr;
  }

  static std::string cell(const ComputeCeiling* c, bool per_cycle = false) {
    if (c == nullptr || (per_cycle && c->flop_per_cycle <= 0)) return fmt::format("{:>9} ", "-");
    return fmt::format("{:>9}{}",
                       short_number(per_cycle ? c->flop_per_cycle : c->flop_per_s / giga),
                       per_cycle ? ' ' : mark(c->flags));
  }

  void compute() {
    if (machine_.compute.empty()) return;
    const std::string many = counted(most_threads_, "core");
    out_ += fmt::format("\n{:<17}{:>19} {:>19} {:>19}\n", "compute", "one core, GFLOP/s",
                        "one core, per cycle", many + ", GFLOP/s");
    out_ += fmt::format("{:<17}", "");
    for (int i = 0; i < 3; ++i) out_ += fmt::format("{:>9} {:>9} ", "f64", "f32");
    end_line();
    std::vector<std::pair<std::string, Operation>> rows;
    for (const ComputeCeiling& c : machine_.compute)
      if (std::find(rows.begin(), rows.end(), std::pair(c.isa, c.operation)) == rows.end())
        rows.emplace_back(c.isa, c.operation);
    std::vector<std::string> isas;
    for (const auto& row : rows)
      if (std::find(isas.begin(), isas.end(), row.first) == isas.end()) isas.push_back(row.first);
    // Widest first, and within it the fastest operation first.
    std::reverse(isas.begin(), isas.end());
    std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      const auto place = [&](const std::string& isa) {
        return std::find(isas.begin(), isas.end(), isa) - isas.begin();
      };
      return std::tuple(place(a.first), a.second) < std::tuple(place(b.first), b.second);
    });
    for (const auto& [isa, operation] : rows) compute_row(isa, operation, false);
    for (const auto& [isa, operation] : rows) compute_row(isa, operation, true);
  }

  void compute_row(const std::string& isa, Operation operation, bool sustained) {
    const ComputeCeiling* one[2] = {find(Precision::f64, isa, operation, false, sustained),
                                    find(Precision::f32, isa, operation, false, sustained)};
    const ComputeCeiling* all[2] = {find(Precision::f64, isa, operation, true, sustained),
                                    find(Precision::f32, isa, operation, true, sustained)};
    if (one[0] == nullptr && one[1] == nullptr && all[0] == nullptr && all[1] == nullptr) return;
    out_ += fmt::format("{:<17}",
                        isa + " " + std::string(spelling(operation)) + (sustained ? " 1 s" : ""));
    out_ += cell(one[0]) + cell(one[1]) + cell(one[0], true) + cell(one[1], true) + cell(all[0]) +
            cell(all[1]);
    end_line();
  }

  /// FMA peak and memory read bandwidth over the number of cores.
  void curve() {
    std::vector<std::string> parts;
    std::set<unsigned> threads;
    for (const ComputeCeiling& c : machine_.compute) threads.insert(c.threads);
    if (threads.size() <= 2) return;
    // Of several kinds of memory that of the cores' own was measured first.
    const auto own = std::find_if(machine_.bandwidth.begin(), machine_.bandwidth.end(),
                                  [&](const auto& b) { return is_memory(b.level); });
    const std::string memory = own == machine_.bandwidth.end() ? "memory" : own->level;
    for (const unsigned n : threads) {
      double flop = 0, bytes = 0;
      for (const ComputeCeiling& c : machine_.compute)
        if (c.threads == n && c.precision == Precision::f64 && !c.sustained)
          flop = std::max(flop, c.flop_per_s);
      for (const BandwidthCeiling& b : machine_.bandwidth)
        if (b.threads == n && b.pattern == "read" && b.level == memory)
          bytes = std::max(bytes, b.interface_bytes_per_s);
      out_ += n == *threads.begin() ? fmt::format("\n{:<10}{:>20}{:>22}\n", "cores", "f64 GFLOP/s",
                                                  memory + " read, GB/s")
                                    : "";
      out_ += fmt::format("{:<10}{:>20}{:>22}\n", n, short_number(flop / giga),
                          bytes > 0 ? short_number(bytes / giga) : absent());
    }
  }

  bool is_memory(const std::string& level) const { return !level.starts_with("L"); }

  void bandwidths() {
    std::vector<std::pair<std::string, unsigned>> scopes;
    for (const BandwidthCeiling& b : machine_.bandwidth) {
      const std::pair scope(b.scope, b.threads);
      const bool curve_only = b.scope == "machine" && b.threads != most_threads_;
      if (!curve_only && std::find(scopes.begin(), scopes.end(), scope) == scopes.end())
        scopes.push_back(scope);
    }
    for (const auto& [scope, threads] : scopes) bandwidth_table(scope, threads);
  }

  /// The page size of a ceiling whose level was measured in larger pages too; 0 otherwise.
  double smaller_pages(const BandwidthCeiling& ceiling) const {
    for (const BandwidthCeiling& other : machine_.bandwidth)
      if (other.level == ceiling.level && other.page_bytes > ceiling.page_bytes &&
          ceiling.page_bytes > 0)
        return ceiling.page_bytes;
    return 0;
  }

  void bandwidth_table(const std::string& scope, unsigned threads) {
    std::vector<const BandwidthCeiling*> shown;
    for (const BandwidthCeiling& b : machine_.bandwidth)
      if (b.scope == scope && b.threads == threads && !stands_apart(b.flags)) shown.push_back(&b);
    out_ += "\n";
    bandwidth_rows(cores_text(scope, threads) + ", GB/s", shown);
  }

  static std::string cores_text(const std::string& scope, unsigned threads) {
    return scope == "core" ? "one core" : counted(threads, "core");
  }

  /// What tells a row from others of its table.
  std::string label_of(const BandwidthCeiling& b) const {
    std::string label = b.level;
    if (b.level == "L1" && !b.isa.empty()) label += " " + b.isa;
    if (b.placement == "remote" && b.memory_node) label += fmt::format(", node {}", *b.memory_node);
    const double page_bytes = b.placement.empty() ? smaller_pages(b) : 0;
    return page_bytes > 0 ? label + ", " + size_text(page_bytes) : label;
  }

  void bandwidth_rows(const std::string& title, const std::vector<const BandwidthCeiling*>& shown) {
    constexpr const char* patterns[] = {"read",     "write",   "copy",    "triad",
                                        "write_nt", "copy_nt", "triad_nt"};
    out_ += fmt::format("{:<17}", title);
    for (const char* pattern : patterns) out_ += fmt::format("{:>8} ", pattern);
    end_line();
    std::vector<std::string> labels;
    for (const BandwidthCeiling* b : shown)
      if (std::find(labels.begin(), labels.end(), label_of(*b)) == labels.end())
        labels.push_back(label_of(*b));
    for (const std::string& label : labels) {
      out_ += fmt::format("{:<17}", label);
      for (const char* pattern : patterns) {
        const BandwidthCeiling* found = nullptr;
        for (const BandwidthCeiling* b : shown)
          if (b->pattern == pattern && label_of(*b) == label) found = b;
        out_ += found == nullptr
                    ? fmt::format("{:>8} ", "")
                    : fmt::format("{:>8}{}", short_number(found->interface_bytes_per_s / giga),
                                  mark(found->flags));
      }
      end_line();
    }
  }

  /// Remote memory and the hardware threads of a core.
  void apart() {
    std::vector<std::pair<std::string, unsigned>> scopes;
    std::vector<const BandwidthCeiling*> siblings;
    for (const BandwidthCeiling& b : machine_.apart_bandwidth) {
      const std::pair scope(b.scope, b.threads);
      if (b.placement == "smt") siblings.push_back(&b);
      if (b.placement == "remote" && std::find(scopes.begin(), scopes.end(), scope) == scopes.end())
        scopes.push_back(scope);
    }
    if (!scopes.empty())
      out_ += "\n" +
              wrapped("", "Apart, and never a roof: memory of another NUMA node", options_.width);
    for (const auto& [scope, threads] : scopes) {
      std::vector<const BandwidthCeiling*> shown;
      for (const BandwidthCeiling& b : machine_.apart_bandwidth)
        if (b.placement == "remote" && b.scope == scope && b.threads == threads)
          shown.push_back(&b);
      bandwidth_rows(cores_text(scope, threads) + ", GB/s", shown);
    }
    if (siblings.empty() && machine_.apart_compute.empty()) return;
    const unsigned threads =
        siblings.empty() ? machine_.apart_compute.front().threads : siblings.front()->threads;
    out_ += "\n" + wrapped("",
                           fmt::format("Apart, and never a roof: all {} hardware threads of one "
                                       "core",
                                       threads),
                           options_.width);
    if (!machine_.apart_compute.empty())
      out_ += fmt::format("{:<17}{:>9} {:>9}\n", "GFLOP/s", "f64", "f32");
    std::vector<std::string> isas;
    for (const ComputeCeiling& c : machine_.apart_compute)
      if (std::find(isas.begin(), isas.end(), c.isa) == isas.end()) isas.push_back(c.isa);
    for (const std::string& isa : isas) {
      const ComputeCeiling* found[2] = {nullptr, nullptr};
      for (const ComputeCeiling& c : machine_.apart_compute)
        if (c.isa == isa && c.operation == Operation::fma &&
            (c.precision == Precision::f64 || c.precision == Precision::f32))
          found[c.precision == Precision::f32 ? 1 : 0] = &c;
      out_ += fmt::format("{:<17}", isa + " fma") + cell(found[0]) + cell(found[1]);
      end_line();
    }
    if (!siblings.empty()) bandwidth_rows(counted(threads, "thread") + ", GB/s", siblings);
  }

  void legend() {
    if (machine_.bandwidth.empty()) return;
    out_ += "\n";
    out_ +=
        wrapped("",
                "Bandwidths count what crosses the interface: beyond L1 a stored line is first "
                "read and later written back, so a program's own bytes are 1/2 of write, 2/3 of "
                "copy and 3/4 of triad. Each number is the p90 of many short windows.",
                options_.width);
    for (const BandwidthCeiling& ceiling : machine_.bandwidth)
      if (const double page_bytes = smaller_pages(ceiling); page_bytes > 0) {
        out_ +=
            wrapped("",
                    fmt::format("A row with {} is of memory in pages of that size, of main memory "
                                "the median: a program is held against the rows of the pages "
                                "it had.",
                                size_text(page_bytes)),
                    options_.width);
        break;
      }
    bool noisy = false, doubted = false;
    auto look = [&](const auto& ceilings) {
      for (const auto& ceiling : ceilings) {
        noisy = noisy || mark(ceiling.flags) == '~';
        doubted = doubted || mark(ceiling.flags) == '!';
      }
    };
    look(machine_.compute);
    look(machine_.bandwidth);
    look(machine_.apart_compute);
    look(machine_.apart_bandwidth);
    if (noisy) out_ += "~ noisy: even the fastest windows disagree by more than 5 %\n";
    if (doubted) out_ += "! a check doubts it: see the notes and the flags in --json\n";
  }

  /// One line for each quantity: the ceiling that stands first, and where it comes from.
  void gpus() {
    for (const Gpu& gpu : machine_.gpus) {
      std::string line =
          fmt::format("GPU {}: {}, {} SMs, {}", gpu.name, gpu.uuid, gpu.multiprocessors,
                      size_text(static_cast<double>(gpu.memory_bytes)));
      if (gpu.sm_clock_hz) line += fmt::format(", {:.2f} GHz", *gpu.sm_clock_hz / giga);
      out_ += "\n" + wrapped("", line, options_.width);
      std::string before;
      for (const GpuCeiling& ceiling : gpu.ceilings) {
        if (ceiling.quantity == before) continue;
        before = ceiling.quantity;
        const bool bytes = ceiling.quantity.starts_with("bytes.");
        const bool integers = ceiling.quantity.starts_with("tensor.i");
        out_ +=
            fmt::format("  {:<14}{:>10} {}{}{:<14} {}\n", ceiling.quantity,
                        short_number(ceiling.per_s / (1000 * giga)),
                        bytes      ? "TB/s  "
                        : integers ? "Top/s "
                                   : "TFLOP/s",
                        bytes || integers ? " " : "", mark(ceiling.flags) + (" " + ceiling.pattern),
                        spelling(ceiling.source));
      }
      for (const std::string& note : gpu.notes)
        out_ += wrapped(options_.utf8 ? "- " : "* ", note, options_.width);
    }
  }

  void notes() {
    if (machine_.notes.empty()) return;
    out_ += "\n";
    for (const std::string& note : machine_.notes)
      out_ += wrapped(options_.utf8 ? "- " : "* ", note, options_.width);
  }

  void end_line() {
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += "\n";
  }

  const Machine& machine_;
  const MachineTextOptions& options_;
  unsigned most_threads_ = 1;
  std::string out_;
};

/// A machine file may come from anywhere: no control character of its names reaches a terminal.
std::string safe(const std::string& text, bool utf8) {
  std::string lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    lines += (utf8 ? text::printable(line) : text::printable_ascii(line)) + "\n";
  return lines;
}

}  // namespace

std::string render_machine_text(const Machine& machine, const MachineTextOptions& options) {
  return safe(MachineText(machine, options).render(), options.utf8);
}

}  // namespace roofmark
