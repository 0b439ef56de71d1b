// Reads a kernel's inputs, runs it, and writes counters of packets and cycles followed by its output.
// Sizes in bytes come from the command line of the compiler.
#include "kernel.inc"

static uint8_t first[FIRST_BYTES] __attribute__((aligned(VECTOR_BYTES)));
static uint8_t second[SECOND_BYTES] __attribute__((aligned(VECTOR_BYTES)));
static uint8_t output[OUTPUT_BYTES] __attribute__((aligned(VECTOR_BYTES)));

uint32_t system_call(uint32_t file, void *buffer, uint32_t bytes, uint32_t number);
uint32_t packets(void);
uint32_t cycles(void);

enum { READ = 63, WRITE = 64 };

static void read_all(uint8_t *to, uint32_t bytes) {
  while (bytes > 0) {
    const uint32_t got = system_call(0, to, bytes, READ);
    if (got == 0) return;
    to += got;
    bytes -= got;
  }
}

static void write_all(uint8_t *from, uint32_t bytes) {
  while (bytes > 0) {
    const uint32_t gone = system_call(1, from, bytes, WRITE);
    from += gone;
    bytes -= gone;
  }
}

int main(void) {
  read_all(first, FIRST_BYTES);
  read_all(second, SECOND_BYTES);
  uint32_t counters[2] = {packets(), cycles()};
  kernel(first, second, output);
  counters[1] = cycles() - counters[1];
  counters[0] = packets() - counters[0];
  write_all((uint8_t *)counters, sizeof counters);
  write_all(output, OUTPUT_BYTES);
  return 0;
}
