#include "rtl/sc/register_port.h"

namespace covenant::sc {

void RegisterPort::read(uint32_t address) {
  state_ = State::kReads;
  owes_address_ = true;
  pins_.araddr = address;
}

void RegisterPort::write(uint32_t address, uint32_t value, uint32_t strobes) {
  state_ = State::kWrites;
  owes_address_ = owes_data_ = true;
  pins_.awaddr = address;
  pins_.wdata = value;
  pins_.wstrb = strobes;
}

void RegisterPort::refuse() {
  state_ = State::kIdle;
  answer_ = {rtl::AxiResponse::kSlaveError, 0};
}

void RegisterPort::drive() {
  const bool reads = state_ == State::kReads, writes = state_ == State::kWrites;
  pins_.arvalid = reads && owes_address_;
  pins_.rready = reads;
  pins_.awvalid = writes && owes_address_;
  pins_.wvalid = writes && owes_data_;
  pins_.bready = writes;
}

bool RegisterPort::observe() {
  if ((pins_.arvalid && pins_.arready) || (pins_.awvalid && pins_.awready)) owes_address_ = false;
  if (pins_.wvalid && pins_.wready) owes_data_ = false;
  const bool is_read = pins_.rvalid && pins_.rready;
  const bool is_written = pins_.bvalid && pins_.bready;
  if (!is_read && !is_written) return false;
  answer_ = is_read ? Answer{pins_.rresp, pins_.rdata} : Answer{pins_.bresp, 0};
  state_ = State::kIdle;
  return true;
}

}  // namespace covenant::sc
