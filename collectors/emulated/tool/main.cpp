// roofmark-emulator: an out-of-tree Valgrind tool. Valgrind's callbacks, and nothing else.
#include "caches.hpp"
#include "code_rows.hpp"
#include "collectors/emulated/protocol.h"
#include "cpuid.hpp"
#include "entries.hpp"
#include "executable.hpp"
#include "faults.hpp"
#include "focus.hpp"
#include "job.hpp"
#include "options.hpp"
#include "output.hpp"
#include "own_code.hpp"
#include "threads.hpp"
#include "translate.hpp"

namespace roofmark::emulator {
namespace {

ULong whole(UWord bits) {
  double value = 0;
  VG_(memcpy)(&value, &bits, sizeof value);
  return value > 0 && value < 1.8e19 ? static_cast<ULong>(value) : 0;
}

Bool client_request(ThreadId id, UWord* request, UWord* answer) {
  if (!VG_IS_TOOL_USERREQ('R', 'M', request[0])) return False;
  thread_runs(id);
  const auto* name = reinterpret_cast<const UChar*>(request[1]);
  const auto length = static_cast<UInt>(request[2]);
  *answer = 0;
  switch (request[0]) {
    case ROOFMARK_REQUEST_CONNECT:
      set_own_code(request[1], request[2]);
      *answer = 1;
      break;
    case ROOFMARK_REQUEST_ENTER:
      *answer = enter(name, length);
      break;
    case ROOFMARK_REQUEST_LEAVE:
      leave(request[1]);
      break;
    case ROOFMARK_REQUEST_LEAVE_NAME:
      leave_name(name, length);
      break;
    case ROOFMARK_REQUEST_DECLARE:
      declare(request[1], whole(request[2]), whole(request[3]));
      break;
    case ROOFMARK_REQUEST_DETACH:
      detach();
      break;
    case ROOFMARK_REQUEST_ABANDON:
      abandon(request[1]);
      break;
    default:
      return False;
  }
  return True;
}

void client_code_starts(ThreadId id, ULong) {
  faults::before_client_code();
  thread_runs(id);
  write_snapshot_if_due();
}

// What ends a process without the tool being asked: another program in its place, or SIGKILL.
void before_syscall(ThreadId, UInt number, UWord* arguments, UInt) {
  if (number == __NR_execve || number == __NR_execveat) {
    write_output(End::exec);
    return;
  }
  const auto first = static_cast<Int>(arguments[0]);
  const auto second = static_cast<Int>(arguments[1]);
  const bool kills_self =
      (number == __NR_kill && second == VKI_SIGKILL && (first == VG_(getpid)() || first == 0)) ||
      (number == __NR_tkill && second == VKI_SIGKILL) ||
      (number == __NR_tgkill && static_cast<Int>(arguments[2]) == VKI_SIGKILL &&
       first == VG_(getpid)());
  if (kills_self) {
    flag_open_regions();
    write_output(End::exit);
  }
}
void after_syscall(ThreadId, UInt number, UWord* arguments, UInt, SysRes result) {
  faults::after_syscall(number, arguments, !sr_isError(result));
}

void before_signal(ThreadId, Int signal_number, Bool) {
  faults::signal_comes(signal_number);
}

void before_fork(ThreadId) {}
void in_child(ThreadId id) {
  remember_context();
  forget_counts(id);
  caches::forget();
  reserve_output();
}

void after_options() {
  if (options.output == nullptr) VG_(fmsg_bad_option)("--output", "a directory has to be given\n");
  if (!host_has_fma()) options.host_fma = false;
  if (const HChar* problem = focus::start(); problem != nullptr)
    VG_(fmsg_bad_option)("--hot", "%s\n", problem);
  if (const HChar* problem = code_rows::start(); problem != nullptr)
    VG_(fmsg_bad_option)("--code-rows", "%s\n", problem);
  if (const HChar* problem = entries::start(); problem != nullptr)
    VG_(fmsg_bad_option)("--entries", "%s\n", problem);
  if (const HChar* problem = caches::start(); problem != nullptr)
    VG_(fmsg_bad_option)("--L1/--L2/--L3", "%s\n", problem);
  find_executable();
  find_rank();
  reserve_output();
}

void at_end(Int) {
  flag_open_regions();
  write_output(End::exit);
}

void before_options() {
  VG_(details_name)("roofmark-emulator");
  VG_(details_version)(ROOFMARK_VERSION);
  VG_(details_description)("counts FLOPs and bytes per region");
  VG_(details_copyright_author)("Roofmark contributors; the linked program is under the GNU GPL");
  VG_(details_bug_reports_to)("the Roofmark issue tracker");
  VG_(details_avg_translation_sizeB)(600);
  VG_(basic_tool_funcs)(after_options, translate, at_end);
  VG_(needs_client_requests)(client_request);
  VG_(needs_command_line_options)(take_option, print_usage, print_usage);
  VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
  VG_(track_pre_thread_ll_create)(thread_created);
  VG_(track_pre_thread_ll_exit)(thread_ended);
  VG_(track_start_client_code)(client_code_starts);
  VG_(track_pre_deliver_signal)(before_signal);
  VG_(atfork)(before_fork, nullptr, in_child);
  // The translator drops what it finds unused before the tool sees it: with less than this a load
  // whose value another instruction overwrites. puts.hpp does what it then leaves undone.
  VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
  VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
  // A block does not go on behind a branch: of two branches it may make one condition, and what
  // stands between them is executed without being asked for. A loop had one more turn than the
  // program's.
  VG_(clo_vex_control).guest_chase = False;
  // Loops are unrolled up to this many statements, which the writes of registers are about half of.
  VG_(clo_vex_control).iropt_unroll_thresh *= 2;
}

}  // namespace
}  // namespace roofmark::emulator

extern "C" {
static void roofmark_before_options() {
  roofmark::emulator::before_options();
}
VG_DETERMINE_INTERFACE_VERSION(roofmark_before_options)
}
