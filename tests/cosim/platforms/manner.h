/// The behaviour of a foreign memory: when and by which phases it answers.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::platforms {

/// Ranges of latencies are in nanoseconds, both ends included. What is allowed happens to some bursts, by their number.
struct Manner {
  uint64_t seed = 0;
  uint64_t read_low = 0, read_high = 0;
  uint64_t write_low = 0, write_high = 0;
  uint64_t bus = 0;           ///< nanoseconds on the way to the memory, annotated to requests
  uint64_t serial = 0;        ///< nanoseconds for which a burst keeps the memory from all others
  bool completes = false;     ///< TLM_COMPLETED at the request, with the time of the response as its delay
  bool responds = false;      ///< TLM_UPDATED with BEGIN_RESP at the request
  bool accepts = false;       ///< END_REQ comes later, backwards
  bool skips = false;         ///< BEGIN_RESP stands for END_REQ, too
  bool ends_later = false;    ///< END_REQ has an annotated delay
  bool annotates = false;     ///< responses are told ahead of their time
  bool samples_late = false;  ///< bytes of a read are those of the time of its response
  bool restores = true;       ///< the bus gives back the address that the initiator has set
  bool grants = false;        ///< direct access, withdrawn every `moves` nanoseconds: bytes then lie elsewhere
  uint64_t moves = 0;

  std::string text() const;
};

/// A number drawn by what it is for.
uint64_t drawn(uint64_t seed, uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0);

}  // namespace covenant::platforms
