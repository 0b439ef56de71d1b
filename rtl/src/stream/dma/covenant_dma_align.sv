// Turns a beat into a write of a scratchpad (docs/reference/units/dma.md): moves the far byte `offset_i` of the beat to
// on-chip byte `onchip_i`. A beat outside the limits has no data and writes the fill: on-chip byte a gets byte a mod
// FillBytes of it.
module covenant_dma_align #(
  parameter int unsigned BeatBytes     = 16,
  parameter int unsigned DataBytes     = 1,    // bytes of an element of the scratchpad
  parameter int unsigned FillBytes     = 1,    // bytes of the fill
  parameter int unsigned WriteElements = (BeatBytes + DataBytes - 2) / DataBytes + 1,  // do not override
  parameter int unsigned WriteBytes    = WriteElements * DataBytes,                    // do not override
  parameter int unsigned OffsetWidth   = BeatBytes > 1 ? $clog2(BeatBytes) : 1,        // do not override
  parameter int unsigned CountWidth    = $clog2(BeatBytes + 1)                         // do not override
) (
  input  logic                    valid_i,
  input  logic                    inside_i,
  input  logic [OffsetWidth-1:0]  offset_i,
  input  logic [CountWidth-1:0]   count_i,
  input  logic [31:0]             onchip_i,
  input  logic [FillBytes*8-1:0]  fill_i,
  input  logic [BeatBytes*8-1:0]  data_i,
  // Scratchpad's write port.
  output logic                    write_valid_o,
  output logic [31:0]             write_element_o,
  output logic [WriteBytes*8-1:0] write_data_o,
  output logic [WriteBytes-1:0]   write_strobe_o
);

  logic [31:0]            shift;
  logic [BeatBytes*8-1:0] filled;
  logic [BeatBytes*8-1:0] run;
  logic [BeatBytes-1:0]   ones;
  assign write_valid_o = valid_i;

  if (FillBytes == 1) begin : gen_byte
    assign filled = {BeatBytes{fill_i}};
  end else begin : gen_pattern
    always_comb begin
      filled = '0;
      for (int unsigned b = 0; b < BeatBytes; b++) begin
        filled[b*8 +: 8] = fill_i[((onchip_i + b) % FillBytes)*8 +: 8];
      end
    end
  end

  always_comb begin
    shift           = '0;
    run             = '0;
    ones            = '0;
    write_element_o = '0;
    write_data_o    = '0;
    write_strobe_o  = '0;
    if (valid_i) begin
      shift           = onchip_i % DataBytes;
      write_element_o = onchip_i / DataBytes;
      run             = inside_i ? data_i >> (32'(offset_i) * 32'd8) : filled;
      ones            = {BeatBytes{1'b1}} >> (32'(BeatBytes) - 32'(count_i));
      write_data_o    = (WriteBytes*8)'(run) << (shift * 32'd8);
      write_strobe_o  = WriteBytes'(ones) << shift;
    end
  end

endmodule
