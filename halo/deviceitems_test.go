package halo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo/halotest"
)

// itemKinds are the exchangers of items: ItemExchanger, and DeviceItemExchanger on three kinds of devices.
var itemKinds = []string{"host", Direct, Staged, "linked"}

// separateLazy is a device with separate memory that copies as late as a lazyDevice.
type separateLazy struct {
	*lazyDevice
	*backendtest.FakeGPU
}

func (d separateLazy) Name() string                   { return d.lazyDevice.Name() }
func (d separateLazy) Threads() int                   { return d.lazyDevice.Threads() }
func (d separateLazy) Run(l backend.Loop, lo, hi int) { d.lazyDevice.Run(l, lo, hi) }
func (d separateLazy) Close()                         { d.lazyDevice.Close() }
func (d separateLazy) Sync() error                    { return d.lazyDevice.WaitDownloads() }
func (d separateLazy) Pin(n int) ([]byte, error)      { return d.lazyDevice.Pin(n) }
func (d separateLazy) Unpin(b []byte) error           { return d.lazyDevice.Unpin(b) }
func (d separateLazy) StartDownload(dst, src []byte) error {
	return d.lazyDevice.StartDownload(dst, src)
}
func (d separateLazy) WaitDownloads() error              { return d.lazyDevice.WaitDownloads() }
func (d separateLazy) StartUpload(dst, src []byte) error { return d.lazyDevice.StartUpload(dst, src) }

// Download copies after all uploads.
func (d separateLazy) Download(dst, src unsafe.Pointer, n int) error {
	flush(&d.uploads)
	return d.FakeGPU.Download(dst, src, n)
}

// openItems prepares an exchange of items, given and returned by peer.
func openItems(kind string, plan *ItemPlan, c dist.Comm) (
	exchange func(context.Context, [][]testItem) ([][]testItem, error), closeItems func() error, err error) {
	if kind == "host" {
		return NewItemExchanger[testItem](plan, c, 4).Exchange, func() error { return nil }, nil
	}
	lazy := &lazyDevice{Device: cpu.New(1)}
	gpu := backendtest.NewFakeGPU(lazy.Device, 1<<30)
	var dev backend.Device = lazy.Device
	var link backend.DeviceComm
	switch kind {
	case Staged:
		dev = separateLazy{lazy, gpu}
	case "linked":
		linked := halotest.NewLinked(lazy.Device, c)
		if link, err = linked.Link(c.Rank(), c.Size(), nil); err != nil {
			return nil, nil, err
		}
		dev = linked
	}
	x, err := newDeviceItems[testItem](plan, c, dev, link, 4)
	exchange = func(ctx context.Context, out [][]testItem) ([][]testItem, error) {
		bounds, in := []int32{0}, make([][]testItem, len(out))
		for _, items := range out {
			bounds = append(bounds, bounds[len(bounds)-1]+int32(len(items)))
		}
		items, err := x.Exchange(ctx, slices.Concat(out...), bounds)
		if err != nil {
			return nil, err
		}
		received := make([]testItem, len(items))
		if err := backend.Download(dev, received, items); err != nil {
			return nil, err
		}
		for k, n := range x.counts[1] {
			in[k], received = received[:n], received[n:]
		}
		return in, nil
	}
	closeItems = func() error {
		err := x.Close()
		if dev.Close(); gpu.Used != 0 || lazy.pinned != 0 {
			err = errors.Join(err, fmt.Errorf("%d bytes and %d pinned buffers were not released", gpu.Used, lazy.pinned))
		}
		return err
	}
	return exchange, closeItems, err
}

// TestItemsUseTheLinks: items go between the devices if these are linked, and only if there are any.
func TestItemsUseTheLinks(t *testing.T) {
	for _, kind := range []string{"auto", Staged} {
		comms := local.New(2)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) (err error) {
			dev := halotest.NewLinked(cpu.New(1), c)
			defer dev.Close()
			links, err := Link(ctx, c, dev, kind, "")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, links.Close()) }()
			x, err := ConnectItems[int64](links, itemPair(9)[c.Rank()], 2)
			if err != nil {
				return err
			}
			for round, n := range []int32{0, 3, 9, 0} {
				in, err := x.Exchange(ctx, []int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int32{1, 1 + n})
				if err != nil || len(in) != int(n) || n > 0 && in[n-1] != int64(n) {
					return fmt.Errorf("round %d: %v, %w", round, in, err)
				}
			}
			if want := 2; kind == "auto" && dev.Exchanges != want || kind == Staged && dev.Exchanges != 0 {
				return fmt.Errorf("halo %s: %d exchanges between devices", kind, dev.Exchanges)
			}
			return x.Close()
		})
		disttest.Close(t, comms)
	}
}

// TestInvalidCountsAreRefused: numbers of items that the plan does not allow are an error that names the rank, of items
// to send before anything is sent, and of items to receive before memory is taken.
func TestInvalidCountsAreRefused(t *testing.T) {
	comms := local.New(2)
	dev := cpu.New(1)
	defer dev.Close()
	x, err := newDeviceItems[int64](itemPair(3)[0], comms[0], dev, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for want, bounds := range map[string][]int32{
		"4 items for rank 1, the plan allows 3": {2, 6}, "rank 0 has 9 items, and 8 to 10 are for rank 1": {8, 10},
		"8 to 7": {8, 7}, "-1 to 1": {-1, 1}, "1 bounds of items on rank 0, want 2": {0},
	} {
		if _, err := x.Exchange(t.Context(), make([]int64, 9), bounds); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("bounds %v: error %v", bounds, err)
		}
	}
	for _, n := range []int32{4, -1} {
		got, err := comms[1].Irecv(t.Context(), 0, 1, make([]byte, 4))
		if err != nil {
			t.Fatal(err)
		}
		sent, err := comms[1].Isend(t.Context(), 0, 1, bytesOf([]int32{n}, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Exchange(t.Context(), nil, []int32{0, 0})
		var peer *dist.PeerError
		if !errors.As(err, &peer) || peer.Rank != 1 || !strings.Contains(err.Error(), fmt.Sprintf("sends %d items", n)) {
			t.Errorf("%d items: error %v, want one that names rank 1", n, err)
		}
		if err := comms[1].Wait(t.Context(), []dist.Request{sent, got}); err != nil {
			t.Fatal(err)
		}
	}
	disttest.Close(t, comms)
}
