package divide

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/partition"
)

// homes are the ranks that have the rows of labels, which are numbers of vertices or cells. Ranks that need rows ask
// their homes for them.
type homes struct {
	comm dist.Comm
	// Labels are below span. Each rank is the home of as many of them, in ascending order, or, if labels have large gaps,
	// of random ones.
	span    int64
	random  bool
	first   uint32   // of this rank's labels, if they follow each other
	labels  []uint32 // otherwise: all, ascending
	columns [][]float64
	flags   []uint8 // of each row
}

// Flags of the row of a vertex.
const (
	hasSide  = 1 << iota // the vertex is the lower one of a side
	isUsed               // a cell has it
	hasOwner             // a rank has asked for it, which owns a cell with it
	isShared             // several ranks have
)

func (h *homes) rows() int { return len(h.flags) }

// of returns the home of a label.
func (h *homes) of(label uint32) int {
	ranks := uint64(h.comm.Size())
	if h.random {
		return int(uint64(label) * 0x9e3779b97f4a7c15 >> 32 * ranks >> 32)
	}
	// The last rank whose first label, the quotient of span·rank and ranks, is not above.
	return int(((uint64(label)+1)*ranks - 1) / uint64(h.span))
}

// row returns the row of a label that has its home here, -1 for a label without one.
func (h *homes) row(label uint32) int {
	if h.labels != nil {
		if k, ok := slices.BinarySearch(h.labels, label); ok {
			return k
		}
		return -1
	}
	if k := int(label) - int(h.first); k >= 0 && k < len(h.flags) {
		return k
	}
	return -1
}

// newHomes brings rows to the homes of their labels. It reports whether a label here has several rows.
func newHomes(ctx context.Context, comm dist.Comm, span int64, random bool, labels []uint32, columns [][]float64) (
	h *homes, repeated bool, err error) {
	h = &homes{comm: comm, span: span, random: random, labels: labels, columns: columns}
	away := []int64{0}
	for _, label := range labels {
		if h.of(label) != comm.Rank() {
			away[0] = 1
			break
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Max, away); err != nil {
		return nil, false, err
	}
	if away[0] > 0 {
		if err := h.bring(ctx, labels, columns); err != nil {
			return nil, false, err
		}
	}
	h.flags = make([]uint8, len(h.labels))
	repeated = h.sort()
	if n := len(h.labels); n == 0 || !repeated && int(h.labels[n-1]-h.labels[0]) == n-1 {
		if n > 0 {
			h.first = h.labels[0]
		}
		h.labels = nil
	}
	return h, repeated, nil
}

// bring brings rows to the homes of their labels, in any order.
func (h *homes) bring(ctx context.Context, labels []uint32, columns [][]float64) error {
	ranks := h.comm.Size()
	to := func(i int) int { return h.of(labels[i]) }
	in, err := exchange(ctx, h.comm, byRank(ranks, len(labels), to, func(i int) uint32 { return labels[i] }))
	if err != nil {
		return err
	}
	h.labels, h.columns = concat(in), make([][]float64, len(columns))
	for k, column := range columns {
		in, err := exchange(ctx, h.comm, byRank(ranks, len(labels), to, func(i int) float64 { return column[i] }))
		if err != nil {
			return err
		}
		if h.columns[k] = concat(in); len(h.columns[k]) != len(h.labels) {
			return errDamaged
		}
	}
	return nil
}

// errDamaged is the error of a message that cannot have been sent.
var errDamaged = errors.New("a rank sent more or fewer numbers than it should")

func concat[T any](in []list[T]) []T {
	if len(in) == 1 {
		return in[0].items
	}
	n := 0
	for _, l := range in {
		n += len(l.items)
	}
	all := make([]T, 0, n)
	for _, l := range in {
		all = append(all, l.items...)
	}
	return all
}

// sort sorts the rows by label, and reports whether a label has several.
func (h *homes) sort() (repeated bool) {
	ascending := true
	for k := range len(h.labels) - 1 {
		ascending = ascending && h.labels[k] < h.labels[k+1]
	}
	if ascending {
		return false
	}
	order := make([]int32, len(h.labels))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(h.labels[a], h.labels[b]) })
	h.labels = partition.Permuted(h.labels, order)
	for k := range h.columns {
		h.columns[k] = partition.Permuted(h.columns[k], order)
	}
	return len(slices.Compact(slices.Clone(h.labels))) < len(h.labels)
}

// answer is what fetch returns: the columns and flags of labels. Labels without a row have NaN.
type answer struct {
	columns [][]float64
	flags   []uint8
	missing bool // some labels have no row
}

// fetch asks the homes of labels, each given once, for the first columns of their rows. A home calls visit for each row
// that a rank asks for, all before it answers.
func (h *homes) fetch(ctx context.Context, labels []uint32, columns int, visit func(row int)) (a answer, err error) {
	ranks := h.comm.Size()
	to := make([]int32, len(labels))
	for i, label := range labels {
		to[i] = int32(h.of(label))
	}
	rankOf := func(i int) int { return int(to[i]) }
	asked, err := exchange(ctx, h.comm, byRank(ranks, len(labels), rankOf, func(i int) uint32 { return labels[i] }))
	if err != nil {
		return a, err
	}
	rows := make([]list[int32], len(asked))
	for k, l := range asked {
		rows[k] = list[int32]{l.rank, make([]int32, len(l.items))}
		for i, label := range l.items {
			row := h.row(label)
			if rows[k].items[i] = int32(row); row >= 0 {
				visit(row)
			}
		}
	}
	order := concat(byRank(ranks, len(labels), rankOf, func(i int) int32 { return int32(i) }))
	flags, err := answers(ctx, h.comm, rows, order, h.flags, missingRow)
	if err != nil {
		return a, err
	}
	a.flags, a.missing = flags, slices.Contains(flags, missingRow)
	for _, column := range h.columns[:columns] {
		values, err := answers(ctx, h.comm, rows, order, column, math.NaN())
		if err != nil {
			return a, err
		}
		a.columns = append(a.columns, values)
	}
	return a, nil
}

// missingRow are the flags of a label without a row.
const missingRow = 0xff

// answers sends ranks the values of rows for which they have asked, and returns those that this rank gets, in the order
// of its labels: order lists them in the order of their homes.
func answers[T any](ctx context.Context, comm dist.Comm, rows []list[int32], order []int32, values []T, none T) ([]T,
	error) {
	out := make([]list[T], len(rows))
	for k, l := range rows {
		out[k] = list[T]{l.rank, make([]T, len(l.items))}
		for i, row := range l.items {
			if out[k].items[i] = none; row >= 0 {
				out[k].items[i] = values[row]
			}
		}
	}
	in, err := exchange(ctx, comm, out)
	if err != nil {
		return nil, err
	}
	got, next := make([]T, len(order)), 0
	for _, l := range in {
		if next+len(l.items) > len(order) {
			return nil, errDamaged
		}
		for _, v := range l.items {
			got[order[next]] = v
			next++
		}
	}
	if next != len(order) {
		return nil, errDamaged
	}
	return got, nil
}

// homesOfSlices returns the homes of items that have been read in slices: of each the rank that has read it.
func homesOfSlices(comm dist.Comm, n int64) *homes {
	lo, hi := sliced.Share(n, comm.Rank(), comm.Size())
	return &homes{comm: comm, span: n, first: uint32(lo), flags: make([]uint8, hi-lo)}
}
