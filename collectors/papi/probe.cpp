#include "probe.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/files/descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>

#include "library.hpp"

namespace roofmark::papi {
namespace {

/// What the child says goes through a pipe, a line each: `problem`, `library`, answers, `end`.
class Voice {
 public:
  explicit Voice(int descriptor) : descriptor_(descriptor) {}
  void line(const std::string& text) const {
    const std::string whole = text + "\n";
    for (std::size_t done = 0; done < whole.size();) {
      const ssize_t written = write(descriptor_, whole.data() + done, whole.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) _exit(1);
      done += static_cast<std::size_t>(written);
    }
  }

 private:
  int descriptor_;
};

Answer ask(const Library& papi, const std::string& name) {
  Answer answer;
  answer.event = name;
  int code = 0, set = -1;  // PAPI_NULL
  long long value = 0;
  if ((answer.error = papi.event_name_to_code(name.c_str(), &code)) != 0) return answer;
  answer.component = papi.component(papi.get_event_component(code));
  answer.step = Step::add;
  if ((answer.error = papi.create_eventset(&set)) != 0) return answer;
  if ((answer.error = papi.add_named_event(set, name.c_str())) == 0) {
    answer.step = Step::start;
    answer.error = papi.start(set);
    if (answer.error == 0) {
      answer.error = papi.read(set, &value);
      papi.stop(set, &value);
    }
    if (answer.error == 0) answer.step = Step::counted;
  }
  papi.cleanup_eventset(set);
  papi.destroy_eventset(&set);
  return answer;
}

std::size_t fitting(const Library& papi, const std::vector<std::string>& names) {
  for (std::size_t count = names.size(); count > 0; --count) {
    int set = -1;
    std::vector<long long> values(count);
    if (papi.create_eventset(&set) != 0) return 0;
    bool whole = true;
    for (std::size_t i = 0; i < count && whole; ++i)
      whole = papi.add_named_event(set, names[i].c_str()) == 0;
    if (whole) {
      whole = papi.start(set) == 0;
      if (whole) papi.stop(set, values.data());
    }
    papi.cleanup_eventset(set);
    papi.destroy_eventset(&set);
    if (whole) return count;
  }
  return 0;
}

/// A line for each piece: `counts` and the values.
void count_set(const Library& papi, const std::vector<std::string>& names,
               const std::vector<Piece>& pieces, const Voice& voice) {
  int set = -1;
  bool whole = papi.create_eventset(&set) == 0;
  for (const std::string& name : names)
    whole = whole && papi.add_named_event(set, name.c_str()) == 0;
  whole = whole && papi.start(set) == 0;
  std::vector<long long> before(names.size()), after(names.size());
  for (const Piece& piece : pieces) {
    std::string line = "counts";
    if (whole && piece.prepare() && papi.read(set, before.data()) == 0) {
      piece.work();
      if (papi.read(set, after.data()) == 0)
        for (std::size_t i = 0; i < names.size(); ++i)
          line += " " + std::to_string(after[i] - before[i]);
    }
    voice.line(line);
  }
  if (whole) papi.stop(set, after.data());
  papi.cleanup_eventset(set);
  papi.destroy_eventset(&set);
}

[[noreturn]] void answer_in_child(
    int descriptor, const std::function<void(const Library&, const Voice&)>& ask_all) {
  // Whatever handlers the recorder has are not for this process.
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (null >= 0) dup2(null, standard);
  const Voice voice(descriptor);
  const auto papi = Library::load();
  if (!papi) {
    voice.line("problem " + papi.error().reason);
    voice.line("where " + papi.error().where);
    voice.line("remedy " + papi.error().remedy);
    _exit(0);
  }
  voice.line("library " + papi->file);
  voice.line("version " + papi->version);
  ask_all(*papi, voice);
  voice.line("end");
  _exit(0);
}

/// All that a child said, or why it said nothing.
Result<std::vector<std::string>> ask_child(
    const std::function<void(const Library&, const Voice&)>& ask_all) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return tl::unexpected(Problem{std::string("no pipe: ") + std::strerror(errno), "PAPI", ""});
  Descriptor reader(ends[0]), writer(ends[1]);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0)
    return tl::unexpected(
        Problem{std::string("no process can be made: ") + std::strerror(errno), "PAPI", ""});
  if (child == 0) answer_in_child(writer.get(), ask_all);
  writer.close();
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t got = read(reader.get(), part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto after = [&](const char* word) {
    const std::string start = std::string(word) + " ";
    for (const std::string& line : lines)
      if (line.starts_with(start)) return line.substr(start.size());
    return std::string();
  };
  if (const std::string reason = after("problem"); !reason.empty())
    return tl::unexpected(Problem{reason, after("where"), after("remedy")});
  if (lines.empty() || lines.back() != "end") {
    const std::string how = WIFSIGNALED(status)
                                ? std::string("ended by ") + strsignal(WTERMSIG(status))
                                : "ended early";
    return tl::unexpected(Problem{"asking libpapi for the events was " + how, after("library"),
                                  "papi_component_avail (says which component does it)"});
  }
  return lines;
}

}  // namespace

Result<Probe> probe(const std::vector<std::string>& names) {
  const auto lines = ask_child([&](const Library& papi, const Voice& voice) {
    for (const std::string& name : names) {
      const Answer answer = ask(papi, name);
      voice.line(std::string("event ") + static_cast<char>(answer.step) + " " +
                 std::to_string(answer.error) + " " + answer.component);
    }
  });
  if (!lines) return tl::unexpected(lines.error());
  Probe result;
  for (const std::string& line : *lines) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "library") words >> result.file;
    if (word == "version") words >> result.version;
    if (word != "event" || result.events.size() == names.size()) continue;
    Answer answer;
    char step = 'n';
    words >> step >> answer.error >> answer.component;
    answer.event = names[result.events.size()];
    answer.step = static_cast<Step>(step);
    result.events.push_back(std::move(answer));
  }
  return result;
}

Result<std::vector<std::size_t>> probe_together(const std::vector<std::vector<std::string>>& sets) {
  const auto lines = ask_child([&](const Library& papi, const Voice& voice) {
    for (const auto& names : sets) voice.line("fit " + std::to_string(fitting(papi, names)));
  });
  if (!lines) return tl::unexpected(lines.error());
  std::vector<std::size_t> counts;
  for (const std::string& line : *lines) {
    std::istringstream words(line);
    std::string word;
    std::size_t count = 0;
    if (words >> word >> count && word == "fit" && counts.size() < sets.size())
      counts.push_back(count);
  }
  return counts;
}

Result<CountsOfSets> count_around(const std::vector<std::vector<std::string>>& sets,
                                  const std::vector<Piece>& pieces) {
  const auto lines = ask_child([&](const Library& papi, const Voice& voice) {
    for (const auto& names : sets) count_set(papi, names, pieces, voice);
  });
  if (!lines) return tl::unexpected(lines.error());
  CountsOfSets counts(sets.size(), std::vector<std::vector<long long>>(pieces.size()));
  std::size_t next = 0;
  for (const std::string& line : *lines) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != "counts" || next == sets.size() * pieces.size()) continue;
    auto& values = counts[next / pieces.size()][next % pieces.size()];
    for (long long value = 0; words >> value;) values.push_back(value);
    ++next;
  }
  return counts;
}

}  // namespace roofmark::papi
