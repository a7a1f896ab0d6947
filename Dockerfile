# SPDX-License-Identifier: BSD-3-Clause
# An image that runs cases on CPUs, and on NVIDIA GPUs where the container runtime brings the driver:
#
#   docker build -t atoll .
#
# The program opens the driver while it runs, so it needs the C library and nothing else. Without a Docker daemon
# make image does the same.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOAMD64=v1 GOFLAGS="$(scripts/goflags)" go build -trimpath -ldflags='-s -w' -o /atoll ./cmd/atoll

FROM gcr.io/distroless/base-debian12:nonroot
LABEL org.opencontainers.image.licenses="BSD-3-Clause" org.opencontainers.image.source="https://github.com/atoll-hpc/atoll"
COPY --from=build /atoll /atoll
ENTRYPOINT ["/atoll"]
