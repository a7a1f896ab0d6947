package divide

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sliced"
)

// readVertices reads a slice of the vertices, and brings them to their homes.
func (d *division) readVertices(ctx context.Context) error {
	lo, hi := sliced.Share(d.vertices, d.rank, d.ranks)
	tags := make([]int64, 0, hi-lo)
	x, y, z := make([]float64, 0, hi-lo), make([]float64, 0, hi-lo), make([]float64, 0, hi-lo)
	err := d.from.EachVertex(lo, hi, func(label int64, at [3]float64) {
		tags, x, y, z = append(tags, label), append(x, at[0]), append(y, at[1]), append(z, at[2])
	})
	if err != nil {
		d.doubt(err.Error())
	}
	columns := [][]float64{x, y, z}
	if slices.ContainsFunc(columns, func(c []float64) bool { return slices.ContainsFunc(c, isInfinite) }) {
		d.doubt("a coordinate is not finite")
	}
	if err := d.measureHeights(ctx, columns); err != nil {
		return err
	}
	if !d.hasHeights {
		columns = columns[:2]
	}
	lowest, highest := int64(math.MaxInt64), int64(math.MaxInt64) // the highest negated
	for _, tag := range tags {
		lowest, highest = min(lowest, tag), min(highest, -tag)
	}
	if err := d.reduceIntegers(ctx, dist.Min, &lowest, &highest); err != nil {
		return err
	}
	span := -highest - lowest + 1
	if lowest < 0 || highest < -1<<62 || span < 1 || span >= math.MaxUint32 {
		d.doubt("tags of vertices")
		span, tags, columns = 1, nil, make([][]float64, len(columns))
	}
	d.lowest = lowest
	labels := make([]uint32, len(tags))
	for k, tag := range tags {
		labels[k] = uint32(tag - lowest)
	}
	var repeated bool
	d.homes, repeated, err = newHomes(ctx, d.comm, span, span > 4*d.vertices, labels, columns)
	if repeated {
		d.doubt("a vertex is given twice")
	}
	return err
}

func isInfinite(x float64) bool { return x-x != 0 }

// label returns the label of a vertex by that in the mesh. One that no vertex has is a doubt.
func (d *division) label(of int64) uint32 {
	if of -= d.lowest; of < 0 || of >= d.homes.span {
		d.doubt("an element of an unknown vertex")
		return 0
	}
	return uint32(of)
}

// readVertexFields reads slices of the fields of vertices, and brings the values to the homes.
func (d *division) readVertexFields(ctx context.Context) error {
	for _, f := range d.fields {
		if f.Cells {
			continue
		}
		if f.Name == mesh.Heights && d.hasHeights {
			d.doubt("third coordinates and a field of that name")
		}
		column, count, err := d.readField(ctx, &f, d.homes, d.label)
		if err != nil {
			return err
		}
		rows := int64(d.homes.rows())
		if err := d.reduceIntegers(ctx, dist.Sum, &count, &rows); err != nil {
			return err
		}
		switch {
		case f.Name == "" || count == 0:
		case count < rows:
			d.doubt("a field of some vertices")
		default:
			d.homes.columns, d.vertexFields = append(d.homes.columns, column), append(d.vertexFields, f.Name)
		}
	}
	return nil
}

// value is that of a field at a label.
type value struct {
	number float64
	label  uint32
	_      uint32
}

// readField reads a slice of a field, brings the values to their homes, and returns those here and their number.
func (d *division) readField(ctx context.Context, f *sliced.Field, to *homes, label func(int64) uint32) (
	column []float64, count int64, err error) {
	lo, hi := sliced.Share(f.Count, d.rank, d.ranks)
	values := make([]value, 0, hi-lo)
	err = d.from.EachValue(f, lo, hi, func(of int64, number float64) {
		if !f.Cells || of >= 0 {
			values = append(values, value{number: number, label: label(of)})
		}
	})
	if err != nil {
		d.doubt(err.Error())
	}
	in, err := exchange(ctx, d.comm, byRank(d.ranks, len(values), func(i int) int { return to.of(values[i].label) },
		func(i int) value { return values[i] }))
	if err != nil {
		return nil, 0, err
	}
	column = make([]float64, to.rows())
	filled := make([]bool, to.rows())
	for _, l := range in {
		for _, v := range l.items {
			switch row := to.row(v.label); {
			case row < 0:
				d.doubt("a value of an unknown vertex")
			case filled[row] && f.Name != "":
				d.doubt("two values of a field")
			default:
				column[row], filled[row] = v.number, true
				count++
			}
		}
	}
	return column, count, nil
}

// checkPositions looks for vertices at the same position among those that cells have: their hashes meet.
func (d *division) checkPositions(ctx context.Context) error {
	h := d.homes
	hashes := make([]uint64, 0, h.rows())
	for row, flags := range h.flags {
		if flags&isUsed != 0 {
			hashes = append(hashes, mesh.PositionHash(h.columns[0][row], h.columns[1][row]))
		}
	}
	in, err := exchange(ctx, d.comm, byRank(d.ranks, len(hashes), func(i int) int {
		hi, _ := bits.Mul64(hashes[i], uint64(d.ranks))
		return int(hi)
	}, func(i int) uint64 { return hashes[i] }))
	if err != nil {
		return err
	}
	all := concat(in)
	table := make([]uint64, 1<<bits.Len(uint(2*len(all)))) // hashes, 0 for none
	mask := uint64(len(table) - 1)
	for _, hash := range all {
		hash = max(hash, 1)
		slot := hash & mask
		for table[slot] != 0 && table[slot] != hash {
			slot = (slot + 1) & mask
		}
		if table[slot] == hash {
			d.doubt("vertices at the same position")
			break
		}
		table[slot] = hash
	}
	return nil
}
