// Data path of a store: a scratchpad's bytes to off-chip beats (docs/reference/units/dma.md).
//
// A beat of cycle t reads the scratchpad in cycle t + 1 and stands at the off-chip port in cycle t + 2; the memory shows it
// Latency cycles later, in cycle t + Latency + 2. Beats outside the limits write nothing.
module covenant_dma_store #(
  parameter int unsigned BeatBytes    = 16,
  parameter int unsigned DataBytes    = 4,    // of an element of the scratchpad
  parameter int unsigned ReadElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,  // do not override
  parameter int unsigned OffsetWidth  = BeatBytes > 1 ? $clog2(BeatBytes) : 1,        // do not override
  parameter int unsigned CountWidth   = $clog2(BeatBytes + 1)                         // do not override
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                beat_valid_i,
  input  logic                                beat_inside_i,
  input  logic [31:0]                         beat_address_i,
  input  logic [OffsetWidth-1:0]              beat_offset_i,
  input  logic [CountWidth-1:0]               beat_count_i,
  input  logic [31:0]                         beat_onchip_i,
  // Scratchpad's read port.
  output logic                                read_valid_o,
  output logic [31:0]                         read_element_o,
  input  logic [ReadElements*DataBytes*8-1:0] read_data_i,
  // Off-chip port.
  output logic                                write_valid_o,
  output logic [31:0]                         write_address_o,
  output logic [BeatBytes*8-1:0]              write_data_o,
  output logic [BeatBytes-1:0]                write_strobe_o
);

  typedef struct packed {
    logic [31:0]            address;
    logic [OffsetWidth-1:0] offset;
    logic [CountWidth-1:0]  count;
    logic [31:0]            onchip;
  } beat_t;

  beat_t beat_q, beat_q2;    // while the scratchpad is read, with its data
  logic  valid_q, valid_q2;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      valid_q2 <= 1'b0;
      beat_q   <= '0;
      beat_q2  <= '0;
    end else begin
      valid_q  <= beat_valid_i && beat_inside_i;
      valid_q2 <= valid_q;
      if (beat_valid_i) beat_q <= {beat_address_i, beat_offset_i, beat_count_i, beat_onchip_i};
      if (valid_q) beat_q2 <= beat_q;
    end
  end

  assign read_valid_o = valid_q;
  always_comb begin
    read_element_o = '0;
    if (valid_q) read_element_o = beat_q.onchip / DataBytes;
  end

  logic [31:0]            shift;
  logic [BeatBytes*8-1:0] run;
  logic [BeatBytes-1:0]   ones;
  assign write_valid_o = valid_q2;

  always_comb begin
    shift           = '0;
    run             = '0;
    ones            = '0;
    write_address_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (valid_q2) begin
      shift           = beat_q2.onchip % DataBytes;
      run             = (BeatBytes*8)'(read_data_i >> (shift * 32'd8));
      ones            = {BeatBytes{1'b1}} >> (32'(BeatBytes) - 32'(beat_q2.count));
      write_address_o = beat_q2.address;
      write_data_o    = run << (32'(beat_q2.offset) * 32'd8);
      write_strobe_o  = ones << beat_q2.offset;
    end
  end

endmodule
