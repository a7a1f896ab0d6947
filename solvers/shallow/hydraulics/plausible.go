package hydraulics

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/structures"
)

// Differences beyond these are possible, and usually another unit or datum than the writer of the case meant.
const (
	highBarrel = 20. // m
	farFromBed = 3.  // m, of the bottom of a culvert, if that is more than its height
	belowBed   = .5  // m, of the crest of a breach or the sill of a gate
)

// Notes tells what of the structures is hardly possible where they are, one text for each.
func (l *Layout[F]) Notes() (notes []string) {
	for k := range l.list {
		s, given := &l.list[k], &l.given[k]
		note := func(format string, values ...any) {
			notes = append(notes, fmt.Sprintf("[[%s]] %s: ", given.Kind, given.Name)+fmt.Sprintf(format, values...))
		}
		switch s.Kind {
		case structures.Culvert:
			if s.Height > highBarrel {
				note(`its opening is %g m high: "%[1]g mm" is in millimetres`, s.Height)
				continue
			}
			ends := []struct {
				key         string
				invert, bed float64
			}{{"invert_from", s.InvertFrom, s.From.Lowest}, {"invert_to", s.InvertTo, s.To.Lowest}}
			if given.Kind == "bridge" { // it has one, for the bed under it
				ends = ends[:1]
				ends[0].key, ends[0].bed = "invert", min(s.From.Lowest, s.To.Lowest)
			}
			for _, end := range ends {
				if off := end.invert - end.bed; math.Abs(off) > max(farFromBed, s.Height) {
					side := "above"
					if off < 0 {
						side = "below"
					}
					note("%s is %.6g m, and the lowest bed there %.6g m: its bottom is %.3g m %s the ground", end.key, end.invert,
						end.bed, math.Abs(off), side)
				}
			}
		case structures.Gate:
			if bed := max(s.From.Lowest, s.To.Lowest); s.InvertFrom < bed-belowBed {
				note("its sill is %.6g m, and the ground beside it %.6g m high: it carries more than can flow over that",
					s.InvertFrom, bed)
			}
		case structures.Breach:
			for _, r := range given.Value {
				if r.Value < s.InvertFrom-belowBed {
					note("its crest falls to %.6g m, and the ground beside it is %.6g m high: water flows over that", r.Value,
						s.InvertFrom)
					break
				}
			}
		}
	}
	return notes
}

// ridge is a part of the straight line between the ends of a structure, on one rank.
type ridge struct {
	Structure       int32
	Highest, Length float64 // height of the bed above the datum, and length, m
}

// inTheOpen tells of the structures in a dam between whose ends there is none, so that water passes beside them: one
// text for each. All ranks call it.
func (l *Layout[F]) inTheOpen(ctx context.Context, comm dist.Comm, at *Setting, sites []site) (notes []string,
	err error) {
	var own []ridge
	for k := range l.given {
		s := &l.given[k]
		if !s.inside() || s.Kind == "pump" {
			continue
		}
		crossed, err := at.crossed(ctx, [][]float64{{s.From.X, s.From.Y}, {s.To.X, s.To.Y}})
		if err != nil {
			return nil, err
		}
		for _, x := range crossed {
			own = append(own, ridge{int32(k), -float64(F(at.Depth[x.Cell])), math.Hypot(x.X, x.Y)})
		}
	}
	all, err := domain.Gather(ctx, comm, own)
	if err != nil {
		return nil, err
	}
	lowest := slices.Repeat([]float64{math.Inf(-1)}, len(l.given))
	ends, between, length := slices.Clone(lowest), slices.Clone(lowest), make([]float64, len(l.given))
	for _, s := range sites[:l.ofStructures(sites)] {
		ends[s.Structure] = max(ends[s.Structure], s.Lowest)
	}
	for _, r := range all {
		between[r.Structure] = max(between[r.Structure], r.Highest)
		length[r.Structure] += r.Length
	}
	for k := range l.given {
		s := &l.given[k]
		if length[k] == 0 || between[k] > ends[k] ||
			length[k] < .99*mesh.Distance(at.Part.Geographic, s.From.X, s.From.Y, s.To.X, s.To.Y) { // it is in a gap
			continue
		}
		notes = append(notes, fmt.Sprintf("[[%s]] %s: the ground between from and to is nowhere higher than at these, "+
			"%.6g m, so that water passes beside it too: dams are cells that `lines` of depth raise, or gaps in the mesh",
			s.Kind, s.Name, ends[k]))
	}
	return notes, nil
}
