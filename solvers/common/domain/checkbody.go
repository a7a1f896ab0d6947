package domain

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// CheckBody returns warnings about a body, of the given name in the case: what reading its file has mended, cells in
// which parts may have been overlooked, and a body that is probably not as intended, because it covers no cell of the
// grid or all cells. f is the volume fraction of the body in each of the rank's own cells. All ranks call it and get
// the same.
func CheckBody(ctx context.Context, comm dist.Comm, name string, body *shape.Body, f []float64) ([]string, error) {
	var warnings []string
	for _, note := range body.Notes {
		warnings = append(warnings, name+": "+note)
	}
	overlooked := []int64{body.Overlooked()}
	if err := comm.AllreduceInt64(ctx, dist.Sum, overlooked); err != nil {
		return nil, err
	}
	if n := overlooked[0]; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: parts of it that are much thinner than a cell may be missing in %d "+
			"cells, for which no bounds were found; use more cells, of fractions = \"divide\" also more levels, or write it "+
			"with fewer conditions and jumps", name, n))
	}
	extremes := []float64{1, 0} // the least fraction, and the negative of the greatest
	for _, v := range f {
		extremes[0], extremes[1] = min(extremes[0], v), min(extremes[1], -v)
	}
	if err := comm.AllreduceFloat64(ctx, dist.Min, extremes); err != nil {
		return nil, err
	}
	switch {
	case extremes[1] == 0:
		where := "it lies outside the grid or is smaller than a cell"
		if strings.Contains(fmt.Sprint(body.Notes), "is empty") {
			return warnings, nil // a note has said it
		}
		warnings = append(warnings, name+": no cell of the grid holds any of it: "+where)
	case extremes[0] == 1:
		warnings = append(warnings, name+": it fills the whole grid, so there is no interface")
	}
	return warnings, nil
}

// thinCells is the thickness of a part, in cells, below which a level set represents it poorly.
const thinCells = 2.5

// CheckResolution returns warnings about parts of a body, and gaps in it, that are too thin for a level set on the
// block's grid. isAtSurface says for each own cell whether the surface of the body crosses it. All ranks call it and
// get the same.
func CheckResolution(ctx context.Context, comm dist.Comm, name string, body *shape.Body, b *grid.Block,
	isAtSurface func(cell int) bool) ([]string, error) {
	counts := []int64{0, 0} // thin cells at the surface, all cells at the surface
	n := 0
	for k := range b.N[2] {
		for j := range b.N[1] {
			for i := range b.N[0] {
				if isAtSurface(n) {
					counts[1]++
					if isThin(body, b.Grid, [3]int{b.Lo[0] + i, b.Lo[1] + j, b.Lo[2] + k}) {
						counts[0]++
					}
				}
				n++
			}
		}
	}
	if err := comm.AllreduceInt64(ctx, dist.Sum, counts); err != nil {
		return nil, err
	}
	if thin, all := counts[0], counts[1]; float64(thin) > .005*float64(all) {
		return []string{fmt.Sprintf("%s: at %d of the %d cells of its surface it, or a gap in it, is thinner than %g cells; "+
			"a level set loses such parts: use more cells, or solver = \"vof\"", name, thin, all, thinCells)}, nil
	}
	return nil, nil
}

// isThin reports whether the body or its complement is thin at a cell that the surface crosses: it walks from the
// surface along the normal, in both directions.
func isThin(body *shape.Body, g *grid.Grid, cell [3]int) bool {
	h := g.Spacing(0)
	x := [3]float64{0, 0, g.Lo[2]}
	for d := range g.Dim {
		h, x[d] = min(h, g.Spacing(d)), g.Centre(d, cell[d])
	}
	phi := func(x [3]float64) float64 { return body.Phi(x[0], x[1], x[2]) }
	moved := func(by [3]float64) [3]float64 { return [3]float64{x[0] + by[0], x[1] + by[1], x[2] + by[2]} }
	v, square := phi(x), 0.0
	var slope [3]float64
	for d := range g.Dim {
		var step [3]float64
		step[d] = h / 256
		up, down := phi(moved(step)), phi(moved([3]float64{-step[0], -step[1], -step[2]}))
		slope[d] = (up - down) / (2 * step[d])
		square += slope[d] * slope[d]
	}
	if !(square > 0) {
		return false
	}
	for d := range g.Dim { // to the surface, of Newton's method, and on to both sides
		slope[d] *= h / math.Sqrt(square)
		x[d] -= v / math.Sqrt(square) * slope[d] / h
	}
	for _, side := range []float64{-1, 1} {
		far := moved([3]float64{side * thinCells * slope[0], side * thinCells * slope[1], side * thinCells * slope[2]})
		if phi(far) < 0 != (side < 0) {
			return true
		}
	}
	return false
}
