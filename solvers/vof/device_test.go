package vof

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/flow"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// separate is a device with separate memory, like a GPU: its pages are accessible only while a kernel or a copy runs,
// so that any access by the host ends the program. After an array is freed none of its pages is accessible.
type separate struct {
	*cpu.Device
	pages    []byte
	used     int                     // bytes used by arrays, each of which begins on a page
	arrays   map[unsafe.Pointer]bool // those that are not freed
	comm     dist.Comm
	launched int // number of recordings launched
}

func newSeparate(threads int, comm dist.Comm) (*separate, error) {
	pages, err := protectedPages(1 << 27)
	return &separate{Device: cpu.New(threads), pages: pages, arrays: map[unsafe.Pointer]bool{}, comm: comm}, err
}

func (d *separate) Close() {
	_ = freePages(d.pages)
	d.Device.Close()
}

// withAccess calls f while the pages are accessible.
func (d *separate) withAccess(f func()) {
	_ = protect(d.pages[:d.used], false)
	f()
	_ = protect(d.pages[:d.used], true)
}

func (d *separate) Run(l backend.Loop, lo, hi int) { d.withAccess(func() { d.Device.Run(l, lo, hi) }) }

func (d *separate) Alloc(n int) (unsafe.Pointer, error) {
	page := os.Getpagesize()
	start, end := d.used, d.used+(n+page-1)/page*page
	if end > len(d.pages) {
		return nil, errors.New("the memory is full")
	}
	d.used = end
	p := unsafe.Pointer(&d.pages[start])
	d.arrays[p] = true
	return p, nil
}

func (d *separate) Free(p unsafe.Pointer) error {
	if !d.arrays[p] {
		return errors.New("no array begins at this address")
	}
	delete(d.arrays, p)
	d.used = 0
	return nil
}

func (d *separate) copy(dst, src unsafe.Pointer, n int) error {
	d.withAccess(func() { copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n)) })
	return nil
}

func (d *separate) Upload(dst, src unsafe.Pointer, n int) error   { return d.copy(dst, src, n) }
func (d *separate) Download(dst, src unsafe.Pointer, n int) error { return d.copy(dst, src, n) }
func (d *separate) Move(dst, src unsafe.Pointer, n int) error     { return d.copy(dst, src, n) }
func (d *separate) Sync() error                                   { return nil }

func (d *separate) Pin(n int) ([]byte, error) { return make([]byte, n), nil }
func (d *separate) Unpin([]byte) error        { return nil }
func (d *separate) WaitDownloads() error      { return nil }
func (d *separate) StartDownload(dst, src []byte) error {
	d.withAccess(func() { copy(dst, src) })
	return nil
}
func (d *separate) StartUpload(dst, src []byte) error { return d.StartDownload(dst, src) }

// separate has a device communicator, by messages between ranks.
func (d *separate) DeviceID() string                                  { return fmt.Sprint(d.comm.Rank()) }
func (d *separate) LinkID() ([]byte, error)                           { return []byte("id"), nil }
func (d *separate) Link(int, int, []byte) (backend.DeviceComm, error) { return links{d}, nil }

type links struct{ d *separate }

