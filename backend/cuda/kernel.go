package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

// prepared is a generated loop as it was last queued. A loop is an ordinary Go struct, whose fields may change between
// runs: its bytes, and those of the structs that are copied into a launch, are compared with what the parameters were
// made from.
type prepared struct {
	launch *Launch
	box    *abi.Box
	seen   []snapshot
}

// snapshot is memory of the host and what it held.
type snapshot struct{ now, then []byte }

func snap(p unsafe.Pointer, size uintptr) snapshot {
	now := unsafe.Slice((*byte)(p), size)
	return snapshot{now: now, then: bytes.Clone(now)}
}

func (p *prepared) current() bool {
	for _, s := range p.seen {
		if !bytes.Equal(s.now, s.then) {
			return false
		}
	}
	return true
}

// Run queues a [Launch] of this device, or a loop that kernelgen made, whose slices and pointers lead to memory that
// backend.Make gave; it panics on any other loop. It allocates nothing unless the loop is new or has changed. A loop
// over a box can only be run over all of it.
func (d *Device) Run(l backend.Loop, lo, hi int) {
	if lo >= hi || d.err != nil {
		return
	}
	if own, ok := l.(*Launch); ok {
		if own.d != d {
			panic("cuda: a launch of another device")
		}
		own.Range(lo, hi)
		return
	}
	source, ok := l.(abi.Launcher)
	if !ok {
		panic("cuda: a loop that has no kernel for a GPU")
	}
	p := d.loops[l]
	if p == nil || !p.current() {
		var err error
		if p, err = d.prepare(source, p); err != nil {
			d.fail(err)
			return
		}
		d.loops[l] = p
	}
	if p.box == nil {
		p.launch.Range(lo, hi)
		return
	}
	if lo != 0 || hi != p.box.Size() {
		d.fail(fmt.Errorf("cuda: kernel %s: indices [%d, %d) of a box of %d; boxes are run whole", p.launch.f.name, lo, hi,
			p.box.Size()))
		return
	}
	p.launch.Box(p.box.Lo, p.box.Hi)
}

// prepare makes the launch of a loop, or brings an old one up to date.
func (d *Device) prepare(source abi.Launcher, old *prepared) (*prepared, error) {
	self := reflect.ValueOf(source)
	if self.Kind() != reflect.Pointer || self.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("cuda: a loop of type %v; loops are pointers to structs", self.Type())
	}
	k := source.Launch()
	params, err := k.Parameters(d.locate)
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	p := &prepared{box: k.Box, seen: []snapshot{snap(self.UnsafePointer(), self.Type().Elem().Size())}}
	for _, a := range k.Args {
		if a.Kind == abi.Constant || a.Kind == abi.Value {
			p.seen = append(p.seen, snap(a.Data, a.Size))
		}
	}
	if old != nil {
		p.launch = old.launch
		for n, value := range params {
			if err := p.launch.Set(n, value); err != nil {
				return nil, err
			}
		}
		return p, nil
	}
	p.launch, err = d.generated(k, params)
	return p, err
}

// Generated prepares a kernel that kernelgen made. The function device tells where memory of its arguments is on the
// device.
func (d *Device) Generated(k abi.Launch, device func(host unsafe.Pointer, size uintptr) (uint64,
	error)) (*Launch, error) {
	params, err := k.Parameters(device)
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	return d.generated(k, params)
}

func (d *Device) generated(k abi.Launch, params [][]byte) (*Launch, error) {
	f, err := d.find(k.Module, k.Symbol)
	if err != nil {
		return nil, err
	}
	args := make([]Arg, len(params))
	for n, value := range params {
		args[n] = value
	}
	if k.Shared > 0 {
		if err := d.fits(k); err != nil {
			return nil, err
		}
		if err := f.share(k.Shared); err != nil {
			return nil, err
		}
	}
	l, err := d.Prepare(f, k.Dims, [3]int{k.Block, 1, 1}, args...)
	if err != nil {
		return nil, err
	}
	l.tile = k.Tile
	return l, nil
}

// Fits returns an error if the blocks of a loop that kernelgen made ask for more shared memory than the device has.
func (d *Device) Fits(l backend.Loop) error {
	if source, ok := l.(abi.Launcher); ok {
		return d.fits(source.Launch())
	}
	return nil
}

func (d *Device) fits(k abi.Launch) error {
	if most := d.info.Shared; k.Shared > most {
		return fmt.Errorf("cuda: kernel %s: its blocks share %d bytes of memory, those of %s at most %d", k.Symbol, k.Shared,
			d.info.Name, most)
	}
	return nil
}

// find returns a kernel of a package, whose module is loaded on first use.
func (d *Device) find(of *abi.Module, symbol string) (*Function, error) {
	if of == nil {
		return nil, fmt.Errorf("cuda: kernel %s has no module", symbol)
	}
	m := d.loaded[of]
	if m == nil {
		var err error
		if m, err = d.loadGenerated(of); err != nil {
			return nil, fmt.Errorf("cuda: kernel %s: %w", symbol, err)
		}
		d.loaded[of] = m
	}
	return m.Function(symbol)
}

// errNotOnDevice says what is wrong with an argument that the GPU cannot reach.
var errNotOnDevice = errors.New("its memory is the host's, or was freed: allocate arrays of kernels with backend.Make")

// locate returns the device address of memory that Alloc gave, which is the address that the slice itself holds.
func (d *Device) locate(p unsafe.Pointer, size uintptr) (uint64, error) {
	if !d.arrays.holds(uintptr(p), size) {
		return 0, errNotOnDevice
	}
	return uint64(uintptr(p)), nil
}
