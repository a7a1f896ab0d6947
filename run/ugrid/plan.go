package ugrid

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// exchangeTag is the tag of messages with values for the ranks that write them. It differs from the tags of halo
// exchanges.
const exchangeTag = 0x0617

// plan says which rank writes which cells: the cells in the order of their keys are split into equal contiguous ranges.
type plan struct {
	comm  dist.Comm
	cells int64   // number of cells of all ranks
	first int64   // key of the first cell that this rank writes
	count int     // number of cells that this rank writes
	to    []share // owned cells that other ranks or this one write, ordered by key
	from  []share // positions, in this rank's range, of the cells that other ranks or this one send
}

// share is what a rank sends to another: numbers of cells or positions. Few ranks have a share.
type share struct {
	rank  int
	items []int
}

func newPlan(ctx context.Context, comm dist.Comm, keys []int64) (*plan, error) {
	p := &plan{comm: comm}
	total := []int64{int64(len(keys))}
	if err := comm.AllreduceInt64(ctx, dist.Sum, total); err != nil {
		return nil, err
	}
	p.cells = total[0]
	n := int64(comm.Size())
	begin := func(rank int64) int64 { return rank*(p.cells/n) + min(rank, p.cells%n) }
	p.first = begin(int64(comm.Rank()))
	p.count = int(begin(int64(comm.Rank())+1) - p.first)
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(keys[a] - keys[b]) })
	rank := int64(0)
	var parcels []dist.Parcel
	for _, i := range order {
		if keys[i] < 0 || keys[i] >= p.cells {
			return nil, fmt.Errorf("got cell key %d, want 0 to %d", keys[i], p.cells-1)
		}
		for keys[i] >= begin(rank+1) {
			rank++
		}
		if len(p.to) == 0 || p.to[len(p.to)-1].rank != int(rank) {
			p.to, parcels = append(p.to, share{rank: int(rank)}), append(parcels, dist.Parcel{Rank: int(rank)})
		}
		to, parcel := &p.to[len(p.to)-1], &parcels[len(parcels)-1]
		to.items = append(to.items, i)
		parcel.Bytes = binary.LittleEndian.AppendUint64(parcel.Bytes, uint64(keys[i]))
	}
	arrived, err := dist.Route(ctx, comm, exchangeTag, parcels)
	if err != nil {
		return nil, err
	}
	return p, p.fill(arrived)
}

// fill sets from, given the keys of cells that this rank writes.
func (p *plan) fill(arrived []dist.Parcel) error {
	filled := 0
	for _, parcel := range arrived {
		from := share{rank: parcel.Rank}
		for keys := parcel.Bytes; len(keys) >= 8; keys = keys[8:] {
			from.items = append(from.items, int(int64(binary.LittleEndian.Uint64(keys))-p.first))
		}
		p.from = append(p.from, from)
		filled += len(from.items)
	}
	if filled != p.count {
		return fmt.Errorf("received %d cells to write, want %d", filled, p.count)
	}
	return nil
}

// exchange sends arrays of values on owned cells to the ranks that write them, and returns the arrays of this rank's
// range.
func (p *plan) exchange(ctx context.Context, arrays [][]float64) ([][]float64, error) {
	self, own := p.comm.Rank(), []byte(nil)
	buffers := make([][]byte, len(p.from))
	var requests []dist.Request
	post := func(r dist.Request, err error) error {
		if err == nil {
			requests = append(requests, r)
		}
		return err
	}
	for k, from := range p.from {
		if from.rank == self {
			continue
		}
		buffers[k] = make([]byte, 8*len(arrays)*len(from.items))
		if err := post(p.comm.Irecv(ctx, from.rank, exchangeTag, buffers[k])); err != nil {
			return nil, err
		}
	}
	for _, to := range p.to {
		var values []byte
		for _, numbers := range arrays {
			for _, i := range to.items {
				values = binary.LittleEndian.AppendUint64(values, math.Float64bits(numbers[i]))
			}
		}
		if to.rank == self {
			own = values
		} else if err := post(p.comm.Isend(ctx, to.rank, exchangeTag, values)); err != nil {
			return nil, err
		}
	}
	if err := p.comm.Wait(ctx, requests); err != nil {
		return nil, err
	}
	result := make([][]float64, len(arrays))
	for k := range result {
		result[k] = make([]float64, p.count)
	}
	for n, from := range p.from {
		if from.rank == self {
			buffers[n] = own
		}
		values := decode(nil, buffers[n])
		for k := range result {
			for j, position := range from.items {
				result[k][position] = values[k*len(from.items)+j]
			}
		}
	}
	return result, nil
}

// corners returns the corners of the cells in this rank's range: x and y of three corners, six numbers per cell.
func (p *plan) corners(ctx context.Context, mesh *vtk.Grid) ([]float64, error) {
	arrays := make([][]float64, 6)
	for k := range arrays {
		arrays[k] = make([]float64, len(mesh.Types))
	}
	for i := range mesh.Types {
		cell := mesh.Cell(i)
		if len(cell) != 3 {
			return nil, fmt.Errorf("cell %d has %d corners, want 3: format nc stores triangles", i, len(cell))
		}
		for k, v := range cell {
			arrays[2*k][i], arrays[2*k+1][i] = mesh.Points[3*v], mesh.Points[3*v+1]
		}
	}
	numbers, err := p.exchange(ctx, arrays)
	if err != nil {
		return nil, err
	}
	corners := make([]float64, 0, 6*p.count)
	for i := range p.count {
		for k := range numbers {
			corners = append(corners, numbers[k][i])
		}
	}
	return corners, nil
}
