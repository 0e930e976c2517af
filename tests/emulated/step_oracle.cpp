#include "step_oracle.hpp"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace stepped {
namespace {

using namespace roofmark::x86;

constexpr std::array<std::uint8_t, 3> start_marker = {0x66, 0x87, 0xDB};  // xchg bx, bx
constexpr std::array<std::uint8_t, 3> stop_marker = {0x66, 0x87, 0xC9};   // xchg cx, cx

std::size_t code_at(pid_t pid, std::uint64_t address,
                    std::array<std::uint8_t, max_instruction_bytes>& code) {
  // The rest of a page, first: the next one may not be mapped.
  const std::size_t in_page = 4096 - address % 4096;
  for (const std::size_t length : {code.size(), in_page < code.size() ? in_page : code.size()}) {
    const iovec to{code.data(), length};
    const iovec from{reinterpret_cast<void*>(address), length};
    if (const ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0); got > 0)
      return static_cast<std::size_t>(got);
  }
  return 0;
}

void count(const Instruction& i, Steps& steps) {
  static constexpr const char* precisions[] = {"f32", "f64", "x87", "f16", "bf16"};
  static constexpr const char* operations[] = {"add",   "mul",   "fma", "div",  "sqrt",
                                               "other", "other", "dot", "other"};
  ++steps.instructions;
  if (i.kind == Kind::compare) ++steps.kinds["compare"];
  if (i.kind == Kind::convert) ++steps.kinds["convert"];
  if (i.kind == Kind::integer_simd) ++steps.kinds["integer_simd"];
  if (i.kind != Kind::flop) return;
  const std::string precision = precisions[static_cast<std::size_t>(i.precision)];
  const std::string operation = operations[static_cast<std::size_t>(i.operation)];
  if (operation == "dot") {
    steps.flop[{precision, i.width_bits, "mul"}] += i.flop / 2U;
    steps.flop[{precision, i.width_bits, "add"}] += i.flop - i.flop / 2U;
  } else {
    steps.flop[{precision, i.width_bits, operation}] += i.flop;
  }
}

bool is(const std::array<std::uint8_t, max_instruction_bytes>& code,
        const std::array<std::uint8_t, 3>& marker) {
  return std::memcmp(code.data(), marker.data(), marker.size()) == 0;
}

[[noreturn]] void start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDOUT_FILENO);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(126);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::optional<Steps> step(const std::vector<std::string>& command) {
  const pid_t pid = fork();
  if (pid == 0) start(command);
  Steps steps;
  bool inside = false;
  bool finished = false;
  int traps = 0;  // exec's, then the program's own; from there on it is stepped
  int status = 0;
  while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
    const bool trapped = WSTOPSIG(status) == SIGTRAP;
    if (trapped && traps < 2) ++traps;
    if (trapped && traps == 2 && !finished) {
      user_regs_struct registers{};
      std::array<std::uint8_t, max_instruction_bytes> code{};
      if (ptrace(PTRACE_GETREGS, pid, nullptr, &registers) != 0) break;
      const std::size_t length = code_at(pid, registers.rip, code);
      if (is(code, stop_marker)) finished = inside;
      if (inside && !finished) count(decode(code.data(), length), steps);
      if (is(code, start_marker)) inside = true;
    }
    const int signal = trapped ? 0 : WSTOPSIG(status);
    const bool go_on = traps < 2 || finished;
    if (ptrace(go_on ? PTRACE_CONT : PTRACE_SINGLESTEP, pid, nullptr, signal) != 0) break;
  }
  return finished ? std::optional<Steps>(steps) : std::nullopt;
}

}  // namespace stepped
