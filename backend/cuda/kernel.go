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

// preparedLoop is the launch of a generated loop. A loop is an ordinary Go struct, whose fields may change between
// runs. Before each run its bytes, and those of the structs that are copied into the launch's parameters, are
// compared with the saved copies: if they differ, the parameters are computed again.
type preparedLoop struct {
	launch *Launch
	box    *abi.Box
	copies []hostCopy
}

// hostCopy is a piece of the host's memory and a copy of its earlier contents.
type hostCopy struct{ current, saved []byte }

func newHostCopy(p unsafe.Pointer, size uintptr) hostCopy {
	now := unsafe.Slice((*byte)(p), size)
	return hostCopy{current: now, saved: bytes.Clone(now)}
}

func (p *preparedLoop) unchanged() bool {
	for _, s := range p.copies {
		if !bytes.Equal(s.current, s.saved) {
			return false
		}
	}
	return true
}

// Run queues a [Launch] of this device, or a loop that kernelgen generated, whose slices and pointers must point to
// memory of backend.Make; it panics on any other loop. It allocates nothing unless the loop is new or has changed. A
// loop over a box can only be run over all of the box.
func (d *Device) Run(l backend.Loop, lo, hi int) {
	if lo >= hi || d.err != nil {
		return
	}
	if launch, ok := l.(*Launch); ok {
		if launch.d != d {
			panic("cuda: Run of a launch that another device prepared")
		}
		launch.Range(lo, hi)
		return
	}
	source, ok := l.(abi.Launcher)
	if !ok {
		panic(fmt.Sprintf("cuda: a loop of type %T has no kernel for a GPU", l))
	}
	p := d.loops[l]
	if p == nil || !p.unchanged() {
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
		d.fail(fmt.Errorf("cuda: kernel %s: got indices [%d, %d), want all %d of its box", p.launch.f.name, lo, hi,
			p.box.Size()))
		return
	}
	p.launch.Box(p.box.Lo, p.box.Hi)
}

// prepare makes the launch of a loop, or updates the arguments of an old one.
func (d *Device) prepare(source abi.Launcher, old *preparedLoop) (*preparedLoop, error) {
	self := reflect.ValueOf(source)
	if self.Kind() != reflect.Pointer || self.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("cuda: a loop has type %v, want a pointer to a struct", self.Type())
	}
	k := source.Launch()
	params, err := k.Parameters(d.locate)
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	p := &preparedLoop{box: k.Box, copies: []hostCopy{newHostCopy(self.UnsafePointer(), self.Type().Elem().Size())}}
	for _, a := range k.Args {
		if a.Kind == abi.Constant || a.Kind == abi.Value {
			p.copies = append(p.copies, newHostCopy(a.Data, a.Size))
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
	p.launch, err = d.prepareGenerated(k, params)
	return p, err
}

// PrepareGenerated prepares a kernel that kernelgen generated. The function device returns the device address of
// size bytes of an argument in the host's memory.
func (d *Device) PrepareGenerated(k abi.Launch, device func(host unsafe.Pointer, size uintptr) (uint64,
	error)) (*Launch, error) {
	params, err := k.Parameters(device)
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	return d.prepareGenerated(k, params)
}

// prepareGenerated prepares a launch with the bytes of its parameters.
func (d *Device) prepareGenerated(k abi.Launch, params [][]byte) (*Launch, error) {
	f, err := d.generatedFunction(k.Module, k.Symbol)
	if err != nil {
		return nil, err
	}
	args := make([]Arg, len(params))
	for n, value := range params {
		args[n] = value
	}
	if k.Shared > 0 {
		if err := d.checkShared(k); err != nil {
			return nil, err
		}
		if err := f.setSharedMemory(k.Shared); err != nil {
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

// Fits returns an error if the blocks of a generated loop need more shared memory than the device has.
func (d *Device) Fits(l backend.Loop) error {
	if source, ok := l.(abi.Launcher); ok {
		return d.checkShared(source.Launch())
	}
	return nil
}

func (d *Device) checkShared(k abi.Launch) error {
	if available := d.info.Shared; k.Shared > available {
		return fmt.Errorf("cuda: kernel %s: a block needs %d bytes of shared memory, %s has at most %d", k.Symbol, k.Shared,
			d.info.Name, available)
	}
	return nil
}

// generatedFunction returns a kernel of a module, which it loads on first use.
func (d *Device) generatedFunction(module *abi.Module, symbol string) (*Function, error) {
	if module == nil {
		return nil, fmt.Errorf("cuda: kernel %s has no module", symbol)
	}
	m := d.loaded[module]
	if m == nil {
		var err error
		if m, err = d.loadCompiled(module); err != nil {
			return nil, fmt.Errorf("cuda: kernel %s: %w", symbol, err)
		}
		d.loaded[module] = m
	}
	return m.Function(symbol)
}

// errNotOnDevice is the error of an argument that the GPU cannot access.
var errNotOnDevice = errors.New("its memory is not on the device or was freed: allocate arrays with backend.Make")

// locate returns the device address of memory that Alloc returned: the address that the slice itself holds.
func (d *Device) locate(p unsafe.Pointer, size uintptr) (uint64, error) {
	if !d.arrays.holds(uintptr(p), size) {
		return 0, errNotOnDevice
	}
	return uint64(uintptr(p)), nil
}
