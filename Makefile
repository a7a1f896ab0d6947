# Every build and test computes the same bits: no processor fuses a multiplication and an addition. GOAMD64=v1 runs on
# every amd64.
export GOAMD64 = v1
export GOFLAGS := $(shell scripts/goflags)

.DEFAULT_GOAL := help
.PHONY: help build build-mpi demo test race fuzz verify bench generate lint same-results same-speed clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/atoll
	go build -o bin/atoll ./cmd/atoll

# Go finds the MPI by its ompi.pc. MPI=mpich takes MPICH instead: docs/mpi.md.
build-mpi: ## build bin/atoll that speaks MPI as well (needs an MPI, a C compiler and pkg-config)
	CGO_ENABLED=1 $(if $(filter mpich,$(MPI)),PKG_CONFIG_PATH=$(CURDIR)/dist/mpi/mpich) go build -tags mpi -o bin/atoll ./cmd/atoll

demo: build ## an internal dam break on 4 rank processes: progress, summary and pictures in out/dam-break
	./bin/atoll run examples/dam-break.toml --ranks 4 --transport grpc
	./bin/atoll plot out/dam-break

# What moves ghosts is tested with ghosts poisoned while they travel (halo/poison.go), package halo without that too.
# Lint has vetted all tests, and scripts/test-slurm runs TestSlurm.
poisoned = ./halo ./run ./solvers/...

test: lint ## all tests
	go test -vet=off -tags invariants $(poisoned)
	go test -vet=off -skip '^TestSlurm$$' ./halo $$(go list ./... | grep -Fxv "$$(go list $(poisoned))")
	@if command -v gcc >/dev/null; then set -x; go test -vet=off -race ./dist/... ./halo ./backend/... ./launch; \
	else echo "SKIPPED: tests with the race detector, which needs gcc" >&2; test -z "$$CI"; fi
	./scripts/test-mpi
	./scripts/test-slurm
	./scripts/same-bits-arm64

race: ## all tests with the race detector
	go test -race ./...

fuzz: ## every fuzz target for FUZZTIME (2m)
	./scripts/fuzz $(or $(FUZZTIME),2m)

verify: build ## reproduce the published tables, theirs beside ours
	./bin/atoll verify

bench: build ## measure throughput
	./bin/atoll bench shallow

generate: ## make all generated files again
	go generate ./...

# GOGC=400 saves staticcheck a third of its time; it has some 300 MB then.
lint: ## formatting, vet and staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo "gofmt -w these files"; exit 1; }
	go vet ./...
	GOGC=400 go run honnef.co/go/tools/cmd/staticcheck ./...

same-results: ## compare every bit of the results of this tree with those of the commit OLD (main)
	./scripts/compare-results $(or $(OLD),main) .

same-speed: ## measure this tree and the commit OLD (main) in turns
	./scripts/bench-gate $(or $(OLD),main) .

clean: ## remove what was built and run
	rm -rf bin out
