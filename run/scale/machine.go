package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

// Machine is what messages and steps take on a machine, all times in s: the parameters of LogGOPS (T. Hoefler, T.
// Schneider and A. Lumsdaine, "LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010).
type Machine struct {
	Name   string `json:"name"`
	Source string `json:"source"` // where the numbers are from

	Latency         float64 `json:"latency"`           // L, from the end of a send to the arrival of its first byte
	Overhead        float64 `json:"overhead"`          // o, for which a processor sends or receives a message
	OverheadPerByte float64 `json:"overhead_per_byte"` // O
	Gap             float64 `json:"gap"`               // g, between messages that a rank sends
	GapPerByte      float64 `json:"gap_per_byte"`      // G
	// Eager is S: longer messages, in bytes, wait until the receiver is ready; 0 for no limit.
	Eager float64 `json:"eager"`
	// Reduction is how collectives travel: by doubling (each rank with another, round by round) or along a tree, to rank 0
	// and back.
	Reduction string `json:"reduction"`
	// AtOnce makes blocks of grids exchange with all neighbours at once, as linked devices do, not axis by axis.
	AtOnce bool `json:"at_once"`
	// Step, unless it is 0, is the time of a step of the whole case on one rank; all computations are scaled by it.
	// Otherwise they take Slowdown times as long as measured here, by default 1.
	Step     float64 `json:"step"`
	Slowdown float64 `json:"slowdown"`
}

// The ways of collectives.
const (
	doubling = "doubling"
	tree     = "tree"
)

// presets are machines whose numbers are published. Computations take as long as measured here.
var presets = []Machine{
	{Name: "grpc", Source: "gRPC between processes of one machine with 64 cores: docs/benchmarks/communication.md, " +
		"docs/clusters.md", Latency: 6e-6, Overhead: 5e-6, GapPerByte: 1 / 2.9e9, Reduction: tree},
	{Name: "mpi", Source: "MPI in the memory of one machine, Open MPI 4.1.4: docs/benchmarks/communication.md",
		Latency: .15e-6, Overhead: .2e-6, GapPerByte: 22.4e-6 / (512 << 10), Reduction: doubling},
	{Name: "loggopsim", Source: "the values that the simulator LogGOPSim 1.1 has for a network of clusters by default " +
		"(github.com/spcl/LogGOPSim)", Latency: 2.5e-6, Overhead: 1.5e-6, Gap: 1e-6, GapPerByte: 6e-9, Eager: 65535,
		Reduction: doubling},
	{Name: "h200-p2p", Source: "exchanges between two H200s by P2P: docs/benchmarks/several-gpus.md", Latency: 7.5e-6,
		Overhead: .5e-6, GapPerByte: 25.1e-6 / (8 << 20), Reduction: doubling, AtOnce: true},
	{Name: "h200-nccl", Source: "exchanges between two H200s by NCCL: docs/benchmarks/several-gpus.md", Latency: 15.2e-6,
		Overhead: .5e-6, GapPerByte: 53.3e-6 / (8 << 20), Reduction: doubling, AtOnce: true},
}

// MachineNames returns the names that FindMachine knows.
func MachineNames() (names []string) {
	names = []string{"here"}
	for _, m := range presets {
		names = append(names, m.Name)
	}
	return names
}

// FindMachine returns the machine of a name or of a JSON file. "here" is measured.
func FindMachine(ctx context.Context, name string) (*Machine, error) {
	if name == "here" {
		return Measure(ctx)
	}
	if i := slices.IndexFunc(presets, func(m Machine) bool { return m.Name == name }); i >= 0 {
		m := presets[i]
		return &m, m.check()
	}
	if !strings.HasSuffix(name, ".json") {
		return nil, &solvers.BadInput{Err: fmt.Errorf("there is no machine %q; %s, or give a .json file", name,
			words.Choose(MachineNames()))}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &solvers.BadInput{Err: err}
	}
	var m Machine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := errors.Join(d.Decode(&m), m.check()); err != nil {
		return nil, &solvers.BadInput{Err: fmt.Errorf("%s: %w", name, err)}
	}
	return &m, nil
}

// check sets defaults, and refuses numbers that are none of a machine.
func (m *Machine) check() error {
	if m.Reduction == "" {
		m.Reduction = doubling
	}
	if m.Slowdown == 0 {
		m.Slowdown = 1
	}
	if m.Reduction != doubling && m.Reduction != tree {
		return fmt.Errorf("reduction %q is not known; choose %s or %s", m.Reduction, doubling, tree)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"latency", m.Latency}, {"overhead", m.Overhead}, {"overhead_per_byte", m.OverheadPerByte}, {"gap", m.Gap},
		{"gap_per_byte", m.GapPerByte}, {"eager", m.Eager}, {"step", m.Step}, {"slowdown", m.Slowdown}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return fmt.Errorf("%s = %g: give 0 or a positive number, of seconds or bytes", v.name, v.value)
		}
	}
	return nil
}

// Measure measures messages between two ranks of this process: half of a round trip of a short and of a long message,
// and how long a send keeps the sender.
func Measure(ctx context.Context) (*Machine, error) {
	const short, long, trips = 64, 1 << 20, 400
	comms := local.New(2)
	answered := make(chan error, 1)
	go func() { answered <- pingPong(ctx, comms[1], []int{short, long}, trips, nil) }()
	var halves [2]float64
	var sends float64
	err := pingPong(ctx, comms[0], []int{short, long}, trips, func(k int, half, send float64) {
		halves[k] = half
		if k == 0 {
			sends = send
		}
	})
	err = errors.Join(err, <-answered, comms[0].Close(), comms[1].Close())
	m := &Machine{Name: "here", Source: "measured between two ranks of this process, which share its memory",
		Reduction: doubling}
	m.Overhead = min(sends, halves[0]/2)
	m.Latency = halves[0] - 2*m.Overhead
	m.GapPerByte = max(0, halves[1]-halves[0]) / (long - short)
	return m, errors.Join(err, m.check())
}

// pingPong sends messages of some sizes there and back. found is told the least half of a round trip and the least
// time of a send, in s.
func pingPong(ctx context.Context, c dist.Comm, sizes []int, trips int, found func(k int, half, send float64)) error {
	other := 1 - c.Rank()
	for k, size := range sizes {
		buf := make([]byte, size)
		half, send := math.Inf(1), math.Inf(1)
		for range trips {
			begun := time.Now()
			for turn := range 2 {
				var req dist.Request
				var err error
				if turn == c.Rank() {
					before := time.Now()
					req, err = c.Isend(ctx, other, 0, buf)
					send = min(send, time.Since(before).Seconds())
				} else {
					req, err = c.Irecv(ctx, other, 0, buf)
				}
				if err == nil {
					err = c.Wait(ctx, []dist.Request{req})
				}
				if err != nil {
					return err
				}
			}
			half = min(half, time.Since(begun).Seconds()/2)
		}
		if found != nil {
			found(k, half, send)
		}
	}
	return nil
}
