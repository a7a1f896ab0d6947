package halo

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
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

// kinds are the kinds of exchangers that onDevice makes.
var kinds = []string{Direct, Staged, "linked"}

// onDevice calls f with an exchanger of the given kind of elements of at most the given size; with single of one field.
// sync waits for the device. Nothing may be left allocated afterwards.
func onDevice(ctx context.Context, kind string, plan Route, comm dist.Comm, bytes int, single bool,
	f func(x Exchanger, sync func() error) error) (err error) {
	lazy := &lazyDevice{Device: cpu.New(1)}
	defer lazy.Close()
	gpu := backendtest.NewFakeGPU(lazy.Device, 1<<30)
	var dev backend.Device = lazy.Device
	switch {
	case kind == Staged:
		dev = separateLazy{lazy, gpu}
	case kind == "linked" && comm.Size() > 1:
		dev = halotest.NewLinkedRecorder(lazy.Device, 1<<30, comm)
	}
	links, err := Link(ctx, comm, dev, "", "")
	if err != nil {
		return err
	}
	x, err := links.Exchanger(plan, 2, bytes, single)
	if err != nil {
		return errors.Join(err, links.Close())
	}
	err = errors.Join(f(x, lazy.WaitDownloads), x.Close(), links.Close())
	if gpu.Used != 0 || lazy.pinned != 0 {
		err = errors.Join(err, fmt.Errorf("%d bytes and %d pinned buffers were not released", gpu.Used, lazy.pinned))
	}
	return err
}

// TestBoxExchangersFillGhosts: exchanges of one and of several arrays of the host, of devices that stage, and of linked
// ones fill the ghosts and change nothing else, for random divisions, widths, periods and schedules.
func TestBoxExchangersFillGhosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomBoxes(t)
		kind, single := rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.Bool().Draw(t, "single")
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		comms := local.New(c.ranks, local.Delay(uint64(c.ghost), 20*time.Microsecond))
		err := onAllRanks(comms, func(comm dist.Comm) error { return exchangeAndCompare(ctx, c, comm, kind, single) })
		if err != nil {
			t.Fatalf("%+v, %s: %v", c, kind, err)
		}
	})
}

func TestBoxStagedIsRefused(t *testing.T) {
	plan, err := NewBoxPlan(squares(4), 0, 1, [3]int{1, 1, 0}, AllNeighbours)
	if err != nil {
		t.Fatal(err)
	}
	plain := cpu.New(1)
	defer plain.Close()
	if _, err := newStaged(plan, noComm{}, plain, 1, 8, true); err == nil {
		t.Error("a device that cannot stage is accepted")
	}
	dev := &lazyDevice{Device: plain}
	large := &BoxPlan{Shape: [3]int{1 << 16, 1 << 16, 1}}
	if _, err := newStaged(large, noComm{}, dev, 1, 8, true); err == nil {
		t.Error("an array with more than MaxInt32 cells is accepted")
	}
	ghosts, err := newStaged(plan, noComm{}, dev, 1, 8, true)
	if err != nil {
		t.Fatal(err)
	}
	defer ghosts.Close()
	if err := ghosts.Start(context.Background(), FieldOf(make([]float64, 35))); err == nil {
		t.Error("a field of the wrong length is accepted")
	}
}
