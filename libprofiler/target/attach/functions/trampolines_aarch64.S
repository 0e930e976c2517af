/* As trampolines_x86_64.S, which says how it works. x19 holds the call's frame. */
#include "frame.h"

  .text
  .hidden roofmark_function_table
  .hidden roofmark_function_stubs
  .globl roofmark_function_stubs
  .type roofmark_function_stubs, %function
  .globl roofmark_redirection_stubs
  .set roofmark_redirection_stubs, roofmark_function_stubs
  .balign 64
roofmark_function_stubs:
  .cfi_startproc
  .set hook, 0
  .rept ROOFMARK_MOST_HOOKS
  hint #34 /* bti c */
  adrp x17, roofmark_function_table+hook*ROOFMARK_HOOK_BYTES
  add x17, x17, :lo12:roofmark_function_table+hook*ROOFMARK_HOOK_BYTES
  b trampoline
  .set hook, hook + 1
  .endr
  .cfi_endproc
  .size roofmark_function_stubs, . - roofmark_function_stubs

/* Arguments: x0 to x7, x8 (where a result goes), q0 to q7. Functions with another convention (SVE,
 * vector calls) are marked as such, and not redirected. */
  .type trampoline, %function
  .balign 64
trampoline:
  .cfi_startproc
  .cfi_signal_frame
  stp x29, x30, [sp, #-96]!
  .cfi_def_cfa_offset 96
  .cfi_offset x29, -96
  .cfi_offset x30, -88
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp x8, x17, [sp, #80]
  mov x0, x17
  add x1, sp, #96
  mov x2, x19
  mov x3, x30
  bl roofmark_function_enter
  cbz x0, enter_slow
entered:
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  .cfi_remember_state
  ldp x29, x30, [sp], #96
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  mov x19, x16
  /* x19 lies at (x19 + 32); x30 is *(x19 + 24) - 1 */
  .cfi_escape 0x10, 19, 2, 0x83, ROOFMARK_FRAME_OUTER_KEPT
  .cfi_escape 0x16, 30, 5, 0x83, ROOFMARK_FRAME_OUTER_RETURN, 0x06, 0x31, 0x1c
  ldr x16, [x19, #ROOFMARK_FRAME_TARGET]
  blr x16
  .globl roofmark_function_returned
  .hidden roofmark_function_returned
roofmark_function_returned:

  /* Results: x0, x1, q0 to q3. */
  ldr x30, [x19, #ROOFMARK_FRAME_RETURN]
  ldr x16, [x19, #ROOFMARK_FRAME_KEPT]
  sub sp, sp, #96
  .cfi_def_cfa_offset 96
  stp x16, x30, [sp]
  .cfi_offset x19, -96
  .cfi_offset x30, -88
  stp x0, x1, [sp, #16]
  stp q0, q1, [sp, #32]
  stp q2, q3, [sp, #64]
  mov x0, x19
  bl roofmark_function_leave
  cbz w0, leave_slow
left:
  ldp q0, q1, [sp, #32]
  ldp q2, q3, [sp, #64]
  ldp x0, x1, [sp, #16]
  ldp x19, x30, [sp], #96
  .cfi_def_cfa_offset 0
  .cfi_restore x19
  .cfi_restore x30
  ret

leave_slow:
  .cfi_def_cfa_offset 96
  .cfi_offset x19, -96
  .cfi_offset x30, -88
  mov x0, x19
  bl roofmark_function_leave_slow
  b left

enter_slow:
  .cfi_restore_state
  sub sp, sp, #128
  .cfi_adjust_cfa_offset 128
  stp q0, q1, [sp]
  stp q2, q3, [sp, #32]
  stp q4, q5, [sp, #64]
  stp q6, q7, [sp, #96]
  ldr x0, [sp, #128+88]
  add x1, sp, #128+96
  mov x2, x19
  ldr x3, [sp, #128+8]
  bl roofmark_function_enter_slow
  ldp q0, q1, [sp]
  ldp q2, q3, [sp, #32]
  ldp q4, q5, [sp, #64]
  ldp q6, q7, [sp, #96]
  add sp, sp, #128
  .cfi_adjust_cfa_offset -128
  cbnz x0, entered
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldp x8, x17, [sp, #80]
  ldp x29, x30, [sp], #96
  .cfi_def_cfa_offset 0
  .cfi_restore x29
  .cfi_restore x30
  ldr x16, [x17, #ROOFMARK_HOOK_TARGET]
  br x16
  .cfi_endproc
  .size trampoline, . - trampoline

  .section .note.GNU-stack, "", %progbits
