#include "entries.hpp"

#include "options.hpp"

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

Int digit(HChar c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// One function a line: its name, its file's path and its offset there, all in hexadecimal, a blank
/// between each.
class Parser {
 public:
  explicit Parser(const Vector<HChar>& text) : at_(text.begin()), end_(text.end()) {}
  bool done() const { return at_ == end_; }
  bool entry(Entry& entry) {
    Vector<UChar> name, object;
    if (!bytes(name) || name.empty() || !take(' ') || !bytes(object) || !take(' ')) return false;
    object.push(0);
    Int value = next();
    if (value < 0) return false;
    for (entry.offset = 0; value >= 0; value = next())
      entry.offset = entry.offset << 4 | static_cast<ULong>(value);
    // Both stay.
    entry.name = name.begin();
    entry.length = static_cast<UInt>(name.size());
    entry.object = reinterpret_cast<const HChar*>(object.begin());
    return take('\n');
  }

 private:
  bool take(HChar c) {
    if (done() || *at_ != c) return false;
    ++at_;
    return true;
  }
  Int next() {
    if (done()) return -1;
    const Int value = digit(*at_);
    if (value >= 0) ++at_;
    return value;
  }
  bool bytes(Vector<UChar>& to) {
    for (Int high = next(); high >= 0; high = next()) {
      const Int low = next();
      if (low < 0) return false;
      to.push(static_cast<UChar>(high * 16 + low));
    }
    return true;
  }
  const HChar* at_;
  const HChar* end_;
};

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
  const Int file = VG_(fd_open)(options.entries, VKI_O_RDONLY, 0);
  if (file < 0) return "can't be read";
  Vector<HChar> text;
  HChar buffer[4096];
  for (Int got = VG_(read)(file, buffer, sizeof buffer); got > 0;
       got = VG_(read)(file, buffer, sizeof buffer))
    for (Int i = 0; i < got; ++i) text.push(buffer[i]);
  VG_(close)(file);
  Parser parser(text);
  while (!parser.done()) {
    Entry entry{};
    if (!parser.entry(entry)) return "not a list of functions";
    all.push(entry);
  }
  text.free();
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
