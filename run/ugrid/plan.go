package ugrid

import (
	"context"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// exchangeTag is the tag of messages with values for the ranks that write them. It differs from the tags of halo
// exchanges.
const exchangeTag = 0x0617

// plan says which rank writes which cells: the cells in the order of their keys are split into equal contiguous ranges.
type plan struct {
	comm          dist.Comm
	cells         int64   // number of cells of all ranks
	first         int64   // key of the first cell that this rank writes
	count         int     // number of cells that this rank writes
	cellsFor      [][]int // by rank: owned cells that it writes, ordered by key
	positionsFrom [][]int // by rank: positions, in this rank's range, of the cells that it sends
}

func newPlan(ctx context.Context, comm dist.Comm, keys []int64) (*plan, error) {
	p := &plan{comm: comm, cellsFor: make([][]int, comm.Size()), positionsFrom: make([][]int, comm.Size())}
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
	keysFor := make([][]int64, n)
	for _, i := range order {
		if keys[i] < 0 || keys[i] >= p.cells {
			return nil, fmt.Errorf("got cell key %d, want 0 to %d", keys[i], p.cells-1)
		}
		for keys[i] >= begin(rank+1) {
			rank++
		}
		p.cellsFor[rank] = append(p.cellsFor[rank], i)
		keysFor[rank] = append(keysFor[rank], keys[i])
	}
	return p, p.exchangeKeys(ctx, keysFor)
}

// exchangeKeys sends the keys of cells to the ranks that write them, which fill in positionsFrom.
func (p *plan) exchangeKeys(ctx context.Context, keys [][]int64) error {
	values := make([][]float64, len(keys)) // exact, since keys are below 2^53
	for rank, list := range keys {
		for _, key := range list {
			values[rank] = append(values[rank], float64(key))
		}
	}
	counts := make([]float64, p.comm.Size())
	for rank, list := range keys {
		counts[rank] = float64(len(list))
	}
	countsOfRanks, err := p.comm.Allgatherv(ctx, encode(counts))
	if err != nil {
		return err
	}
	for rank, data := range countsOfRanks {
		p.positionsFrom[rank] = make([]int, int(decode(nil, data)[p.comm.Rank()]))
	}
	received, err := p.alltoall(ctx, values, 1)
	if err != nil {
		return err
	}
	filled := 0
	for rank, list := range received {
		for k, key := range list {
			p.positionsFrom[rank][k] = int(int64(key) - p.first)
		}
		filled += len(list)
	}
	if filled != p.count {
		return fmt.Errorf("received %d cells to write, want %d", filled, p.count)
	}
	return nil
}

// alltoall sends values[r] to rank r and returns the values received from each rank: width per cell.
func (p *plan) alltoall(ctx context.Context, values [][]float64, width int) ([][]float64, error) {
	self := p.comm.Rank()
	received := make([][]float64, len(values))
	buffers := make([][]byte, len(values))
	var requests []dist.Request
	post := func(r dist.Request, err error) error {
		if err == nil {
			requests = append(requests, r)
		}
		return err
	}
	for rank := range values {
		if rank == self || len(p.positionsFrom[rank]) == 0 {
			continue
		}
		buffers[rank] = make([]byte, 8*width*len(p.positionsFrom[rank]))
		if err := post(p.comm.Irecv(ctx, rank, exchangeTag, buffers[rank])); err != nil {
			return nil, err
		}
	}
	for rank, list := range values {
		if rank == self || len(list) == 0 {
			continue
		}
		if err := post(p.comm.Isend(ctx, rank, exchangeTag, encode(list))); err != nil {
			return nil, err
		}
	}
	if err := p.comm.Wait(ctx, requests); err != nil {
		return nil, err
	}
	for rank, data := range buffers {
		received[rank] = decode(nil, data)
	}
	received[self] = values[self]
	return received, nil
}

// exchange sends arrays of values on owned cells to the ranks that write them, and returns the arrays of this rank's
// range.
func (p *plan) exchange(ctx context.Context, arrays [][]float64) ([][]float64, error) {
	values := make([][]float64, len(p.cellsFor))
	for rank, list := range p.cellsFor {
		for _, numbers := range arrays {
			for _, i := range list {
				values[rank] = append(values[rank], numbers[i])
			}
		}
	}
	received, err := p.alltoall(ctx, values, len(arrays))
	if err != nil {
		return nil, err
	}
	result := make([][]float64, len(arrays))
	for k := range result {
		result[k] = make([]float64, p.count)
		for rank, list := range p.positionsFrom {
			for j, position := range list {
				result[k][position] = received[rank][k*len(list)+j]
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
