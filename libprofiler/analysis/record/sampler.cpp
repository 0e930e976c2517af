#include <dirent.h>

#include <algorithm>
#include <analysis/files/proc_text.hpp>
#include <analysis/files/read_small.hpp>
#include <analysis/record/gpu_signs.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/sampler.hpp>
#include <analysis/text/parsing.hpp>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string>

namespace roofmark {
namespace {

constexpr std::size_t most_samples = 4096;
constexpr double largest_share = 0.02;
/// A program that lasts a tenth of a second would else end before it was looked at often enough to
/// tell on how many cores its regions ran. The first looks together take some milliseconds.
constexpr std::size_t first_looks = 64;
constexpr double largest_share_at_first = 0.05;
/// More processes than this are looked at no more: their threads would take the recorder's time.
constexpr std::size_t most_processes = 64;

std::vector<pid_t> numbers(std::string_view text) {
  std::vector<pid_t> result;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc()) result.push_back(number);
    at = next > at ? next : at + 1;
  }
  return result;
}

class Directory {
 public:
  explicit Directory(const std::string& path) : handle_(opendir(path.c_str())) {}
  ~Directory() {
    if (handle_ != nullptr) closedir(handle_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const dirent* next() { return handle_ != nullptr ? readdir(handle_) : nullptr; }

 private:
  DIR* handle_;
};

struct Found {
  pid_t pid = 0, parent = 0;
};

/// Adds the threads of `process`, and its children to `queue`; `waited` gets what each thread
/// waited for a core.
void look_at(Found process, PlacementSample& sample, std::vector<Found>& queue,
             std::vector<std::pair<pid_t, double>>& waited) {
  const pid_t pid = process.pid;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
  Directory directory(tasks);
  while (const dirent* entry = directory.next()) {
    if (entry->d_name[0] == '.') continue;
    const std::string task = tasks + entry->d_name;
    PlacementSample::Thread thread;
    char state = 0;
    if (!parse_stat(read_small(task + "/stat"), state, thread.processor)) continue;
    if (state == 'Z' || state == 'X') continue;  // it has ended and nobody has asked for it yet
    thread.pid = pid;
    thread.parent_pid = process.parent;
    thread.tid = std::strtoll(entry->d_name, nullptr, 10);
    thread.running = state == 'R';
    sample.threads.push_back(thread);
    waited.emplace_back(thread.tid, parse_run_delay(read_small(task + "/schedstat")));
    if (queue.size() < most_processes)
      for (const pid_t child : numbers(read_small(task + "/children")))
        queue.push_back({child, pid});
  }
}

/// What a look costs is the processor time that it takes from the program. By the clock a look
/// among threads that keep all cores busy would be dear for its own waiting, and the next far away.
double own_processor_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The innermost region that is open on this thread.
std::uint64_t open_path(const RawThread& thread) {
  std::optional<std::size_t> innermost;
  for (std::size_t i = 0; i < thread.nodes.size(); ++i) {
    if (!thread.nodes[i].open_since) continue;
    // Parents come first and one path is open at a time, so a later open node lies deeper.
    innermost = i;
  }
  return innermost ? path_key(thread, *innermost) : 0;
}

/// Whether there is a recording of any process.
bool add_open_regions(const std::string& recording, PlacementSample& sample) {
  std::vector<Problem> problems;  // a file that is just being made is no problem here
  bool any = false;
  for (const RawProcess& process : read_arenas(recording, problems)) {
    any = true;
    for (const RawThread& thread : process.threads) {
      if (thread.folded) continue;
      const std::uint64_t key = open_path(thread);
      for (PlacementSample::Thread& seen : sample.threads)
        if (key != 0 && seen.pid == process.pid && seen.tid == thread.tid) seen.open_path = key;
    }
  }
  return any;
}

}  // namespace

bool parse_stat(std::string_view line, char& state, int& processor) {
  const auto letter = stat_field(line, 3), core = stat_field(line, 39);
  const auto number = core ? text::whole_number<int>(*core) : std::nullopt;
  if (!letter || letter->empty() || !number) return false;
  state = letter->front();
  processor = *number;
  return true;
}

double parse_run_delay(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  std::uint64_t delay_ns = 0;
  std::from_chars(line.data() + blank + 1, line.data() + line.size(), delay_ns);
  return static_cast<double>(delay_ns) * 1e-9;
}

double Sampler::waited_for_core_s() const {
  double sum_s = waited_of_gone_s_;
  for (const auto& [tid, seconds] : waited_s_) sum_s += seconds;
  return sum_s;
}

void Sampler::look_at_pages(double elapsed_s) {
  if (elapsed_s < next_pages_s_) return;
  const double started_s = own_processor_s();
  ResidentPages pages;
  for (const pid_t process : processes_)
    if (const auto found = resident_pages(process)) {
      pages.bytes += found->bytes;
      pages.large_bytes += found->large_bytes;
    }
  if (pages.bytes > most_pages_.bytes) {
    most_pages_ = pages;
    most_nodes_.clear();
    for (const pid_t process : processes_)
      if (looks_for_nodes_)
        for (const auto& [node, bytes] : node_bytes(process)) most_nodes_[node] += bytes;
  }
  // The kernel walks all of the process's pages for the answer.
  constexpr double share_of_pages = 0.005, growth = 1.3;
  next_pages_s_ =
      std::max(growth * elapsed_s, elapsed_s + (own_processor_s() - started_s) / share_of_pages);
}

void Sampler::look_at_libraries(double elapsed_s) {
  if (!looks_for_cuda_ || has_seen_cuda_ || elapsed_s < next_libraries_s_) return;
  const double started_s = own_processor_s();
  for (const pid_t process : processes_)
    has_seen_cuda_ = has_seen_cuda_ || has_loaded_cuda(process);
  // As of its pages: seldom, and to the end.
  constexpr double share_of_libraries = 0.005, growth = 1.3;
  next_libraries_s_ = std::max(growth * elapsed_s,
                               elapsed_s + (own_processor_s() - started_s) / share_of_libraries);
}

std::optional<double> Sampler::large_page_share() const {
  if (most_pages_.bytes == 0) return std::nullopt;
  return static_cast<double>(most_pages_.large_bytes) / static_cast<double>(most_pages_.bytes);
}

double Sampler::look(double elapsed_s) {
  const double started_s = own_processor_s();
  PlacementSample sample;
  sample.time_s = elapsed_s;
  std::vector<Found> queue{{target_, 0}};
  std::vector<std::pair<pid_t, double>> waited;
  for (std::size_t i = 0; i < queue.size(); ++i) look_at(queue[i], sample, queue, waited);
  for (const Found& process : queue) processes_.insert(process.pid);
  for (const auto& [tid, seconds] : waited) {
    double& known_s = waited_s_[tid];
    if (seconds < known_s) waited_of_gone_s_ += known_s;
    known_s = seconds;
  }
  if (!recording_.empty() && add_open_regions(recording_, sample)) has_seen_regions_ = true;
  if (!sample.threads.empty()) samples_.push_back(std::move(sample));
  if (samples_.size() > most_samples) {
    // Half of them, evenly spread, and half as many from now on.
    for (std::size_t i = 1; 2 * i < samples_.size(); ++i) samples_[i] = std::move(samples_[2 * i]);
    samples_.resize((samples_.size() + 1) / 2);
    longest_interval_s_ *= 2;
  }
  const double cost_s = own_processor_s() - started_s;
  // Dear, and seldom: it keeps to a share of its own and must not put off the next look.
  look_at_pages(elapsed_s);
  look_at_libraries(elapsed_s);
  interval_s_ = std::clamp(elapsed_s / 50, 1e-3, longest_interval_s_);
  // A steady beat could fall in step with the target's own: 25 % jitter (xorshift).
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  const double jitter = 0.75 + 0.5 * static_cast<double>(random_) / 4294967296.0;
  const double share = samples_.size() < first_looks ? largest_share_at_first : largest_share;
  return std::max(interval_s_ * jitter, cost_s / share);
}

}  // namespace roofmark
