#include "entries.hpp"

#include "options.hpp"
#include "plan_text.hpp"

namespace roofmark::emulator::entries {
namespace {

struct Entry {
  const HChar* object;
  ULong offset;  ///< in the file
  const UChar* name;
  UInt length;
};
constinit Vector<Entry> all;

/// Stack pointers above this one end a call of the running thread; read by translated code.
constexpr UWord nothing_open = ~0UL;
constinit UWord watched = nothing_open;

/// Calls that lie further away are on another stack, of which nothing is known here.
constexpr UWord longest_stack = UWord{1} << 30;

/// One function a line: its name, its file's path and its offset there, all in hexadecimal, a blank
/// between each.
bool read(PlanText& text, Entry& entry) {
  Vector<UChar> name, object;
  if (!text.bytes(name) || name.empty() || !text.take(' ') || !text.bytes(object) ||
      !text.take(' ') || !text.number(entry.offset))
    return false;
  object.push(0);
  // Both stay.
  entry.name = name.begin();
  entry.length = static_cast<UInt>(name.size());
  entry.object = reinterpret_cast<const HChar*>(object.begin());
  return text.take('\n');
}

bool is_over(const Call& call, UWord stack_pointer) {
  return call.stack_pointer < stack_pointer && stack_pointer - call.stack_pointer < longest_stack;
}

void watch(const Thread& thread) {
  watched =
      thread.calls.empty() ? nothing_open : thread.calls[thread.calls.size() - 1].stack_pointer;
}

void end_calls(Thread& thread, UWord stack_pointer) {
  while (!thread.calls.empty() && is_over(thread.calls.back(), stack_pointer)) {
    const ULong visit = thread.calls.back().visit;
    thread.calls.pop();
    leave(visit);
  }
}

/// Called from translated code.
VG_REGPARM(2)
void entered(UWord function, UWord stack_pointer) {
  Thread* thread = current_thread();
  if (thread == nullptr) return;
  // A loop may lead back to the first instruction.
  const bool goes_on = !thread->calls.empty() && thread->calls.back().function == function &&
                       thread->calls.back().stack_pointer == stack_pointer;
  if (goes_on) return;
  // Left by a longjmp or an exception; at the very same place, also by a jump as their last act.
  end_calls(*thread, stack_pointer + 1);
  const Entry& entry = all[function];
  thread->calls.push({enter(entry.name, entry.length), stack_pointer, function});
  watch(*thread);
}
VG_REGPARM(1)
void returned(UWord stack_pointer) {
  Thread* thread = current_thread();
  if (thread == nullptr) return;
  end_calls(*thread, stack_pointer);
  watch(*thread);
}

}  // namespace

const HChar* start() {
  if (options.entries == nullptr) return nullptr;
  PlanText text(options.entries);
  if (!text.is_readable()) return "can't be read";
  while (!text.done()) {
    Entry entry{};
    if (!read(text, entry)) return "not a list of functions";
    all.push(entry);
  }
  return nullptr;
}

bool wanted() {
  return !all.empty();
}

Int at(Addr address) {
  // Most instructions' places in their page are no function's.
  bool may_be = false;
  for (const Entry& entry : all) may_be = may_be || ((entry.offset ^ address) & 0xFFF) == 0;
  if (!may_be) return -1;
  const NSegment* segment = VG_(am_find_nsegment)(address);
  const HChar* file =
      segment != nullptr && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : nullptr;
  if (file == nullptr) return -1;
  const ULong offset = address - segment->start + static_cast<ULong>(segment->offset);
  for (UWord i = 0; i < all.size(); ++i)
    if (all[i].offset == offset && VG_(strcmp)(all[i].object, file) == 0)
      return static_cast<Int>(i);
  return -1;
}

void emit_entry(Emitter& out, Int function, Int offset_of_stack_pointer) {
  IRExpr* stack_pointer = out.atom(Ity_I64, IRExpr_Get(offset_of_stack_pointer, Ity_I64));
  out.call(2, "entered", reinterpret_cast<void*>(&entered),
           mkIRExprVec_2(Emitter::u64(static_cast<ULong>(function)), stack_pointer));
}

void emit_return(Emitter& out, Int offset_of_stack_pointer) {
  IRExpr* stack_pointer = out.atom(Ity_I64, IRExpr_Get(offset_of_stack_pointer, Ity_I64));
  IRExpr* open = out.load(Ity_I64, Emitter::address(&watched));
  IRExpr* over = out.binop(Iop_CmpLT64U, Ity_I1, open, stack_pointer);
  IRDirty* d = out.call(1, "returned", reinterpret_cast<void*>(&returned),
                        mkIRExprVec_1(deepCopyIRExpr(stack_pointer)));
  d->guard = over;
}

void thread_runs(const Thread& thread) {
  watch(thread);
}

}  // namespace roofmark::emulator::entries
