// The entry of a program without an operating system, its calls to the host, and the core's counters.
  .text
  .globl _start
  .p2align 4
_start:
  { r29 = ##stack + 65536 }
  { call main }
  { r6 = #93 }
  { trap0(#1) }

  .globl system_call
  .p2align 4
system_call:                  // (file, buffer, bytes, number): the host's answer
  { r6 = r3 }
  { trap0(#1) }
  { jumpr r31 }

  .globl packets
  .p2align 4
packets:                      // packets executed so far; a register without a name in the assembler
  .word 0x6a14c000            // r0 = c20
  { jumpr r31 }

  .globl cycles
  .p2align 4
cycles:                       // clock cycles so far
  { r0 = upcyclelo }
  { jumpr r31 }

  .bss
  .p2align 7
stack:
  .space 65536
