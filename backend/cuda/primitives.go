package cuda

import (
	_ "embed"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

var (
	//go:embed primitives.zip
	primitivesArchive string

	primitivesModule = abi.Module{Name: "primitives", Archive: primitivesArchive}
)

// primitive is the name of a kernel in primitives.cu: its operation and its type or word size.
type primitive struct{ name, suffix string }

// Constants of primitives.cu.
const (
	threads  = 256
	tile     = threads * 8
	sortTile = threads * 16
	digits   = 256
)

// blocks returns the number of blocks for n elements, blockSize of them per block.
func blocks(n, blockSize int) int { return (n + blockSize - 1) / blockSize }

// queue launches a primitive. Every parameter has 8 bytes.
func (d *Device) queue(p primitive, grid int, args ...uint64) error {
	f := d.primitiveFuncs[p]
	if f == nil {
		var err error
		if d.primitiveModule == nil {
			if d.primitiveModule, err = d.loadCompiled(&primitivesModule); err != nil {
				return d.fail(err)
			}
		}
		symbol := p.name
		if p.suffix != "" {
			symbol += "_" + p.suffix
		}
		if f, err = d.primitiveModule.Function(symbol); err != nil {
			return d.fail(err)
		}
		d.primitiveFuncs[p] = f
	}
	copy(d.primitiveParams.values[:], args)
	d.launch(f, [3]int{grid, 1, 1}, [3]int{threads, 1, 1}, unsafe.Pointer(&d.primitiveParams.params))
	return d.err
}

// reductionBlocks returns how many blocks reduce n elements: a thread takes at least 8 elements, and 8 blocks on each
// multiprocessor keep it busy.
func (d *Device) reductionBlocks(n int) int {
	return min(blocks(n, threads*8), 8*d.info.Multiprocessors)
}

func param(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// Reduce implements backend.Primitives.
func (d *Device) Reduce(op backend.Op, kind backend.Kind, x unsafe.Pointer, n int) (uint64, error) {
	if err := d.results.clear(d, 1); err != nil {
		return 0, err
	}
	name := "reduce_min"
	if op == backend.Max {
		name = "reduce_max"
	}
	grid := d.reductionBlocks(n)
	if err := d.queue(primitive{name, kind.String()}, grid, uint64(n), param(x), uint64(d.results.device)); err != nil {
		return 0, err
	}
	a, err := d.results.read(d, d.results.device, 8)
	if err != nil {
		return 0, err
	}
	return a[0], nil
}

// Sum implements backend.Primitives. Each number adds less than 2^32 to a word, and n is less than 2^31.
func (d *Device) Sum(kind backend.Kind, x unsafe.Pointer, n int, words *[backend.SumWords]int64) error {
	if n == 0 {
		return nil
	}
	if err := d.results.clear(d, backend.SumWords); err != nil {
		return err
	}
	grid := d.reductionBlocks(n)
	if err := d.queue(primitive{"sum", kind.String()}, grid, uint64(n), param(x), uint64(d.results.device)); err != nil {
		return err
	}
	a, err := d.results.read(d, d.results.device, 8*backend.SumWords)
	if err != nil {
		return err
	}
	for i, w := range a {
		words[i] += int64(w)
	}
	return nil
}

// Scan implements backend.Primitives.
func (d *Device) Scan(kind backend.Kind, dst, src unsafe.Pointer, n int) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	area, err := d.scratch.reserve(d, 8*(blocks(n, tile)+1))
	if err != nil {
		return 0, err
	}
	if err := d.scan(kind, dst, src, n, area[0]); err != nil {
		return 0, err
	}
	a, err := d.results.read(d, area[0]+uintptr(8*blocks(n, tile)), 8)
	if err != nil {
		return 0, err
	}
	return int64(a[0]), nil
}

// scan queues a scan in three kernels: the sum of each tile, the scan of these sums (scan_spine), and the scan within
// each tile. sums is scratch memory for one int64 per tile, followed by their total.
func (d *Device) scan(kind backend.Kind, dst, src unsafe.Pointer, n int, sums uintptr) error {
	tiles := blocks(n, tile)
	if err := d.queue(primitive{"scan_sums", kind.String()}, tiles, uint64(n), param(src), uint64(sums)); err != nil {
		return err
	}
	if err := d.queue(primitive{"scan_spine", ""}, 1, uint64(tiles), uint64(sums)); err != nil {
		return err
	}
	return d.queue(primitive{"scan_tiles", kind.String()}, tiles, uint64(n), param(src), param(dst), uint64(sums))
}

// Compact implements backend.Primitives.
func (d *Device) Compact(dst, src, keep unsafe.Pointer, size, n int) (int, error) {
	if n == 0 || size == 0 {
		return 0, nil
	}
	area, err := d.scratch.reserve(d, 8*(blocks(n, tile)+1))
	if err != nil {
		return 0, err
	}
	if err := d.count(keep, n, area[0]); err != nil {
		return 0, err
	}
	w := wordSize(size, param(dst), param(src))
	err = d.queue(primitive{"compact_move", suffix(w)}, blocks(n, tile), uint64(n), param(keep), uint64(area[0]),
		uint64(size/w), param(src), param(dst))
	if err != nil {
		return 0, err
	}
	return d.total(n, area[0])
}

// count queues the count of elements that each tile keeps, and the scan of the counts.
func (d *Device) count(keep unsafe.Pointer, n int, sums uintptr) error {
	tiles := blocks(n, tile)
	if err := d.queue(primitive{"compact_count", ""}, tiles, uint64(n), param(keep), uint64(sums)); err != nil {
		return err
	}
	return d.queue(primitive{"scan_spine", ""}, 1, uint64(tiles), uint64(sums))
}

// total waits for and returns the total of a scan of the tiles of n elements, which scan_spine stores behind sums.
func (d *Device) total(n int, sums uintptr) (int, error) {
	a, err := d.results.read(d, sums+uintptr(8*blocks(n, tile)), 8)
	if err != nil {
		return 0, err
	}
	return int(a[0]), nil
}

// Gather implements backend.Primitives.
func (d *Device) Gather(dst, src, index unsafe.Pointer, size, pitch, n int) error {
	return d.move("gather", dst, src, index, size, pitch, n)
}

// Scatter implements backend.Primitives.
func (d *Device) Scatter(dst, src, index unsafe.Pointer, size, pitch, n int) error {
	return d.move("scatter", dst, src, index, size, pitch, n)
}

func (d *Device) move(name string, dst, src, index unsafe.Pointer, size, pitch, n int) error {
	if n == 0 || size == 0 {
		return nil
	}
	w := wordSize(size, uint64(pitch), param(dst), param(src))
	words := n * (size / w)
	return d.queue(primitive{name, suffix(w)}, blocks(words, threads), uint64(words), uint64(size/w), uint64(pitch/w),
		param(src), param(index), param(dst))
}

// pack queues a copy of n elements of size bytes that begin stride bytes apart. In dst they lie one after the other.
func (d *Device) pack(dst, src unsafe.Pointer, n, size, stride int) error {
	w := wordSize(size, uint64(stride), param(dst), param(src))
	words := n * (size / w)
	return d.queue(primitive{"pack", suffix(w)}, blocks(words, threads), uint64(words), uint64(size/w),
		uint64(stride/w), param(src), param(dst))
}

// wordSize returns the largest word, in bytes, that divides the size of an element and to which all addresses are
// aligned.
func wordSize(size int, addresses ...uint64) int {
	bits := uint64(size) | 16
	for _, a := range addresses {
		bits |= a
	}
	return int(bits & -bits)
}

func suffix(word int) string {
	switch word {
	case 1:
		return "1"
	case 2:
		return "2"
	case 4:
		return "4"
	case 8:
		return "8"
	}
	return "16"
}
