#include "code_rows.hpp"

#include "options.hpp"
#include "plan_text.hpp"
#include "threads.hpp"

namespace roofmark::emulator::code_rows {
namespace {

/// Bytes [first, end) of an object file.
struct Range {
  UInt object;
  ULong first;
  ULong end;
  Node* node;
};

constinit Vector<Range> ranges;  // by object and offset, none overlaps another
constinit Vector<const HChar*> objects;
constinit Vector<Node*> node_of_segment;
// Whose code runs, as far as the caches know; read by translated code.
constinit UWord place = 0;
constexpr UWord unknown_place = 1;

UInt object_number(const HChar* path) {
  for (UInt i = 0; i < objects.size(); ++i)
    if (VG_(strcmp)(objects[i], path) == 0) return i;
  objects.push(VG_(strdup)("roofmark.object", path));
  return static_cast<UInt>(objects.size() - 1);
}

// One range a line: the row's path (names in hexadecimal, slashes between them), the object's path
// in hexadecimal (nothing: code in no file), first and end in hexadecimal, a blank between each.
bool read(PlanText& text, Range& range) {
  Vector<UChar> bytes;
  Node* node = root();
  do {
    bytes.clear();
    if (!text.bytes(bytes) || bytes.empty()) return false;
    node = child(node, bytes.begin(), static_cast<UInt>(bytes.size()));
  } while (text.take('/'));
  bytes.clear();
  const bool good = text.take(' ') && text.bytes(bytes) && text.take(' ') &&
                    text.number(range.first) && text.take(' ') && text.number(range.end) &&
                    text.take('\n') && range.first < range.end;
  bytes.push(0);
  range.object = object_number(reinterpret_cast<const HChar*>(bytes.begin()));
  range.node = node;
  bytes.free();
  return good;
}

bool before(const Range& a, UInt object, ULong first) {
  return a.object != object ? a.object < object : a.first < first;
}

// Functions come in any order, and there are few.
void sort() {
  for (UWord i = 1; i < ranges.size(); ++i) {
    const Range range = ranges[i];
    UWord to = i;
    for (; to > 0 && before(range, ranges[to - 1].object, ranges[to - 1].first); --to)
      ranges[to] = ranges[to - 1];
    ranges[to] = range;
  }
}

/// The range that holds an offset, or null.
const Range* find(UInt object, ULong offset) {
  UWord low = 0;
  UWord high = ranges.size();
  while (low < high) {
    const UWord middle = (low + high) / 2;
    if (before(ranges[middle], object, offset + 1))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return nullptr;
  const Range& range = ranges[low - 1];
  return range.object == object && offset < range.end ? &range : nullptr;
}

/// Called from translated code.
VG_REGPARM(1)
void arrive(UWord node) {
  place = node;
  charge_code(reinterpret_cast<Node*>(node));
}

}  // namespace

const HChar* start() {
  if (options.code_rows == nullptr) return nullptr;
  PlanText text(options.code_rows);
  if (!text.is_readable()) return "can't be read";
  while (!text.done()) {
    Range range{};
    if (!read(text, range)) return "not a list of code";
    ranges.push(range);
  }
  sort();
  forget_place();
  return nullptr;
}

bool wanted() {
  return !ranges.empty();
}

Node* node_at(Addr address) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  if (segment == nullptr) return nullptr;
  const HChar* name = segment->kind == SkFileC ? VG_(am_get_filename)(segment) : "";
  if (name == nullptr) name = "";
  for (UInt i = 0; i < objects.size(); ++i) {
    if (VG_(strcmp)(objects[i], name) != 0) continue;
    const ULong offset =
        *name == 0 ? address : address - segment->start + static_cast<ULong>(segment->offset);
    const Range* range = find(i, offset);
    return range == nullptr ? nullptr : range->node;
  }
  return nullptr;
}

void note(SegmentId id, Node* node) {
  if (node_of_segment.size() <= id) node_of_segment.resize(id + 1UL);
  node_of_segment[id] = node;
}

void emit_arrival(Emitter& out, Node* node) {
  const auto wanted_place = reinterpret_cast<UWord>(node);
  IRExpr* known = out.load(Ity_I64, Emitter::address(&place));
  IRExpr* elsewhere = out.binop(Iop_CmpNE64, Ity_I1, known, Emitter::u64(wanted_place));
  IRDirty* d = unsafeIRDirty_0_N(1, "arrive", reinterpret_cast<void*>(&arrive),
                                 mkIRExprVec_1(Emitter::u64(wanted_place)));
  d->guard = elsewhere;
  out.add(IRStmt_Dirty(d));
}

void forget_place() {
  place = unknown_place;
}

void settle() {
  if (!wanted()) return;
  const UWord known = rows().size();
  for (UWord i = 0; i < known; ++i) {
    Row* row = rows()[i];
    if (row->node != root()) continue;
    row->counters.move_if([&](SegmentId id) -> Counters* {
      Node* node = id < node_of_segment.size() ? node_of_segment[id] : nullptr;
      return node == nullptr ? nullptr : &row_of_code(node, *row)->counters;
    });
  }
}

}  // namespace roofmark::emulator::code_rows
