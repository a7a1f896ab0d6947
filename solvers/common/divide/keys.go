package divide

import (
	"context"
	"math"
	"sort"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
)

func hilbertKeys(left, bottom, side float64, x, y []float64) []uint64 {
	return partition.HilbertKeys([3]float64{left, bottom}, side, x, y)
}

// sortedKeys are the keys of the cells of a slice in ascending order, equal ones by id.
type sortedKeys struct {
	keys  []uint64
	cells []int32 // of the slice
	first int64   // id of cell 0
}

// before returns how many of the cells are before a key, or before an id among those with that key.
func (s *sortedKeys) before(key uint64, id int64) int {
	n := sort.Search(len(s.keys), func(i int) bool { return s.keys[i] >= key })
	if id == 0 {
		return n
	}
	return n + sort.Search(len(s.keys)-n, func(i int) bool {
		return s.keys[n+i] > key || s.first+int64(s.cells[n+i]) >= id
	})
}

// splitter is the first place, in the order of cells by key and id, that belongs to a part.
type splitter struct {
	key uint64
	id  int64
}

// probeBits are the bits of a splitter that one reduction finds.
const probeBits = 4

// splitters returns those of the parts 1 … ranks-1, which divide the n cells of all ranks as partition.HilbertCut does.
// For each, bits are found from the highest on: the splitter is the largest place with no more cells before it than
// earlier parts have.
func splitters(ctx context.Context, comm dist.Comm, s *sortedKeys, n int64) ([]splitter, error) {
	const probes = 1<<probeBits - 1
	found := make([]splitter, comm.Size()-1)
	counts := make([]int64, probes*len(found))
	refine := func(place func(splitter, uint64) splitter, bits int) error {
		for shift := bits - probeBits; shift >= 0; shift -= probeBits {
			for k, at := range found {
				for probe := range uint64(probes) {
					p := place(at, (probe+1)<<shift)
					counts[probes*k+int(probe)] = int64(s.before(p.key, p.id))
				}
			}
			if err := comm.AllreduceInt64(ctx, dist.Sum, counts); err != nil {
				return err
			}
			for k, at := range found {
				most := int64(partition.CellsBefore(int(n), comm.Size(), k+1))
				higher := sort.Search(probes, func(i int) bool { return counts[probes*k+i] > most })
				found[k] = place(at, uint64(higher)<<shift)
			}
		}
		return nil
	}
	err := refine(func(at splitter, more uint64) splitter { return splitter{key: at.key + more} }, 64)
	if err != nil {
		return nil, err
	}
	err = refine(func(at splitter, more uint64) splitter { return splitter{at.key, at.id + int64(more)} }, 32)
	return found, err
}

// sentCell is a cell on its way to its owner.
type sentCell struct {
	id      uint32
	corners [3]uint32
}

// sendCells sends the cells of the slice to their owners, with the groups of their edges.
func (d *division) sendCells(ctx context.Context) error {
	s := &d.slice
	sorted := &sortedKeys{s.keys, make([]int32, len(s.keys)), s.first}
	for c := range sorted.cells {
		sorted.cells[c] = int32(c)
	}
	partition.SortByKey(sorted.keys, sorted.cells)
	found, err := splitters(ctx, d.comm, sorted, d.cells)
	if err != nil {
		return err
	}
	owner := make([]int32, len(s.Cells))
	for next, rank := 0, 0; rank < d.ranks; rank++ {
		end := len(sorted.cells)
		if rank < d.ranks-1 {
			end = sorted.before(found[rank].key, found[rank].id)
		}
		for ; next < end; next++ {
			owner[sorted.cells[next]] = int32(rank)
		}
	}
	s.keys, sorted = nil, nil
	out := byRank(d.ranks, len(s.Cells), func(c int) int { return int(owner[c]) }, func(c int) sentCell {
		v := s.Cells[c]
		return sentCell{uint32(s.first) + uint32(c), [3]uint32{s.labels[v[0]], s.labels[v[1]], s.labels[v[2]]}}
	})
	ownerOf := func(i int) int { return int(owner[int64(d.edgeGroups[i].cell)-s.first]) }
	groups := byRank(d.ranks, len(d.edgeGroups), ownerOf, func(i int) groupOfEdge { return d.edgeGroups[i] })
	d.slice = slice{first: s.first}
	in, err := exchange(ctx, d.comm, out)
	if err != nil {
		return err
	}
	out = nil
	if err := d.takeCells(in); err != nil {
		return err
	}
	inGroups, err := exchange(ctx, d.comm, groups)
	d.edgeGroups = concat(inGroups)
	return err
}

// takeCells takes the cells of which this rank is the owner. Slices have ascending ids, and so have those of each.
func (d *division) takeCells(in []list[sentCell]) error {
	n := 0
	for _, l := range in {
		n += len(l.items)
	}
	o := &d.own
	o.ids, o.Cells, o.numbers = make([]int32, 0, n), make([][3]int32, 0, n), newNumbering(n*5/8)
	for _, l := range in {
		for _, c := range l.items {
			if c.id > math.MaxInt32 || len(o.ids) > 0 && int32(c.id) <= o.ids[len(o.ids)-1] {
				return errDamaged
			}
			o.add(c)
		}
	}
	return nil
}

// homeOfCell returns the rank that has read a cell of n.
func homeOfCell(cell uint32, n int64, ranks int) int {
	return int(((uint64(cell)+1)*uint64(ranks) - 1) / uint64(n))
}
