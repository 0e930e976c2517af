#include "output.hpp"

extern "C" {
#include <pub_tool_clientstate.h>
#include <pub_tool_xarray.h>
}
#undef NULL
#define NULL nullptr

#include "caches.hpp"
#include "code_rows.hpp"
#include "cpuid.hpp"
#include "debug_info.hpp"
#include "executable.hpp"
#include "focus.hpp"
#include "isa.hpp"
#include "job.hpp"
#include "json.hpp"
#include "options.hpp"
#include "places.hpp"
#include "threads.hpp"
#include "translate.hpp"

namespace roofmark::emulator {
namespace {

constinit JsonLines json;
constinit UInt sequence = 0;
constinit Node* context = nullptr;
constinit HChar path[4096] = {};
constinit HChar part[4096] = {};
constinit UInt last_snapshot_ms = 0;
constinit UInt snapshot_every_ms = 0;

void write_path(const HChar* key, Node* node) {
  static constinit Vector<const Node*> way;  // from the node up
  way.clear();
  for (const Node* n = node; n->depth > 0; n = n->parent) way.push(n);
  json.begin_array(key);
  for (UWord i = way.size(); i > 0; --i) json.bytes(way[i - 1]->name, way[i - 1]->length);
  json.end_array();
}

/// Sums over segments, by class.
struct Totals {
  ULong amount[cost_classes];
};

Totals totals_of(Row& row) {
  Totals t;
  VG_(memset)(&t, 0, sizeof t);
  row.counters.for_each([&](SegmentId id, ULong times) {
    const Segment& s = segments[id];
    t.amount[instructions] += times * s.instructions;
    const Cost* costs = segments.costs_of(s);
    for (UInt i = 0; i < s.costs; ++i) t.amount[costs[i].cost_class] += times * costs[i].amount;
  });
  return t;
}

/// Natively this segment's object may have chosen other code: it asked for the processor's
/// features, and the host has more of them. Asked once per segment.
bool may_differ(SegmentId id) {
  static constinit Vector<UChar> answers;  // 0: not asked yet, 1: no, 2: yes
  if (answers.size() <= id) answers.resize(segments.size());
  if (answers[id] == 0)
    answers[id] = may_dispatch(segments[id].epoch, segments[id].address) ? 2 : 1;
  return answers[id] == 2;
}

/// Flags a row that computes in such a segment.
void flag_other_isa(Row& row) {
  if (isa_queries().empty() || VG_(strcmp)(host_isa(), emulated_isa()) == 0) return;
  row.counters.for_each([&](SegmentId id, ULong) {
    if ((row.flags & isa_differs) != 0) return;
    const Segment& s = segments[id];
    const Cost* costs = segments.costs_of(s);
    bool computes = false;
    for (UInt i = 0; i < s.costs; ++i)
      computes =
          computes || costs[i].cost_class < flop_classes || costs[i].cost_class == integer_simd;
    if (computes && may_differ(id)) row.flags |= isa_differs;
  });
}

const HChar* widest(const Totals& all) {
  const HChar* isa = "x86-64";
  UInt rank = 0;
  const auto at_least = [&](UInt r, const HChar* name) {
    if (r > rank) {
      rank = r;
      isa = name;
    }
  };
  for (CostClass c = 0; c < flop_classes; ++c) {
    if (all.amount[c] == 0 || precision_of(c) == Precision::x87) continue;
    at_least(1, "sse2");
    if (width_of(c) == Width::w256) at_least(2, "avx");
    if (operation_of(c) == Operation::fma) at_least(3, "avx2");
    if (width_of(c) == Width::w512) at_least(4, "avx512");
  }
  return isa;
}

void write_level(const HChar* name, const cache::LevelShape& shape) {
  if (!shape.present()) return;
  json.begin_object();
  json.text("name", name);
  json.number("bytes", shape.bytes());
  json.number("ways", shape.ways);
  json.number("line_bytes", cache::line_bytes);
  json.end_object();
}

void write_sampling() {
  const cache::Sampling& s = caches::sampling();
  json.text("caches", !options.caches ? "none" : s.shift == 0 ? "full" : "sampled");
  if (!options.caches || s.shift == 0) return;
  HChar label[32];
  VG_(snprintf)(label, sizeof label, "sets 1/%u", 1U << s.shift);
  json.text("sampling", label);
}

void write_header(const Totals& all) {
  json.begin_line();
  json.text("schema", "roofmark-counts/1");
  json.number("pid", static_cast<ULong>(VG_(getpid)()));
  json.number("ppid", static_cast<ULong>(VG_(getppid)()));
  json.number("sequence", sequence);
  if (rank_in_job() >= 0) json.number("rank", static_cast<ULong>(rank_in_job()));
  json.text("exe", executable());
  json.begin_array("arguments");
  json.text(VG_(args_the_exename));
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); ++i)
    json.text(*static_cast<HChar**>(VG_(indexXA)(VG_(args_for_client), i)));
  json.end_array();
  write_path("context", context == nullptr ? root() : context);
  json.begin_object("isa");
  json.text("host", host_isa());
  json.text("emulated", emulated_isa());
  json.text("executed", widest(all));
  json.begin_array("queried_by");
  for (const HChar* object : isa_queries()) json.text(object);
  json.end_array();
  json.end_object();
  json.number("cpu_identity_of_host", options.host_identity);
  json.number("fma_by_host", options.host_fma);
  write_sampling();
  json.begin_array("geometry");
  if (options.caches) {
    write_level("L1", options.geometry.l1);
    write_level("L2", options.geometry.l2);
    write_level("L3", options.geometry.l3);
  }
  json.end_array();
  json.end_line();
}