func (l links) Exchange(send, recv []backend.Message) error {
	var reqs []dist.Request
	in := make([][]byte, len(recv))
	for i, m := range recv {
		in[i] = make([]byte, len(m.Data))
		r, err := l.d.comm.Irecv(ctx, m.Peer, 77, in[i])
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	for _, m := range send {
		out := make([]byte, len(m.Data))
		if err := l.d.StartDownload(out, m.Data); err != nil {
			return err
		}
		r, err := l.d.comm.Isend(ctx, m.Peer, 77, out)
		if err != nil {
			return err
		}
		reqs = append(reqs, r)
	}
	if err := l.d.comm.Wait(ctx, reqs); err != nil {
		return err
	}
	for i, m := range recv {
		if err := l.d.StartUpload(m.Data, in[i]); err != nil {
			return err
		}
	}
	return nil
}

func (links) Max([]uint64) error        { return errors.New("not implemented") }
func (links) Fork(f func() error) error { return f() }
func (links) Join() error               { return nil }
func (links) Abort()                    {}
func (links) Close() error              { return nil }

// recorded is a sequence of kernels that runs at each launch.
type recorded struct {
	d     *separate
	queue func() error
}

func (d *separate) Record(queue func() error) (backend.Recording, error) {
	return recorded{d, queue}, nil
}

func (r recorded) Launch() {
	r.d.launched++
	_ = r.queue()
}
func (recorded) Close() {}

// TestSameBitsForAnySchedule proves that the state does not depend on the memory of the device, the exchange of ghosts,
// the traversal of the grid, and recordings.
func TestSameBitsForAnySchedule(t *testing.T) {
	odd := plane(70)
	odd.N = [3]int{70, 45, 1}
	periodic := plane(66)
	periodic.Periodic = [3]bool{true, true}
	channel := plane(48)
	channel.Periodic = [3]bool{false, true}
	solid := space(18)
	solid.N, solid.Periodic = [3]int{18, 20, 16}, [3]bool{false, false, true}
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.35, .35, .35, .15)
	crossing := func(x, y, z float64) func(*grid.Grid) (flow.Flow, error) {
		return func(*grid.Grid) (flow.Flow, error) { return flow.Uniform(x, y, z), nil }
	}
	cases := map[string]problem{
		"channel": {grid: channel, body: shape.Ball(.1, .5, 0, .2), flow: crossing(-.3, 1, 0),
			cfg: config("myc", "weymouth-yue", .5)},
		"periodic": {grid: periodic, body: disk, flow: crossing(1, .7, 0), cfg: config("youngs", "weymouth-yue", .5)},
		"heights": {grid: plane(48), body: disk, flow: namedFlow("rider-kothe", 2),
			cfg: config("height", "weymouth-yue", .5)},
		"space":   {grid: solid, body: ball, flow: crossing(.5, .7, -.4), cfg: config("myc", "weymouth-yue", .5)},
		"enright": {grid: space(16), body: ball, flow: namedFlow("enright", 3), cfg: config("elvira", "weymouth-yue", .5)},
		"single": {grid: odd, body: disk, flow: namedFlow("rider-kothe", 2), cfg: config("myc", "ei-le", .9),
			precision: "float32"},
	}
	for _, normal := range []string{"youngs", "myc", "elvira", "lvira"} {
		for _, advect := range Advections {
			cases[normal+" "+advect] = problem{grid: odd, body: disk, flow: namedFlow("rider-kothe", 2),
				cfg: config(normal, advect, .45)}
		}
	}
	for name, p := range cases {
		want, hash, err := p.runUntil(.15)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, parts := range [][3]int{{1, 1, 1}, {2, 2, 1}} {
			for _, w := range []struct {
				exchange, sweep string
				separate        bool
			}{{"sweep", "cells", false}, {"step", "cells", false}, {"step", "tiles", false}, {"sweep", "cells", true},
				{"step", "cells", true}, {"step", "tiles", true}, {"sweep", "", true}} {
				if w.sweep == "tiles" && (p.grid.Dim == 3 || p.cfg.Normal == "height") {
					continue
				}
				q := p
				q.parts, q.separate, q.cfg.Exchange, q.cfg.Sweep, q.stepsPerCall = parts, w.separate, w.exchange, w.sweep,
					1+40*(parts[0]-1)
				if w.separate && w.sweep == "cells" && w.exchange == "sweep" {
					q.cfg.Halo = "staged"
				}
				got, other, err := q.runUntil(.15)
				if err != nil {
					t.Fatalf("%s, %v, %+v: %v", name, parts, w, err)
				}
				if other != hash || got != want {
					t.Errorf("%s, %v, %+v: state %.8s, want %.8s\n%+v, want\n%+v", name, parts, w, other, hash, got, want)
				}
			}
		}
	}
}

// TestRecordings proves that many steps are queued at a time, that tiles or bricks without work are skipped, and that
// the state is that of plain sweeps.
func TestRecordings(t *testing.T) {
	disk, ball := shape.Ball(.5, .75, 0, .15), shape.Ball(.3, .2, .2, .1)
	long := space(64)
	long.N, long.Hi = [3]int{160, 64, 24}, [3]float64{2.5, 1, .375}
	for _, c := range []struct {
		problem
		end float64
	}{
		{problem{grid: plane(400), body: disk, flow: namedFlow("rider-kothe", 8),
			cfg: config("myc", "weymouth-yue", .5)}, .1},
		{problem{grid: plane(400), body: disk, flow: namedFlow("rider-kothe", 8), cfg: config("elvira", "ei-le", .9)}, .1},
		{problem{grid: long, body: ball, cfg: config("myc", "weymouth-yue", .5), flow: func(*grid.Grid) (flow.Flow, error) {
			return flow.Uniform(.7, .3, .4), nil
		}}, .28},
	} {
		p := c.problem
		_, want, err := p.runUntil(c.end)
		if err != nil {
			t.Fatal(err)
		}
		for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}} {
			p.separate, p.parts = true, parts
			if p.grid.Dim == 2 {
				p.cfg.Exchange, p.cfg.Sweep = "step", "tiles"
			}
			err = p.onDevice(func(rank int, s Solver, dev backend.Device) error {
				for s.Time() < c.end {
					if err := s.Advance(ctx, c.end, 1000); err != nil {
						return err
					}
				}
				if n := dev.(*separate).launched; n < 1 || n != s.Steps()/cycleLength-1 {
					return fmt.Errorf("%d recordings for %d steps", n, s.Steps())
				}
				inner := s.(*solver[float64])
				if n := len(inner.sentBricks) + inner.lister.active; n == 0 || n >= inner.count {
					return fmt.Errorf("%d of %d tiles or bricks are computed", n, inner.count)
				}
				got, err := s.Hash(ctx)
				if rank == 0 && got != want {
					t.Errorf("%v, %+v, %v: state %.8s, want %.8s", p.grid.N, p.cfg, parts, got, want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Blocks of all tests are small.
func init() { minCellsForBrickWalls = 0 }
