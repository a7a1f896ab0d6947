package problem

import (
	"context"
	"fmt"
	"math"

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
)

// side is the part of a mesh along a group of edges.
type side struct {
	length float64 // m
	lowest float64 // height of the lowest bed in cells beside it above the datum, m
}

// sidesOf returns the sides of all groups. All ranks call it.
func sidesOf(ctx context.Context, comm dist.Comm, part *mesh.Part, depth []float64) ([]side, error) {
	lengths := make([]int64, len(part.Groups)) // µm
	deepest := make([]float64, len(part.Groups))
	for group := range deepest {
		deepest[group] = math.Inf(-1)
	}
	for i, neighbours := range part.Neighbour {
		for k, o := range neighbours {
			group := mesh.OutsideGroup(o)
			if o >= 0 || group < 0 {
				continue
			}
			a, b := part.Cells[i][k], part.Cells[i][(k+1)%3]
			lengths[group] += int64(math.Round(1e6 * math.Hypot(part.X[b]-part.X[a], part.Y[b]-part.Y[a])))
			deepest[group] = max(deepest[group], depth[i])
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, lengths); err != nil {
		return nil, err
	}
	if err := comm.AllreduceFloat64(ctx, dist.Max, deepest); err != nil {
		return nil, err
	}
	sides := make([]side, len(part.Groups))
	for group := range sides {
		sides[group] = side{float64(lengths[group]) / 1e6, -deepest[group]}
	}
	return sides, nil
}

// noteSides adds a note for each condition that is hardly possible at its group of edges. All ranks call it.
func (m *model) noteSides(ctx context.Context) error {
	if len(m.w.Boundary.Given) == 0 {
		return nil
	}
	sides, err := sidesOf(ctx, m.env.Comm, m.part, m.initial.Depth)
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

// extremes returns the least and the largest value of a series.
func extremes(rows []series.Row) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		least, most = min(least, r.Value), max(most, r.Value)
	}
	return least, most
}
