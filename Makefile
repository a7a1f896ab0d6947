# With these flags every build computes the same bits: the compiler does not fuse multiplications and additions.
# GOAMD64=v1 runs on every amd64.
export GOAMD64 = v1
export GOFLAGS := $(shell scripts/goflags)

.DEFAULT_GOAL := help
.PHONY: help build build-mpi demo docs test test-command test-go test-race test-mpi test-slurm test-swarm test-arm64 test-k8s swarm image wheel release race parity fuzz chaos soak recovery verify bench generate lint vulnerabilities same-results same-speed clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/atoll
	go build -o bin/atoll ./cmd/atoll

# Go finds Open MPI by its file ompi.pc for pkg-config. MPI=mpich builds with MPICH instead: docs/mpi.md.
build-mpi: ## build bin/atoll with MPI (needs an MPI library, a C compiler and pkg-config)
	CGO_ENABLED=1 $(if $(filter mpich,$(MPI)),PKG_CONFIG_PATH=$(CURDIR)/dist/mpi/mpich) go build -tags mpi -o bin/atoll ./cmd/atoll

demo: build ## an internal dam break on 4 rank processes: progress, summary and pictures in out/dam-break
	./bin/atoll run examples/dam-break.toml --ranks 4 --transport grpc
	./bin/atoll plot out/dam-break

# lint compiles what the other targets need, but not what test-arm64 needs. Then three targets run at a time, since
# test-command and test-mpi mostly wait.
test: ## lint and all tests
	$(MAKE) --no-print-directory --jobs=2 lint test-arm64
	$(MAKE) --no-print-directory --jobs=3 test-command test-go test-mpi test-race test-slurm test-swarm

# A package may take an hour, not Go's 10 minutes: on a loaded machine that is no fault.
patience := -timeout 1h

# halo.invariants=on overwrites ghosts with NaN during an exchange (halo/poison.go). Package cmd/atoll is tested without
# it, as users build it; package halo is tested with and without it. -vet=off: target lint runs vet. test-slurm runs
# TestSlurm.
test-go:
	go test $(patience) -vet=off -ldflags='-X github.com/atoll-hpc/atoll/halo.invariants=on' $$(go list ./... | grep -v '/cmd/atoll$$')

test-command:
	go test $(patience) -vet=off -skip '^TestSlurm$$' ./halo ./cmd/atoll

# Packages without tests are left out, since go test compiles them too. -short leaves out tests of dist/grpc that repeat,
# with a process for each rank, what others test with ranks in one process; make race runs them too.
test-race:
	@if command -v gcc >/dev/null; then set -x; go test $(patience) -vet=off -short -race $$(go list -f \
	  '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./dist/... ./halo ./backend/... ./launch); \
	else echo "SKIPPED: tests with the race detector, which needs gcc" >&2; test -z "$$CI"; fi

test-mpi test-slurm:
	./scripts/$@

# Random cases: another seed each time, which is printed. In CI for a minute.
test-swarm:
	ATOLL_SWARM=$(if $(CI),60s,10s) go test $(patience) -vet=off ./internal/swarm -run '^TestSwarm$$' -count=1 -v

test-arm64:
	./scripts/same-bits-arm64

test-k8s: image ## run jobs of all solvers on the cluster of KUBECONFIG, which must have the image atoll:test
	./scripts/test-k8s

image: build ## make bin/atoll.tar, a container image for Kubernetes, without a Docker daemon
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/image/atoll ./cmd/atoll
	go run ./internal/cmd/image -o bin/atoll.tar -name $(or $(IMAGE),atoll:test) bin/image/atoll

docs: build ## build the site of the documentation, in bin/site (needs pip install mkdocs-material)
	./scripts/docs

wheel: ## make a wheel for Python from this tree, in bin/wheel
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/wheel/atoll ./cmd/atoll
	./scripts/licenses bin/wheel/atoll >bin/wheel/THIRD-PARTY.txt
	./scripts/wheel bin/wheel bin/wheel/atoll

release: ## make archives, wheels, SBOMs and checksums for Linux, macOS and Windows, in bin/release
	./scripts/release

parity: ## compare vector kernels with plain Go, on a million random inputs each
	ATOLL_PARITY=1000000 go test ./solvers/... -run '^TestVectorsOfAnyNumbers$$' -count=1 -v

race: ## all tests with the race detector
	go test -race ./...

fuzz: ## every fuzz target for FUZZTIME (2m)
	./scripts/fuzz $(or $(FUZZTIME),2m)

# The tests on two hosts use network namespaces, which need root: without root they are skipped.
chaos: ## disturb runs of all solvers CHAOS (20) times each, on one host and on two; takes minutes
	ATOLL_CHAOS=$(or $(CHAOS),20) go test ./cmd/atoll -run '^TestChaos' -count=1 -timeout 1h -v

swarm: ## random cases of all solvers under random schedules: SWARM (1000) cases or a time (10m), from SEED on
	ATOLL_SWARM=$(or $(SWARM),1000) ATOLL_SWARM_SEED=$(SEED) go test ./internal/swarm -run '^TestSwarm$$' -count=1 \
	  -timeout 24h -v

soak: ## kill a rank of a run every minute for SOAK (1h), and check the use of memory, files and disk
	ATOLL_SOAK=$(or $(SOAK),1h) go test ./cmd/atoll -run '^TestSoak$$' -count=1 -timeout 24h -v

recovery: ## measure the time from the kill of a rank until the run continues, and the time of a start
	ATOLL_RECOVERY=$(or $(TIMES),9) go test ./cmd/atoll -run '^TestRecovery$$' -count=1 -v

verify: build ## compute Atoll's results for published tables, and compare them
	./bin/atoll verify

bench: build ## measure throughput
	./bin/atoll bench shallow

generate: ## make all generated files again
	go generate ./...

# GOGC=400 saves the compiler and the analyzers at least a tenth of their time, for about 100 MB of memory each. Lint,
# which compiles most, saves another tenth without garbage collection, for at most 1 GiB of each process.
test-go test-race test-swarm test-arm64: export GOGC = 400
lint: export GOGC = off
lint: export GOMEMLIMIT = 1GiB

lint: ## formatting, vet and staticcheck
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo "gofmt -w these files"; exit 1; }
	go build -C internal/cmd/vet -o $(CURDIR)/bin/vet
	go vet -vettool=bin/vet ./...

# The database is that of vuln.go.dev, or GOVULNDB, which may be a folder: docs/development.md.
vulnerabilities: ## list known vulnerabilities of Go and of modules that reach this code (needs vuln.go.dev)
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(addprefix -db ,$(GOVULNDB)) ./...
	go run -C internal/cmd/vet golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(addprefix -db ,$(GOVULNDB)) ./...

same-results: ## compare all results of this tree with those of the commit OLD (main), bit for bit
	./scripts/compare-results $(or $(OLD),main) .

same-speed: ## measure the speed of this tree and of the commit OLD (main), alternately
	./scripts/bench-gate $(or $(OLD),main) .

clean: ## remove the folders bin and out
	rm -rf bin out
