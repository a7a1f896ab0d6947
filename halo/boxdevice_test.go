package halo

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo/halotest"
)

// lazyDevice is a device in the memory of the host that copies staged messages as late as possible: StartDownload
// takes effect in WaitDownloads, StartUpload when the next kernel runs or in WaitDownloads.
type lazyDevice struct {
	*cpu.Device
	downloads, uploads [][2][]byte
	pinned             int
}

func (d *lazyDevice) Run(l backend.Loop, lo, hi int) {
	flush(&d.uploads)
	d.Device.Run(l, lo, hi)
}

func (d *lazyDevice) Pin(n int) ([]byte, error) {
	d.pinned++
	return make([]byte, n), nil
}

func (d *lazyDevice) Unpin([]byte) error {
	d.pinned--
	return nil
}

func (d *lazyDevice) StartDownload(dst, src []byte) error {
	d.downloads = append(d.downloads, [2][]byte{dst, src})
	return nil
}

func (d *lazyDevice) WaitDownloads() error {
	flush(&d.uploads)
	flush(&d.downloads)
	return nil
}

func (d *lazyDevice) StartUpload(dst, src []byte) error {
	d.uploads = append(d.uploads, [2][]byte{dst, src})
	return nil
}

func flush(copies *[][2][]byte) {
	for _, c := range *copies {
		copy(c[0], c[1])
	}
	*copies = (*copies)[:0]
}

// TestBoxExchangersFillGhosts: exchanges of host arrays, and of devices that stage or are linked, fill the ghosts
// and change nothing else, for random divisions, widths, periods and schedules.
func TestBoxExchangersFillGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomBoxes(t)
		kind := rapid.SampledFrom([]string{"direct", "staged", "linked"}).Draw(t, "kind")
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		comms := local.New(c.ranks, local.Delay(uint64(c.ghost), 20*time.Microsecond))
		err := onAllRanks(comms, func(comm dist.Comm) (err error) {
			plan, err := NewBoxPlan(c.boxes, comm.Rank(), c.ghost, c.width, c.schedule)
			if err != nil {
				return err
			}
			ghosts := NewBoxDirect[cell](plan, comm, 2)
			if kind == "linked" && c.ranks > 1 {
				dev := halotest.NewLinked(cpu.New(1), comm)
				defer dev.Close()
				var why string
				if ghosts, why, err = NewBoxDeviceExchanger[cell](ctx, plan, comm, dev, ""); err != nil || why != "" {
					return fmt.Errorf("not linked: %s: %w", why, err)
				}
			}
			if kind == "staged" {
				dev := &lazyDevice{Device: cpu.New(1)}
				defer dev.Close()
				if ghosts, err = NewBoxStaged[cell](plan, comm, dev, 2); err != nil {
					return err
				}
				defer func() {
					if dev.pinned != 0 {
						err = errors.Join(err, fmt.Errorf("%d pinned buffers were not released", dev.pinned))
					}
				}()
			}
			defer func() { err = errors.Join(err, ghosts.Close()) }()
			return fillAndCompare(ctx, c, plan, ghosts)
		})
		if err != nil {
			t.Fatalf("%+v, %s: %v", c, kind, err)
		}
	})
}

func fillAndCompare(ctx context.Context, c boxCase, plan *BoxPlan, ghosts GhostExchanger[cell]) error {
	field := make([]cell, plan.Shape[0]*plan.Shape[1]*plan.Shape[2])
	for round := range 3 {
		value := func(g int) cell { return cell{float64(g), float64(round), int32(g)} }
		for i := range field {
			if g, owned, _ := c.globalCell(plan, i); owned {
				field[i] = value(g)
			} else {
				field[i] = value(unchanged)
			}
		}
		for _, call := range []func() error{
			func() error { return ghosts.Start(ctx, field) },
			func() error { return ghosts.Send(ctx) },
			func() error { return ghosts.Finish(ctx) },
		} {
			if err := call(); err != nil {
				return err
			}
		}
		for i := range field {
			g, owned, filled := c.globalCell(plan, i)
			if !owned && !filled {
				g = unchanged
			}
			if field[i] != value(g) {
				return fmt.Errorf("rank %d, element %d: %v, want %v", plan.Rank, i, field[i], value(g))
			}
		}
	}
	return nil
}

func TestBoxStagedIsRefused(t *testing.T) {
	plan, err := NewBoxPlan(squares(4), 0, 1, [3]int{1, 1, 0}, AllNeighbours)
	if err != nil {
		t.Fatal(err)
	}
	plain := cpu.New(1)
	defer plain.Close()
	if _, err := NewBoxStaged[float64](plan, noComm{}, plain, 1); err == nil {
		t.Error("a device that cannot stage is accepted")
	}
	dev := &lazyDevice{Device: plain}
	large := &BoxPlan{Shape: [3]int{1 << 16, 1 << 16, 1}}
	if _, err := NewBoxStaged[float64](large, noComm{}, dev, 1); err == nil {
		t.Error("an array with more than MaxInt32 cells is accepted")
	}
	ghosts, err := NewBoxStaged[float64](plan, noComm{}, dev, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer ghosts.Close()
	if err := ghosts.Start(context.Background(), make([]float64, 35)); err == nil {
		t.Error("a field of the wrong length is accepted")
	}
}