void write_threads() {
  for (const Thread* t : threads()) {
    if (t->serial >= most_thread_rows) break;
    json.begin_line();
    json.number("thread", t->serial);
    json.number("tid", t->kernel_id);
    if (t->has_creator) json.number("creator", t->creator_serial);
    json.end_line();
  }
}

void write_flags(UInt flags) {
  json.begin_array("flags");
  if ((flags & adopted) != 0) json.text("adopted");
  if ((flags & mismatched) != 0) json.text("mismatched");
  if ((flags & unclosed) != 0) json.text("unclosed");
  if ((flags & truncated) != 0) json.text("truncated");
  if ((flags & isa_differs) != 0) json.text("isa_differs");
  if ((flags & passed_over) != 0) json.text("passed_over");
  if ((flags & partial) != 0) json.text("partial");
  json.end_array();
}

void write_mix(const Totals& t) {
  json.begin_array("mix");
  for (CostClass c = 0; c < flop_classes; ++c) {
    if (t.amount[c] == 0) continue;
    json.begin_array();
    json.text(name_of(precision_of(c)));
    json.number(bits_of(width_of(c)));
    json.text(name_of(operation_of(c)));
    json.number(t.amount[c]);
    json.end_array();
  }
  json.end_array();
  json.begin_object("operations");
  for (CostClass c = flop_classes; c < cost_classes; ++c)
    if (t.amount[c] != 0 && c != load_bytes && c != store_bytes)
      json.number(name_of_other(c), t.amount[c]);
  json.end_object();
}

void write_traffic(const HChar* level, const cache::ByteRange& read,
                   const cache::ByteRange& write) {
  json.begin_array(level);
  const cache::ByteRange* const both[] = {&read, &write};
  for (const cache::ByteRange* r : both) {
    json.number(r->value);
    json.number(r->low);
    json.number(r->high);
  }
  json.end_array();
}

void write_bytes(const Row& row, const Totals& t) {
  json.begin_object("bytes");
  json.begin_array("L1");
  json.number(t.amount[load_bytes]);
  json.number(t.amount[store_bytes]);
  json.end_array();
  if (options.caches && focus::simulated(row.node)) {
    const cache::TrafficBytes b = caches::traffic_of(row.id);
    write_traffic("L2", b.l2_read, b.l2_write);
    if (options.geometry.l3.present()) write_traffic("L3", b.l3_read, b.l3_write);
    write_traffic("DRAM", b.dram_read, b.dram_write);
  }
  json.end_object();
}

void write_row(Row& row, const Totals& t) {
  json.begin_line();
  write_path("region", row.node);
  json.number("thread", row.thread);
  json.number("visits", row.visits);
  write_flags(row.flags);
  write_mix(t);
  write_bytes(row, t);
  if (row.declared) {
    json.begin_object("declared");
    json.number("flop", row.declared_flop);
    json.number("bytes", row.declared_bytes);
    json.end_object();
  }
  json.end_line();
}

