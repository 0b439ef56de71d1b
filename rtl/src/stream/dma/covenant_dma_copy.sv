// Data path of a load between two scratchpads (docs/reference/units/dma.md).
//
// A beat of cycle t reads the far scratchpad in cycle t + 1, has its data in t + 2, and is written EdgeLatency cycles
// later. A scratchpad always answers, so nothing ever waits.
module covenant_dma_copy #(
  parameter int unsigned BeatBytes     = 16,
  parameter int unsigned EdgeLatency   = 0,
  parameter int unsigned FarDataBytes  = 1,    // bytes of an element of the scratchpad that is read
  parameter int unsigned DataBytes     = 1,    // bytes of an element of the one that is written
  parameter int unsigned FillBytes     = 1,    // bytes of the fill
  parameter int unsigned ReadElements  = (BeatBytes + FarDataBytes - 2) / FarDataBytes + 1,  // do not override
  parameter int unsigned WriteElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,        // do not override
  parameter int unsigned WriteBytes    = WriteElements * DataBytes,                          // do not override
  parameter int unsigned OffsetWidth   = BeatBytes > 1 ? $clog2(BeatBytes) : 1,              // do not override
  parameter int unsigned CountWidth    = $clog2(BeatBytes + 1)                               // do not override
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   beat_valid_i,
  input  logic                                   beat_inside_i,
  input  logic [31:0]                            beat_address_i,
  input  logic [OffsetWidth-1:0]                 beat_offset_i,
  input  logic [CountWidth-1:0]                  beat_count_i,
  input  logic [31:0]                            beat_onchip_i,
  input  logic [FillBytes*8-1:0]                 beat_fill_i,
  // Far scratchpad's read port.
  output logic                                   read_valid_o,
  output logic [31:0]                            read_element_o,
  input  logic [ReadElements*FarDataBytes*8-1:0] read_data_i,
  // Near scratchpad's write port.
  output logic                                   write_valid_o,
  output logic [31:0]                            write_element_o,
  output logic [WriteBytes*8-1:0]                write_data_o,
  output logic [WriteBytes-1:0]                  write_strobe_o
);

  // Request.
  logic        read_valid_q;
  logic [31:0] address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_valid_q <= 1'b0;
      address_q    <= '0;
    end else begin
      read_valid_q <= beat_valid_i && beat_inside_i;
      if (beat_valid_i) address_q <= beat_address_i;
    end
  end
  assign read_valid_o = read_valid_q;

  logic [31:0]            shift_q;
  logic                   valid_q, unused_valid, unused_busy;
  logic [BeatBytes*8-1:0] beat, answer;

  always_comb begin
    read_element_o = '0;
    if (read_valid_o) read_element_o = address_q / FarDataBytes;
  end

  // Accompanies the data: where in the first element the beat begins.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      shift_q <= '0;
    end else begin
      valid_q <= read_valid_o;
      if (read_valid_o) shift_q <= address_q % FarDataBytes;
    end
  end

  always_comb begin
    beat = '0;
    if (valid_q) beat = (BeatBytes*8)'(read_data_i >> (shift_q * 32'd8));
  end

  covenant_delay #(
    .Width (BeatBytes * 8),
    .Cycles(EdgeLatency)
  ) u_edge (
    .clk_i,
    .rst_ni,
    .valid_i(valid_q),
    .data_i (beat),
    .valid_o(unused_valid),
    .data_o (answer),
    .busy_o (unused_busy)
  );

  // Accompanies the data: what to do with it.
  localparam int unsigned LineWidth = 1 + OffsetWidth + CountWidth + 32 + FillBytes*8;
  logic                   leaves, inside_now, unused_line;
  logic [OffsetWidth-1:0] offset;
  logic [CountWidth-1:0]  count;
  logic [31:0]            onchip;
  logic [FillBytes*8-1:0] fill;

  covenant_delay #(
    .Width (LineWidth),
    .Cycles(EdgeLatency + 2)
  ) u_line (
    .clk_i,
    .rst_ni,
    .valid_i(beat_valid_i),
    .data_i ({beat_inside_i, beat_offset_i, beat_count_i, beat_onchip_i, beat_fill_i}),
    .valid_o(leaves),
    .data_o ({inside_now, offset, count, onchip, fill}),
    .busy_o (unused_line)
  );

  covenant_dma_align #(
    .BeatBytes(BeatBytes),
    .DataBytes(DataBytes),
    .FillBytes(FillBytes)
  ) u_align (
    .valid_i (leaves),
    .inside_i(inside_now),
    .offset_i(offset),
    .count_i (count),
    .onchip_i(onchip),
    .fill_i  (fill),
    .data_i  (answer),
    .write_valid_o,
    .write_element_o,
    .write_data_o,
    .write_strobe_o
  );

endmodule
