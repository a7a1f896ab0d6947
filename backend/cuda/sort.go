package cuda

import (
	"math/bits"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

// Sort implements backend.Primitives by a radix sort from the lowest bits up, 8 bits a pass, over as many bits as the
// greatest key has.
func (d *Device) Sort(kind backend.Kind, keys, values unsafe.Pointer, n int) error {
	if n < 2 {
		return nil
	}
	greatest, err := d.Reduce(backend.Max, kind, keys, n)
	if err != nil {
		return err
	}
	tiles := blocks(n, sortTile)
	counts := tiles * digits
	area, err := d.scratch.reserve(d, kind.Size()*n, 4*n, 4*counts, 8*(blocks(counts, tile)+1))
	if err != nil {
		return err
	}
	return d.sort(kind, uintptr(keys), uintptr(values), n, bits.Len64(greatest), area)
}

// sort sorts keys and their values by the low width bits of the keys. area is scratch memory for n keys, n values, the
// counts of digits, and the sums of the counts over tiles.
func (d *Device) sort(kind backend.Kind, keys, values uintptr, n, width int, area [6]uintptr) error {
	tiles := blocks(n, sortTile)
	counts := pointer(area[2])
	k, v, k2, v2 := keys, values, area[0], area[1]
	for shift := 0; shift < width; shift += 8 {
		err := d.queue(primitive{"sort_count", kind.String()}, tiles, uint64(n), uint64(k), uint64(shift), uint64(tiles),
			param(counts))
		if err != nil {
			return err
		}
		if err := d.scan(backend.Int32, counts, counts, tiles*digits, area[3]); err != nil {
			return err
		}
		err = d.queue(primitive{"sort_move", kind.String()}, tiles, uint64(n), uint64(k), uint64(v), uint64(shift),
			uint64(tiles), param(counts), uint64(k2), uint64(v2))
		if err != nil {
			return err
		}
		k, v, k2, v2 = k2, v2, k, v
	}
	if k == keys {
		return nil
	}
	if err := d.Move(pointer(keys), pointer(k), kind.Size()*n); err != nil {
		return err
	}
	return d.Move(pointer(values), pointer(v), 4*n)
}

// orderAreas returns the sizes of the scratch memory of Order, in bytes: the four areas of sort, and the cell numbers
// that are sorted. backend.OrderScratch estimates their sum.
func orderAreas(n int) []int {
	counts := blocks(n, sortTile) * digits
	return []int{4 * n, 4 * n, 4 * counts, 8 * (blocks(counts, tile) + 1), 4 * n}
}

// Order implements backend.Primitives.
func (d *Device) Order(cell unsafe.Pointer, cells int, starts, order unsafe.Pointer, n int) error {
	if n > 0 {
		area, err := d.scratch.reserve(d, orderAreas(n)...)
		if err != nil {
			return err
		}
		if err := d.Move(pointer(area[4]), cell, 4*n); err != nil {
			return err
		}
		if err := d.queue(primitive{"count_up", ""}, blocks(n, threads), uint64(n), param(order)); err != nil {
			return err
		}
		if err := d.sort(backend.Uint32, area[4], uintptr(order), n, bits.Len(uint(cells-1)), area); err != nil {
			return err
		}
		cell = pointer(area[4])
	}
	return d.queue(primitive{"cell_starts", ""}, blocks(cells+1, threads), uint64(cells), uint64(n), param(cell),
		param(starts))
}

// ReduceByKey implements backend.Primitives.
func (d *Device) ReduceByKey(op backend.Op, key, value backend.Kind, outKeys, outValues, keys, values unsafe.Pointer,
	n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	area, err := d.scratch.reserve(d, n, 8*(blocks(n, tile)+1), 4*n)
	if err != nil {
		return 0, err
	}
	head, sums, starts := pointer(area[0]), area[1], pointer(area[2])
	if err := d.queue(primitive{"heads", key.String()}, blocks(n, threads), uint64(n), param(keys),
		param(head)); err != nil {
		return 0, err
	}
	if err := d.count(head, n, sums); err != nil {
		return 0, err
	}
	if err := d.queue(primitive{"compact_index", ""}, blocks(n, tile), uint64(n), param(head), uint64(sums),
		param(starts)); err != nil {
		return 0, err
	}
	runs, err := d.total(n, sums)
	if err != nil {
		return 0, err
	}
	if err := d.Gather(outKeys, keys, starts, key.Size(), key.Size(), runs); err != nil {
		return 0, err
	}
	name := [...]string{"runs_min", "runs_max", "runs_sum"}[op]
	err = d.queue(primitive{name, value.String()}, blocks(runs, threads), uint64(runs), uint64(n), param(starts),
		param(values), param(outValues))
	return runs, err
}
