package problem

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// Conditions beyond these are possible, and usually of another unit or datum than the writer of the case meant.
const (
	largestDischarge = 500. // m²/s: the Amazon has some 70
	largestTide      = 20.  // m: from the lowest to the highest level of the Bay of Fundy it is 16
	steepestOutlet   = .3
	highCurve        = 10. // m, of the lowest level of a rating curve above the ground
	belowGround      = 2.  // m, of a level, which is a free overfall then
	bore             = .25 // m, between a level at the start and the water beside it
)

// side is the part of a mesh along a group of edges.
type side struct {
	length    float64 // m
	lowest    float64 // height of the lowest bed in cells beside it above the datum, m
	low, high float64 // extremes of the initial level in these cells, m; low is above high if all are dry
}

// sidesOf returns the sides of all groups. All ranks call it.
func sidesOf(ctx context.Context, comm dist.Comm, part *mesh.Part, start *shallow.Initial) ([]side, error) {
	lengths := make([]int64, len(part.Groups))  // µm
	most := make([]float64, 3*len(part.Groups)) // of each group: depth, level, and level downwards
	for k := range most {
		most[k] = math.Inf(-1)
	}
	for i, neighbours := range part.Neighbour {
		for k, o := range neighbours {
			group := mesh.OutsideGroup(o)
			if o >= 0 || group < 0 {
				continue
			}
			a, b := part.Cells[i][k], part.Cells[i][(k+1)%3]
			lengths[group] += int64(math.Round(1e6 * math.Hypot(part.Edge(a, b))))
			of := most[3*group : 3*group+3]
			of[0] = max(of[0], start.Depth[i])
			if h := start.H2[i]; h > 0 {
				of[1], of[2] = max(of[1], h-start.Depth[i]), max(of[2], start.Depth[i]-h)
			}
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, lengths); err != nil {
		return nil, err
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return nil, err
	}
	sides := make([]side, len(part.Groups))
	for group := range sides {
		of := most[3*group : 3*group+3]
		sides[group] = side{float64(lengths[group]) / 1e6, -of[0], -of[2], of[1]}
	}
	return sides, nil
}

// noteSides adds a note for each condition that is hardly possible at its group of edges. All ranks call it.
func (m *model) noteSides(ctx context.Context) error {
	if len(m.w.Boundary.Given) == 0 {
		return nil
	}
	sides, err := sidesOf(ctx, m.env.Comm, m.part, &m.initial)
	if err != nil {
		return err
	}
	for group, given := range m.cfg.Given {
		if given == nil {
			continue
		}
		if text := sides[group].note(given); text != "" {
			m.c.Note(fmt.Sprintf("[boundary] %s: %s", m.part.Groups[group].Name, text))
		}
	}
	return nil
}

// note tells what of a condition is hardly possible at the side; "" for nothing.
func (s *side) note(given *shallow.Given) string {
	least, most := extremes(given.Value)
	switch given.Kind {
	case "discharge":
		if most > largestDischarge {
			return fmt.Sprintf("a discharge of %.4g m²/s is more than that of any river: the flow through the whole group is "+
				"given by inflow", most)
		}
	case "inflow":
		if most > largestDischarge*s.length {
			return fmt.Sprintf("an inflow of %.6g m³/s through %.4g m is more than that of any river: a series in litres a "+
				"second needs that in the title of its column, [l/s]", most, s.length)
		}
	case "level", "radiation":
		switch {
		case most-least > largestTide:
			return fmt.Sprintf("the level varies by %.4g m, the largest tides by 16 m: a series in centimetres needs that in "+
				"the title of its column, [cm]", most-least)
		case most < s.lowest-belowGround:
			return fmt.Sprintf("the level, at most %.6g m, is below the ground along the whole group, which is at least "+
				"%.6g m high: no water comes in; are both above the same datum, and is the bed's positive right?", most, s.lowest)
		}
		first := atStart(given.Value)
		if level, off := s.jump(first); math.Abs(off) > bore {
			return fmt.Sprintf("the level begins at %.4g m, and the water beside it at %.4g m: a wave of %.3g m comes in at "+
				"once; start with water at that level, or let the level begin at that of the water", first, level, math.Abs(off))
		}
	case "normal":
		if most > steepestOutlet {
			return fmt.Sprintf("a slope of %g, %.0f degrees, is that of a cliff: a slope in percent has two more digits before "+
				"the point", most, math.Atan(most)*180/math.Pi)
		}
	case "rating":
		if first := given.Curve[0].T; first-s.lowest > highCurve {
			return fmt.Sprintf("nothing flows below a level of %.6g m, %.3g m above the lowest ground along the group: are "+
				"both above the same datum?", first, first-s.lowest)
		}
	}
	return ""
}

// jump returns the initial level beside the side that is next to a level, and how far this is above it; 0 without
// water, and for a level below the ground.
func (s *side) jump(level float64) (next, off float64) {
	switch {
	case s.low > s.high || level <= s.lowest:
		return 0, 0
	case level > s.high:
		return s.high, level - s.high
	case level < s.low:
		return s.low, level - s.low
	}
	return level, 0
}

// atStart returns the value of a series at t = 0.
func atStart(rows []series.Row) float64 {
	k := slices.IndexFunc(rows, func(r series.Row) bool { return r.T >= 0 })
	switch {
	case k < 0:
		return rows[len(rows)-1].Value
	case k == 0:
		return rows[0].Value
	}
	a, b := rows[k-1], rows[k]
	return a.Value + (b.Value-a.Value)*(-a.T/(b.T-a.T))
}

// extremes returns the least and the largest value of a series.
func extremes(rows []series.Row) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		least, most = min(least, r.Value), max(most, r.Value)
	}
	return least, most
}
