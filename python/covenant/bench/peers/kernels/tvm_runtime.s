// What code of TVM asks of its surroundings: work spaces, and a place for errors that its packed entry reports.
// That entry is never called, and work spaces are never used again: there are a few for each call of a kernel.
  .text
  .p2align 4
take:                         // (device, number, bytes in r3:2, type): the next space, aligned to a vector
  { r4 = ##next; r2 = add(r2, #127) }
  { r0 = memw(r4+#0); r2 = and(r2, #-128) }
  { r2 = add(r0, r2) }
  { memw(r4+#0) = r2; jumpr r31 }

  .p2align 4
give_back:                    // (device, number, space): no error
  { r0 = #0; jumpr r31 }

  .globl TVMFFIErrorSetRaisedFromCStrParts
TVMFFIErrorSetRaisedFromCStrParts:
  { jumpr r31 }

  .data
  .p2align 2
  .globl __TVMBackendAllocWorkspace, __TVMBackendFreeWorkspace
__TVMBackendAllocWorkspace:   // weak in TVM's code
  .word take
__TVMBackendFreeWorkspace:
  .word give_back
next:
  .word spaces

  .bss
  .p2align 7
spaces:
  .space 65536
