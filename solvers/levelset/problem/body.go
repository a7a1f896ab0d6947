package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
	"github.com/atoll-hpc/atoll/solvers/levelset"
)

// distance returns the initial body, which the text describes, and its level set on a block.
func distance(ctx context.Context, text string, path func(string) string, b *grid.Block) (*shape.Body, []float64,
	error) {
	parsed, failed, err := shape.Parse(text, b.Grid.Dim, path)
	if err != nil {
		return nil, nil, fmt.Errorf("[initial] shape: %w", err)
	}
	v, err := levelset.Distance(ctx, b, parsed)
	if err := cmp.Or(failed(), err); err != nil {
		return nil, nil, fmt.Errorf("[initial] shape: %w", err)
	}
	return &parsed, v, nil
}

// errUnknown says that the volume fractions of a body are not known.
var errUnknown = errors.New("the body has no volume fractions")

// checkBody returns warnings about the initial body, of which start is the level set in the block's cells. All ranks
// call it and get the same.
func checkBody(ctx context.Context, comm dist.Comm, b *grid.Block, body *shape.Body, start []float64) ([]string,
	error) {
	f, err := []float64(nil), errUnknown
	if body.HasFractions() { // which, if parts of a body of triangles overlap, cannot be computed
		f, err = shape.FillNear(ctx, b, *body, start)
	}
	isKnown := []int64{1}
	if err != nil {
		isKnown[0] = 0
	}
	if err := cmp.Or(ctx.Err(), comm.AllreduceInt64(ctx, dist.Min, isKnown)); err != nil {
		return nil, err
	}
	isAtSurface := func(cell int) bool { return f[cell] > 0 && f[cell] < 1 }
	if isKnown[0] == 0 {
		f = insideOrNot(start)
		nearest := math.Inf(1) // |φ| at the centre of a cell that the surface crosses is at most about half a side
		for axis := range b.Grid.Dim {
			nearest = min(nearest, b.Grid.Spacing(axis)/2)
		}
		isAtSurface = func(cell int) bool { return math.Abs(start[cell]) < nearest }
	}
	const name = "[initial] shape"
	warnings, err := domain.CheckBody(ctx, comm, name, body, f)
	if err != nil || len(warnings) > len(body.Notes) { // there is no surface, or no bounds are known
		return warnings, err
	}
	more, err := domain.CheckResolution(ctx, comm, name, body, b, isAtSurface)
	return append(warnings, more...), err
}

// insideOrNot is 1 in cells whose centre is in the body, otherwise 0.
func insideOrNot(phi []float64) []float64 {
	inside := make([]float64, len(phi))
	for i, v := range phi {
		if v < 0 {
			inside[i] = 1
		}
	}
	return inside
}
