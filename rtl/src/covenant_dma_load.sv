// Data path of a load: off-chip beats to a scratchpad (docs/reference/units/dma.md).
//
// A beat of cycle t is requested off-chip in cycle t + 1, arrives in cycle t + 1 + Latency, and is written in that cycle:
// visible in cycle t + Latency + 2. Fill beats take the same way without a request.
module covenant_dma_load #(
  parameter int unsigned BeatBytes     = 16,
  parameter int unsigned Latency       = 40,
  parameter int unsigned DataBytes     = 1,    // of an element of the scratchpad
  parameter int unsigned WriteElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,  // do not override
  parameter int unsigned WriteBytes    = WriteElements * DataBytes,                    // do not override
  parameter int unsigned OffsetWidth   = BeatBytes > 1 ? $clog2(BeatBytes) : 1,        // do not override
  parameter int unsigned CountWidth    = $clog2(BeatBytes + 1)                         // do not override
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    beat_valid_i,
  input  logic                    beat_inside_i,
  input  logic [31:0]             beat_address_i,
  input  logic [OffsetWidth-1:0]  beat_offset_i,
  input  logic [CountWidth-1:0]   beat_count_i,
  input  logic [31:0]             beat_onchip_i,
  input  logic [7:0]              beat_fill_i,
  // Off-chip port: the data of a request come Latency cycles later.
  output logic                    read_valid_o,
  output logic [31:0]             read_address_o,
  input  logic [BeatBytes*8-1:0]  read_data_i,
  // Scratchpad's write port.
  output logic                    write_valid_o,
  output logic [31:0]             write_element_o,
  output logic [WriteBytes*8-1:0] write_data_o,
  output logic [WriteBytes-1:0]   write_strobe_o
);

  // Request.
  logic        read_valid_q;
  logic [31:0] read_address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_valid_q   <= 1'b0;
      read_address_q <= '0;
    end else begin
      read_valid_q <= beat_valid_i && beat_inside_i;
      if (beat_valid_i) read_address_q <= beat_address_i;
    end
  end
  assign read_valid_o   = read_valid_q;
  assign read_address_o = read_address_q;

  // What to do with the answer.
  localparam int unsigned LineWidth = 1 + OffsetWidth + CountWidth + 32 + 8;
  logic                   inside_now, unused_busy;
  logic [OffsetWidth-1:0] offset;
  logic [CountWidth-1:0]  count;
  logic [31:0]            onchip;
  logic [7:0]             fill;

  covenant_delay #(
    .Width (LineWidth),
    .Cycles(Latency + 1)
  ) u_line (
    .clk_i,
    .rst_ni,
    .valid_i(beat_valid_i),
    .data_i ({beat_inside_i, beat_offset_i, beat_count_i, beat_onchip_i, beat_fill_i}),
    .valid_o(write_valid_o),
    .data_o ({inside_now, offset, count, onchip, fill}),
    .busy_o (unused_busy)
  );

  // Align: off-chip byte `offset` of the beat becomes the first byte at on-chip byte `onchip`.
  logic [31:0]            shift;
  logic [BeatBytes*8-1:0] run;
  logic [BeatBytes-1:0]   ones;

  always_comb begin
    shift           = '0;
    run             = '0;
    ones            = '0;
    write_element_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (write_valid_o) begin
      shift           = onchip % DataBytes;
      write_element_o = onchip / DataBytes;
      run            = inside_now ? read_data_i >> (32'(offset) * 32'd8) : {BeatBytes{fill}};
      ones           = {BeatBytes{1'b1}} >> (32'(BeatBytes) - 32'(count));
      write_data_o   = (WriteBytes*8)'(run) << (shift * 32'd8);
      write_strobe_o = WriteBytes'(ones) << shift;
    end
  end

endmodule
