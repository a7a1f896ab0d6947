package domain

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Gradient returns the gradient of a field of cells in owned cell i, by least squares over its neighbours; if they are
// collinear with the cell, the component along their direction.
func Gradient(p *mesh.Part, i int, field []float64) (gx, gy float64) {
	x, y := p.Centroid(i)
	var xx, xy, yy, fx, fy float64
	for _, neighbour := range p.Neighbour[i] {
		if neighbour < 0 {
			continue
		}
		nx, ny := p.Centroid(int(neighbour))
		wx, wy := p.Vector(i, x, y, nx, ny)
		difference := field[neighbour] - field[i]
		xx, xy, yy = xx+wx*wx, xy+wx*wy, yy+wy*wy
		fx, fy = fx+wx*difference, fy+wy*difference
	}
	det, trace := xx*yy-xy*xy, xx+yy
	switch {
	case trace == 0:
		return 0, 0
	case det < 1e-6*trace*trace:
		return fx / trace, fy / trace
	}
	return (yy*fx - xy*fy) / det, (xx*fy - xy*fx) / det
}

// OwnedValues returns the values of a field in the owned cells, nil for a nil field.
func OwnedValues[F num.Float](field []float64, part *mesh.Part) []F {
	if field == nil {
		return nil
	}
	out := make([]F, part.Owned)
	for i := range out {
		out[i] = F(field[i])
	}
	return out
}
