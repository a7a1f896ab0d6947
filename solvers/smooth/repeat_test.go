package smooth

import (
	"context"
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
)

// recorder is a device with separate memory that can record, as a GPU can, and counts the launches of recordings.
type recorder struct {
	*backendtest.FakeGPU
	launches *int
}

// recording holds the recorded function, and the counter of its launches.
type recording struct {
	queue    func() error
	launches *int
}

func (r recorder) Record(queue func() error) (backend.Recording, error) {
	return recording{queue, r.launches}, nil
}
func (r recording) Launch() { *r.launches++; _ = r.queue() }
func (recording) Close()    {}

// TestRecordedSweepsAreTheSame proves that recorded sweeps give the same bits as others, whether or not a kernel
// needs the number of the sweep, and that a second call continues after the first.
func TestRecordedSweepsAreTheSame(t *testing.T) {
	t.Parallel()
	mesh, metric := smoothtest.Rectangle(t, 300, 3), swirl(t)
	for _, smoother := range Smoothers {
		for _, cull := range []bool{false, true} {
			if cull && smoother == "barrier" {
				continue
			}
			cfg := Config{Smoother: smoother, Guard: "halve", Cull: cull, Settled: 1e-3, Gain: 1e-6, Rescale: true}
			const sweeps = 2*sweepsPerRecording + 3
			s := defaultSetting()
			want := s.run(t, mesh, metric, cfg, 2*sweeps)
			launches := 0
			s = withRecorder(s, &launches)
			got := outcome{}
			err := s.onEachRank(t, mesh, metric, cfg, func(_ dist.Comm, _ *layout.Part, solver *Solver) (err error) {
				for range 2 {
					if got.longestMove, err = solver.Sweep(t.Context(), sweeps); err != nil {
						return err
					}
				}
				if got.diagnostics, err = solver.Diagnose(t.Context()); err != nil {
					return err
				}
				got.hash, err = solver.Hash(t.Context())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s, cull %v: repeated\n%+v, one by one\n%+v", smoother, cull, got, want)
			}
			expected := 3 // of four equal groups of sweeps the first is queued without a recording
			switch smoother {
			case "hybrid":
				expected = 0
			case "barrier": // of 38 sweeps 5 follow a measurement or begin a call, and one is the first of its kind
				expected = 32
			}
			if launches != expected {
				t.Errorf("%s: %d launches of a recording", smoother, launches)
			}
		}
	}
}

// TestCancelledBeforeRecording proves that a cancelled run queues no more sweeps.
func TestCancelledBeforeRecording(t *testing.T) {
	launches := 0
	s := withRecorder(defaultSetting(), &launches)
	cfg := Config{Smoother: "pain", Guard: "none"}
	err := s.onEachRank(t, smoothtest.Rectangle(t, 200, 3), swirl(t), cfg, func(_ dist.Comm, _ *layout.Part,
		solver *Solver) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := solver.Sweep(ctx, 100)
		return err
	})
	if !errors.Is(err, context.Canceled) || launches != 0 {
		t.Errorf("%v after %d launches", err, launches)
	}
}
