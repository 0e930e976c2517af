/* Stand in front of functions whose arguments nobody knows: every register that may hold one arrives
 * at the function, and every one that may hold a result at its caller.
 *
 * The return address is taken off the stack and the function is called anew, which puts another one
 * exactly there: arguments on the stack stay where the function looks for them, and the processor
 * predicts both returns. While the function runs, rbx, which it restores, holds the call's frame.
 *
 * By it exceptions find the way through. The trampoline then takes no room on the stack: its frame
 * and its caller's have one address, and unwinders know a frame by that. They tell a signal's frame
 * from the one that it interrupted, which is the same case: hence .cfi_signal_frame, and since what
 * is interrupted has no return address but the instruction's own, one less than that. */
#include "frame.h"

  .text
  .hidden roofmark_function_table
  .hidden roofmark_function_stubs
  .globl roofmark_function_stubs
  .type roofmark_function_stubs, @function
  .globl roofmark_redirection_stubs
  .set roofmark_redirection_stubs, roofmark_function_stubs
  .balign 64
roofmark_function_stubs:
  .cfi_startproc
  .set hook, 0
  .rept ROOFMARK_MOST_HOOKS
  endbr64
  leaq roofmark_function_table+hook*ROOFMARK_HOOK_BYTES(%rip), %r11
  jmp trampoline
  .balign ROOFMARK_STUB_BYTES
  .set hook, hook + 1
  .endr
  .cfi_endproc
  .size roofmark_function_stubs, . - roofmark_function_stubs

/* Arguments: rdi rsi rdx rcx r8 r9, al (how many vectors a variadic call has), r10 (the static
 * chain), xmm0 to xmm7 in full width. */
  .type trampoline, @function
  .balign 64
trampoline:
  .cfi_startproc
  .cfi_signal_frame
  pushq %rax
  .cfi_adjust_cfa_offset 8
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %r9
  .cfi_adjust_cfa_offset 8
  pushq %r10
  .cfi_adjust_cfa_offset 8
  pushq %r11
  .cfi_adjust_cfa_offset 8
  movq %r11, %rdi
  leaq 72(%rsp), %rsi
  movq %rbx, %rdx
  movq 72(%rsp), %rcx
  call roofmark_function_enter
  testq %rax, %rax
  jz enter_slow
entered:
  movq %rax, %r11
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r10
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  popq %rax
  .cfi_adjust_cfa_offset -8
  .cfi_remember_state
  movq %r11, %rbx
  /* rbx lies at (rbx + 32): DW_CFA_expression {DW_OP_breg3 32} */
  .cfi_escape 0x10, 3, 2, 0x73, ROOFMARK_FRAME_OUTER_KEPT
  addq $8, %rsp
  .cfi_def_cfa_offset 0
  /* rip is *(rbx + 24) - 1: DW_CFA_val_expression {DW_OP_breg3 24, DW_OP_deref, DW_OP_lit1,
   * DW_OP_minus} */
  .cfi_escape 0x16, 16, 5, 0x73, ROOFMARK_FRAME_OUTER_RETURN, 0x06, 0x31, 0x1c
  call *ROOFMARK_FRAME_TARGET(%rbx)
  .globl roofmark_function_returned
  .hidden roofmark_function_returned
roofmark_function_returned:

  /* Results: rax, rdx, xmm0, xmm1, and the x87 stack, which nothing here uses. */
  pushq ROOFMARK_FRAME_RETURN(%rbx)
  .cfi_def_cfa_offset 8
  .cfi_offset rip, -8
  pushq ROOFMARK_FRAME_KEPT(%rbx)
  .cfi_def_cfa_offset 16
  .cfi_offset rbx, -16
  pushq %rax
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  subq $32, %rsp
  .cfi_adjust_cfa_offset 32
  movaps %xmm0, (%rsp)
  movaps %xmm1, 16(%rsp)
  movq %rbx, %rdi
  call roofmark_function_leave
  testl %eax, %eax
  movaps (%rsp), %xmm0 /* no upper half is lost: neither here nor there is it touched */
  movaps 16(%rsp), %xmm1
  jz leave_slow
left:
  addq $32, %rsp
  .cfi_adjust_cfa_offset -32
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rax
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore rbx
  ret

leave_slow:
  .cfi_def_cfa_offset 64
  .cfi_offset rbx, -16
  subq $160, %rsp
  .cfi_adjust_cfa_offset 160
  call roofmark_function_vectors
  movl %eax, 128(%rsp)
  cmpl $1, %eax
  je 1f
  ja 2f
  movups %xmm0, (%rsp)
  movups %xmm1, 64(%rsp)
  jmp 3f
1:vmovups %ymm0, (%rsp)
  vmovups %ymm1, 64(%rsp)
  jmp 3f
2:vmovups %zmm0, (%rsp)
  vmovups %zmm1, 64(%rsp)
3:movq %rbx, %rdi
  call roofmark_function_leave_slow
  cmpl $1, 128(%rsp)
  je 1f
  ja 2f
  movups (%rsp), %xmm0
  movups 64(%rsp), %xmm1
  jmp 3f
1:vmovups (%rsp), %ymm0
  vmovups 64(%rsp), %ymm1
  jmp 3f
2:vmovups (%rsp), %zmm0
  vmovups 64(%rsp), %zmm1
3:addq $160, %rsp
  .cfi_adjust_cfa_offset -160
  jmp left

enter_slow:
  .cfi_restore_state
  .cfi_def_cfa_offset 80
  subq $528, %rsp
  .cfi_adjust_cfa_offset 528
  call roofmark_function_vectors
  movl %eax, 512(%rsp)
  cmpl $1, %eax
  je 1f
  ja 2f
  .set i, 0
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movups %xmm\n, 64*\n(%rsp)
  .endr
  jmp 3f
1:.irp n, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups %ymm\n, 64*\n(%rsp)
  .endr
  jmp 3f
2:.irp n, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups %zmm\n, 64*\n(%rsp)
  .endr
3:movq 528(%rsp), %rdi
  leaq 528+72(%rsp), %rsi
  movq %rbx, %rdx
  movq 528+72(%rsp), %rcx
  call roofmark_function_enter_slow
  cmpl $1, 512(%rsp)
  je 1f
  ja 2f
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  movups 64*\n(%rsp), %xmm\n
  .endr
  jmp 3f
1:.irp n, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups 64*\n(%rsp), %ymm\n
  .endr
  jmp 3f
2:.irp n, 0, 1, 2, 3, 4, 5, 6, 7
  vmovups 64*\n(%rsp), %zmm\n
  .endr
3:addq $528, %rsp
  .cfi_adjust_cfa_offset -528
  testq %rax, %rax
  jnz entered
  popq %r11
  .cfi_adjust_cfa_offset -8
  movq ROOFMARK_HOOK_TARGET(%r11), %r11
  popq %r10
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  popq %rax
  .cfi_adjust_cfa_offset -8
  jmp *%r11
  .cfi_endproc
  .size trampoline, . - trampoline

  .section .note.GNU-stack, "", @progbits
