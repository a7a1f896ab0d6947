package shallow

import (
	"context"
	"encoding/binary"
	"fmt"
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
)

// recorder is a device that can record, as a GPU can.
type recorder struct{ backend.Device }

type recording func() error

func (recorder) Record(queue func() error) (backend.Recording, error) { return recording(queue), nil }
func (r recording) Launch()                                           { _ = r() }
func (recording) Close()                                              {}

// linked is a device that can record, stages messages, and has a device communicator, like a GPU.
type linked struct {
	recorder
	comm dist.Comm
}

func (linked) Pin(n int) ([]byte, error)                           { return make([]byte, n), nil }
func (linked) Unpin([]byte) error                                  { return nil }
func (linked) StartDownload(dst, src []byte) error                 { copy(dst, src); return nil }
func (linked) WaitDownloads() error                                { return nil }
func (linked) StartUpload(dst, src []byte) error                   { copy(dst, src); return nil }
func (d linked) DeviceID() string                                  { return fmt.Sprint(d.comm.Rank()) }
func (linked) LinkID() ([]byte, error)                             { return []byte("id"), nil }
func (d linked) Link(int, int, []byte) (backend.DeviceComm, error) { return links{d.comm}, nil }

type links struct{ comm dist.Comm }

func (l links) Exchange(send, recv []backend.Message) error {
	ctx := context.Background()
	var reqs []dist.Request
	for _, m := range recv {
		r, err := l.comm.Irecv(ctx, m.Peer, 77, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	for _, m := range send {
		r, err := l.comm.Isend(ctx, m.Peer, 77, m.Data)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	return l.comm.Wait(ctx, reqs)
}

func (l links) Max(keys []uint64) error {
	all, err := l.comm.Allgatherv(context.Background(), binary.NativeEndian.AppendUint64(nil, keys[0]))
	for _, b := range all {
		keys[0] = max(keys[0], binary.NativeEndian.Uint64(b))
	}
	return err
}

func (links) Fork(f func() error) error { return f() }

func (links) Join() error  { return nil }
func (links) Abort()       {}
func (links) Close() error { return nil }

// outcome is the result of a run; calls is the number of calls of Advance.
type outcome struct {
	hash         string
	diagnostics  Diagnostics
	time, dt     float64
	steps, calls int
}

// TestSweepsAgree proves that steps by cells, by tiles, and by queued tiles give the same bits and counters, on one
// rank and on several.
func TestSweepsAgree(t *testing.T) {
	ctx := context.Background()
	tidal := func(x, y float64) (depth, h1, h2 float64) {
		depth, h1, h2 = dam(x, y)
		return depth, 0, h1 + h2
	}
	run := func(device func(dist.Comm) backend.Device, sweep Sweep, halo string, ranks int, scheme Config,
		precision string, steps int, lag bool) outcome {
		cfg := scheme
		cfg.Hyperbolic, cfg.Sweep, cfg.Halo, cfg.Lag = true, sweep, halo, lag
		var out outcome
		water := dam
		if cfg.Given != nil {
			water = tidal
		}
		err := onDevices(t, device, ranks, 1500, precision, cfg, water, func(c dist.Comm, _ *mesh.Part, s Solver) error {
			o := outcome{}
			for _, until := range []float64{.1, .3, .52} {
				for s.Time() < until {
					o.calls++
					if err := s.Advance(ctx, until, steps); err != nil {
						return err
					}
				}
			}
			var err error
			if o.hash, err = s.Hash(ctx); err != nil {
				return err
			}
			if o.diagnostics, err = s.Diagnose(ctx); err != nil {
				return err
			}
			if o.time, o.dt, o.steps = s.Time(), s.Dt(), s.Steps(); c.Rank() == 0 {
				out = o
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := func(dist.Comm) backend.Device { return cpu.New(1) }
	recording := func(dist.Comm) backend.Device { return recorder{cpu.New(1)} }
	threads := func(dist.Comm) backend.Device { return cpu.New(3) }
	linkedDevice := func(c dist.Comm) backend.Device { return linked{recorder{cpu.New(1)}, c} }
	cases := configs()
	for order := 1; order <= 2; order++ { // series at the sides of one layer
		cfg := config("pvm-ifcp")
		cfg.Order, cfg.Open = order, true
		tide := []series.Row{{T: 0, Value: .2}, {T: .1, Value: .4}, {T: .3, Value: -.1}}
		cfg.Given = []*Given{{Kind: "level", Value: tide}, {Kind: "radiation", Value: series.Constant(0), Wave: tide},
			{Kind: "discharge", Value: tide[:2]}, nil}
		cases = append(cases, cfg)
	}
	for _, scheme := range cases {
		for _, precision := range []string{"float64", "float32"} {
			lag := scheme.Scheme == "ir-roe"
			if scheme.Order == 2 && lag != (precision == "float32") {
				continue
			}
			name := fmt.Sprint(scheme.Scheme, " of order ", scheme.Order, " ", precision, " ", len(scheme.Given), " sides")
			t.Run(name, func(t *testing.T) {
				want := run(plain, CellSweep, "", 1, scheme, precision, 1, lag)
				if want.diagnostics.LimitedFluxes == 0 || want.steps < 40 { // more than twice 17 steps, the longest queue
					t.Fatalf("%+v: the case is too simple", want)
				}
				defer func(n int) { blockCells = n }(blockCells)
				blockCells = 20
				for name, got := range map[string]outcome{
					"blocks":           run(plain, CellSweep, "", 1, scheme, precision, 1, lag),
					"blocks, threads":  run(threads, CellSweep, "", 1, scheme, precision, 1, lag),
					"tiles":            run(plain, TileSweep, "", 1, scheme, precision, 1, lag),
					"tiles, 3 ranks":   run(plain, TileSweep, "", 3, scheme, precision, 1, lag),
					"blocks, 3 ranks":  run(plain, CellSweep, "", 3, scheme, precision, 1, lag),
					"queued":           run(recording, TileSweep, "", 1, scheme, precision, 1000, lag),
					"queued by 5":      run(recording, TileSweep, "", 1, scheme, precision, 5, lag),
					"queued by 17":     run(recording, TileSweep, "", 1, scheme, precision, 17, lag),
					"linked, 3 ranks":  run(linkedDevice, TileSweep, "nccl", 3, scheme, precision, 17, lag),
					"staged, 3 ranks":  run(linkedDevice, TileSweep, "staged", 3, scheme, precision, 1, lag),
					"staged, by cells": run(linkedDevice, CellSweep, "staged", 3, scheme, precision, 1, lag),
					"tiles, 2 ranks":   run(recording, TileSweep, "", 2, scheme, precision, 17, lag),
				} {
					if name == "queued" && got.calls >= want.calls/4 {
						t.Errorf("%s: %d calls for %d steps", name, got.calls, got.steps)
					}
					if lag && got.diagnostics.CFLMax <= .9 {
						t.Errorf("%s: a lagging step had a CFL number of %v at most", name, got.diagnostics.CFLMax)
					}
					got.calls = want.calls
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s:\n%+v, by cells\n%+v", name, got, want)
					}
				}
			})
		}
	}
}
