#include "options.hpp"

namespace roofmark::emulator {

constinit Options options = {};

namespace {

/// BYTES,WAYS; 0,0: the machine has no such level.
bool parse_level(const HChar* text, cache::Index index, cache::LevelShape& level) {
  HChar* rest = nullptr;
  const Long bytes = VG_(strtoll10)(text, &rest);
  if (*rest != ',') return false;
  const Long ways = VG_(strtoll10)(rest + 1, &rest);
  if (*rest != 0 || bytes < 0 || ways < 0) return false;
  level = cache::level_of_size(static_cast<ULong>(bytes), static_cast<UInt>(ways), index);
  return true;
}

void level_option(const HChar* text, const HChar* name, cache::Index index,
                  cache::LevelShape& level) {
  if (!parse_level(text, index, level)) VG_(fmsg_bad_option)(name, "a cache level is BYTES,WAYS\n");
}

/// Whether the second of two words was given; anything but the two ends the run with a line.
bool is_second(const HChar* arg, const HChar* text, const HChar* first, const HChar* second) {
  if (VG_STREQ(text, second)) return true;
  if (!VG_STREQ(text, first)) VG_(fmsg_bad_option)(arg, "it is %s or %s\n", first, second);
  return false;
}

}  // namespace

Bool take_option(const HChar* arg) {
  const HChar* text = nullptr;
  Int number = 0;
  Bool flag = False;
  using cache::Index;
  if (VG_STR_CLO(arg, "--output", text)) {
    options.output = text;
  } else if (VG_BOOL_CLO(arg, "--caches", flag)) {
    options.caches = flag;
  } else if (VG_BOOL_CLO(arg, "--outside-regions", flag)) {
    options.outside = flag;
  } else if (VG_BOOL_CLO(arg, "--host-fma", flag)) {
    options.host_fma = flag;
  } else if (VG_BOOL_CLO(arg, "--host-identity", flag)) {
    options.host_identity = flag;
  } else if (VG_BOOL_CLO(arg, "--places", flag)) {
    options.places = flag;
  } else if (VG_BOOL_CLO(arg, "--cross-check", flag)) {
    options.cross_check = flag;
  } else if (VG_STR_CLO(arg, "--classify", text)) {
    options.by_ir = is_second(arg, text, "bytes", "ir");
  } else if (VG_STR_CLO(arg, "--hot", text)) {
    options.hot = text;
  } else if (VG_STR_CLO(arg, "--code-rows", text)) {
    options.code_rows = text;
  } else if (VG_STR_CLO(arg, "--entries", text)) {
    options.entries = text;
  } else if (VG_BINT_CLO(arg, "--snapshot-ms", number, 0, 100000000)) {
    options.snapshot_ms = static_cast<UInt>(number);
  } else if (VG_STR_CLO(arg, "--L1", text)) {
    level_option(text, "--L1", Index::modulo, options.geometry.l1);
  } else if (VG_STR_CLO(arg, "--L2", text)) {
    level_option(text, "--L2", Index::hashed, options.geometry.l2);
  } else if (VG_STR_CLO(arg, "--L3", text)) {
    level_option(text, "--L3", Index::hashed, options.geometry.l3);
  } else if (VG_STR_CLO(arg, "--index", text)) {
    // `modulo`: as other simulators do, for comparing with them.
    const Index index = is_second(arg, text, "hashed", "modulo") ? Index::modulo : Index::hashed;
    options.geometry.l2.index = options.geometry.l3.index = index;
  } else if (VG_BINT_CLO(arg, "--sample-shift", number, 0, 10)) {
    options.sampling.shift = static_cast<UChar>(number);
  } else if (VG_BINT_CLO(arg, "--second-policy-shift", number, 0, cache::no_second_policy)) {
    options.sampling.second_policy_shift = static_cast<UChar>(number);
  } else {
    return False;
  }
  return True;
}

void print_usage() {
  VG_(printf)
  ("    --output=DIR                 where counts-PID-SEQ.jsonl goes\n"
   "    --caches=yes|no              simulate L1, L2, L3 [yes]\n"
   "    --L1=BYTES,WAYS --L2= --L3=  their shapes; 0,0: no such level\n"
   "    --index=hashed|modulo        set index of L2 and L3, given after them [hashed]\n"
   "    --sample-shift=N             simulate 1/2^N of the L2 and L3 sets [0]\n"
   "    --second-policy-shift=N      1/2^N of the sets under true LRU too; 32: none [6]\n"
   "    --outside-regions=yes|no     caches see accesses outside regions [yes]\n"
   "    --host-fma=yes|no            FMA by the host's instruction [yes]\n"
   "    --host-identity=yes|no       CPUID names the host [yes]\n"
   "    --places=yes|no              totals per function and line [yes]\n"
   "    --cross-check=yes|no         compare byte and IR classification [no]\n"
   "    --classify=bytes|ir          by the instructions' bytes or VEX's code [bytes]\n"
   "    --hot=FILE                   count from the first of these paths on, simulate in them "
   "alone\n"
   "    --code-rows=FILE             ranges of object files that get rows outside regions\n"
   "    --entries=FILE               functions whose calls are regions\n"
   "    --snapshot-ms=N              write what there is every N ms; 0: never [0]\n");
}

}  // namespace roofmark::emulator
