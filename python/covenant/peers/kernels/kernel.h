// What kernels and their harness agree on: shapes, layouts and the entry.
#ifndef COVENANT_PEERS_KERNEL_H
#define COVENANT_PEERS_KERNEL_H

#include <hexagon_protos.h>
#include <hexagon_types.h>
#include <stdint.h>

#define VECTOR_BYTES 128

// Inputs and output of a kernel, each aligned to a vector. A kernel file defines `kernel`.
void kernel(const uint8_t *restrict first, const uint8_t *restrict second, uint8_t *restrict output);

static inline const HVX_Vector *vectors(const void *address) { return (const HVX_Vector *)address; }
static inline HVX_Vector *vectors_of(void *address) { return (HVX_Vector *)address; }

#endif