void write_note(const HChar* text) {
  json.begin_line();
  json.text("note", text);
  json.end_line();
}

void write_notes(End end) {
  const CrossCheck c = cross_check();
  if (options.cross_check) {
    json.begin_line();
    json.begin_object("cross_check");
    json.number("instructions", c.instructions);
    json.number("differ", c.differ);
    json.begin_array("each");
    for (const CheckedInstruction& each : checked_instructions()) {
      json.begin_array();
      HChar digits[2 * sizeof each.bytes + 1] = {};
      for (UInt i = 0; i < each.length; ++i)
        VG_(snprintf)(digits + 2 * i, 3, "%02x", each.bytes[i]);
      json.text(digits);
      json.number(each.flop_by_bytes);
      json.number(each.flop_by_ir);
      json.end_array();
    }
    json.end_array();
    json.end_object();
    json.end_line();
  }
  if (unreadable_objects() != 0)
    write_note(
        "debug information that the emulator can't read was left out: source lines are not known "
        "there");
  if (end == End::snapshot && options.caches)
    write_note(
        "the program was still running: lines not written back yet are not in the write bytes");
}

void add_to(Totals& sum, const Totals& t) {
  for (UInt c = 0; c < cost_classes; ++c) sum.amount[c] += t.amount[c];
}

/// A row that a thread only passed through says nothing; the first thread's root row stays.
bool silent(const Row& row, const Totals& t) {
  if (row.visits != 0 || row.declared || (row.flags & passed_over) != 0 ||
      (row.node == root() && row.thread == 0))
    return false;
  for (const ULong amount : t.amount)
    if (amount != 0) return false;
  return true;
}

}  // namespace

void reserve_output() {
  for (sequence = 0;; ++sequence) {
    VG_(snprintf)
    (path, sizeof path, "%s/counts-%d-%u.jsonl", options.output, VG_(getpid)(), sequence);
    const Int file = VG_(fd_open)(path, VKI_O_CREAT | VKI_O_EXCL | VKI_O_WRONLY, 0644);
    if (file >= 0) {
      VG_(close)(file);
      break;
    }
    const SysRes result = VG_(open)(path, VKI_O_RDONLY, 0);
    if (sr_isError(result)) {
      VG_(umsg)("roofmark: can't write to %s\n", options.output);
      path[0] = 0;
      return;
    }
    VG_(close)(static_cast<Int>(sr_Res(result)));
  }
  VG_(snprintf)(part, sizeof part, "%s.part", path);
  snapshot_every_ms = options.snapshot_ms;
  last_snapshot_ms = VG_(read_millisecond_timer)();
}

void remember_context() {
  context = open_node();
}

void write_output(End end) {
  if (path[0] == 0) return;
  if (end != End::snapshot) caches::flush();
  if (!json.open(part)) {
    VG_(umsg)("roofmark: can't write %s\n", part);
    return;
  }
  code_rows::settle();
  Vector<Totals> totals;
  Totals all;
  VG_(memset)(&all, 0, sizeof all);
  totals.reserve(rows().size());
  for (Row* row : rows()) {
    totals.push(totals_of(*row));
    flag_other_isa(*row);
    add_to(all, totals.back());
  }
  write_header(all);
  write_threads();
  for (UWord i = 0; i < rows().size(); ++i)
    if (!silent(*rows()[i], totals[i])) write_row(*rows()[i], totals[i]);
  totals.free();
  if (options.places && end != End::snapshot) write_places(json);
  write_notes(end);
  json.begin_line();
  json.text("end", end == End::exit ? "exit" : end == End::exec ? "exec" : "snapshot");
  json.end_line();
  if (json.close())
    VG_(rename)(part, path);
  else
    VG_(umsg)("roofmark: can't write all of %s\n", path);
}

void write_snapshot_if_due() {
  if (snapshot_every_ms == 0) return;
  const UInt now = VG_(read_millisecond_timer)();
  if (now - last_snapshot_ms < snapshot_every_ms) return;
  write_output(End::snapshot);
  last_snapshot_ms = VG_(read_millisecond_timer)();
  // Large programs take longer to write: never more than 2 % of the time.
  const UInt took = last_snapshot_ms - now;
  if (took * 50 > snapshot_every_ms) snapshot_every_ms = took * 50;
}

}  // namespace roofmark::emulator
