# Covenant SDK on Debian 12: `covenant` with all that its commands need, RTL and area too.
#
#     docker build -t covenant .
#     docker run --rm -v "$PWD:/work" covenant run model.onnx -m genesys --compare onnxruntime
#
# docs/guide/install.md says more. tests/docs/bare_debian.py follows this file without Docker, and measures it.
FROM debian:12

# What the package is built with, what it runs with, and the tools of `covenant rtl`, `cosim` and `area`.
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      g++ cmake ninja-build python3-dev python3-venv \
      zlib1g-dev libfmt-dev libeigen3-dev nlohmann-json3-dev libsystemc-dev \
      protobuf-compiler libprotobuf-dev libonnx-dev \
      make verilator yosys qflow-tech-osu018 ca-certificates \
 && rm -rf /var/lib/apt/lists/*

RUN python3 -m venv /opt/covenant

COPY . /src
RUN /opt/covenant/bin/pip install --no-cache-dir /src && rm -rf /src

ENV PATH=/opt/covenant/bin:$PATH
WORKDIR /work
ENTRYPOINT ["covenant"]
