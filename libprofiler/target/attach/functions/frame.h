/* Offsets that the trampolines know. Beside the assembler, calls.cpp holds to them. */
#define ROOFMARK_MOST_HOOKS 2048
#define ROOFMARK_STUB_BYTES 16
#define ROOFMARK_HOOK_BYTES 64
#define ROOFMARK_HOOK_TARGET 0
#define ROOFMARK_FRAME_RETURN 0
#define ROOFMARK_FRAME_KEPT 8
#define ROOFMARK_FRAME_TARGET 16
#define ROOFMARK_FRAME_OUTER_RETURN 24
#define ROOFMARK_FRAME_OUTER_KEPT 32
