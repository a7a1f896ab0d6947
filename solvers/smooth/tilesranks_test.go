package smooth

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// These devices can record, and count the launches: one stages messages, one has a device communicator.
type (
	recordingStaging struct {
		stagingDevice
		launches *atomic.Int64
	}
	recordingLinked struct {
		linkedDevice
		launches *atomic.Int64
	}
)

func (d recordingStaging) Record(queue func() error) (backend.Recording, error) {
	return countedRecording{queue, d.launches}, nil
}

func (d recordingLinked) Record(queue func() error) (backend.Recording, error) {
	return countedRecording{queue, d.launches}, nil
}

type countedRecording struct {
	queue    func() error
	launches *atomic.Int64
}

func (c countedRecording) Launch() { c.launches.Add(1); _ = c.queue() }
func (countedRecording) Close()    {}

// devices returns the devices by name; they count in launches.
func devices(launches *atomic.Int64) map[string]func() backend.Device {
	w := &network{channels: map[[2]int]chan []byte{}}
	staged := new(atomic.Int64)
	return map[string]func() backend.Device{
		"staged": func() backend.Device {
			return recordingStaging{stagingDevice{newSeparateMemory(), staged}, launches}
		},
		"linked": func() backend.Device {
			d := linkedDevice{stagingDevice{newSeparateMemory(), staged}, w, fmt.Sprint(w.lastName.Add(1))}
			return recordingLinked{d, launches}
		},
	}
}

// TestTilesOnRanks proves that sweeps by tiles on several ranks give the bits of sets on one, for any exchanger and
// partition, with sliding vertices, that linked devices use recordings, and that a second call continues after the
// first.
func TestTilesOnRanks(t *testing.T) {
	t.Parallel()
	m, metric := smoothtest.Rectangle(t, 3000, 5), swirl(t)
	const sweeps = 3*sweepsPerRecording + 2
	for _, precision := range []string{"float64", "float32"} {
		s := defaultSetting()
		s.precision = precision
		cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
		want := s.run(t, m, metric, cfg, 2*sweeps)
		cfg.Sweep = "tiles"
		s.layout.Deep = true
		for k, ranks := range []int{2, 3, 7, 2, 3, 4} {
			s.layout.Batch = k // 0 stands for 1; 3 and 5 are invalid
			if k == 3 || k == 5 {
				s.layout.Batch = 8
			}
			for _, cut := range []partition.Method{partition.HilbertCut, partition.RandomCut} {
				s.ranks, s.cut = ranks, cut
				// With a random partition a rank holds nearly the whole mesh.
				if cut == partition.RandomCut && k != 1 || precision == "float32" && k != 3 {
					continue
				}
				var launches atomic.Int64
				for name, device := range devices(&launches) {
					s.device = device
					launches.Store(0)
					if got := s.inTwoCalls(t, m, metric, cfg, sweeps); got != want {
						t.Errorf("%s, %d ranks by %s, batches of %d, %s: tiles give\n%+v, sets on one rank\n%+v", precision, ranks,
							cut, s.layout.Batch, name, got, want)
					}
					// The first recording is queued without recording, since device communicators are not ready
					// before.
					expected := int64(0)
					if name == "linked" {
						expected = int64(ranks * (2*(sweeps/sweepsPerRecording) - 1))
					}
					if n := launches.Load(); n != expected {
						t.Errorf("%d ranks, %s: %d launches, not %d", ranks, name, n, expected)
					}
				}
			}
		}
	}
}

// inTwoCalls smooths by two calls of Sweep, and returns the result on rank 0.
func (s setting) inTwoCalls(t *testing.T, m *mesh.Mesh, metric *sizing.Metric, cfg Config, sweeps int) (o outcome) {
	t.Helper()
	err := s.onEachRank(t, m, metric, cfg, func(c dist.Comm, _ *layout.Part, solver *Solver) error {
		var mine outcome
		for range 2 {
			var err error
			if mine.longestMove, err = solver.Sweep(t.Context(), sweeps); err != nil {
				return err
			}
		}
		var one, other error
		mine.diagnostics, one = solver.Diagnose(t.Context())
		if mine.hash, other = solver.Hash(t.Context()); c.Rank() == 0 {
			o = mine
		}
		return errors.Join(one, other)
	})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSetsOnLinkedRanks proves that linked devices use recordings for sweeps by sets too.
func TestSetsOnLinkedRanks(t *testing.T) {
	t.Parallel()
	m, metric := smoothtest.Rectangle(t, 300, 3), swirl(t)
	cfg := Config{Smoother: "pain-exact", Guard: "halve", Rescale: true}
	const sweeps = 3*sweepsPerRecording + 1
	s := defaultSetting()
	want := s.run(t, m, metric, cfg, 2*sweeps)
	var launches atomic.Int64
	s.ranks, s.layout.Deep, s.device = 3, true, devices(&launches)["linked"]
	if got := s.inTwoCalls(t, m, metric, cfg, sweeps); got != want || launches.Load() != 3*5 {
		t.Errorf("after %d launches\n%+v, on one rank\n%+v", launches.Load(), got, want)
	}
}

// TestTilesOfSomeRanks proves that ranks without moving vertices use tiles too, and that all use sets if one rank
// cannot use tiles.
func TestTilesOfSomeRanks(t *testing.T) {
	t.Parallel()
	m, metric := smoothtest.Rectangle(t, 2000, 5), swirl(t)
	cfg := Config{Smoother: "pain", Guard: "none", Rescale: true}
	const sweeps = 2*sweepsPerRecording + 1
	want := defaultSetting().run(t, m, metric, cfg, sweeps)
	l, err := layout.New(m, layout.Options{Boundary: layout.Slide, Colouring: colouring.JonesPlassmann,
		Order: partition.Hilbert, Deep: true})
	if err != nil {
		t.Fatal(err)
	}
	owner := make([]int32, len(m.X))
	for v := range owner {
		switch {
		case (m.X[v] == 0 || m.X[v] == 1) && (m.Y[v] == 0 || m.Y[v] == 1): // corners, which stay
			owner[v] = 3
		case m.X[v] > .4:
			owner[v] = 2
		case m.Y[v] > .3:
			owner[v] = 1
		}
	}
	parts, err := l.Parts(owner, 5) // the last rank is empty
	if err != nil {
		t.Fatal(err)
	}
	var launches atomic.Int64
	for name, device := range devices(&launches) {
		for _, mixed := range []bool{false, true} {
			var opened atomic.Int64
			s := defaultSetting()
			s.device = func() backend.Device {
				if mixed && opened.Add(1) == 1 {
					return newSeparateMemory() // it cannot record
				}
				return device()
			}
			cfg.Sweep = "tiles"
			if mixed {
				cfg.Sweep = "auto"
			}
			var hash string
			err := s.onParts(parts, metric, cfg, func(_ dist.Comm, p *layout.Part, on *Solver) error {
				if s := on.smoother.(*solver[float64]); s.tiled == mixed || !mixed && (s.tiles.count > 0) != (len(p.Rings) > 0) {
					t.Errorf("%s: a rank with %d rings goes by %d tiles: %v", name, len(p.Rings), s.tiles.count, s.tiled)
				}
				_, err := on.Sweep(t.Context(), sweeps)
				if err != nil {
					return err
				}
				all, err := on.Hash(t.Context())
				if p.Plans[0].Rank == 0 {
					hash = all
				}
				return err
			})
			if err != nil || hash != want.hash {
				t.Errorf("%s, mixed %v: %v, %s, on one rank %s", name, mixed, err, hash, want.hash)
			}
		}
	}
}
