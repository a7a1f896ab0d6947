package shallow

import (
	"errors"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/common/series"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels"
)

// addAirPressure adds the gradient of the air pressure in all cells, times a factor in time; nil stands for 1.
func (o *outlets[F]) addAirPressure(pressure []float64, course []series.Row, part *mesh.Part) error {
	if pressure == nil {
		if course != nil {
			return errors.New("pressure_course needs a pressure")
		}
		return nil
	}
	if course == nil {
		course = series.Constant(1)
	}
	o.forcing.PressureFactor = o.addNumber(course, false)
	o.forcing.PressureGradient = make([]kernels.Vec2[F], part.Owned)
	for i := range o.forcing.PressureGradient {
		o.forcing.PressureGradient[i] = toVec2[F](gradient(part, i, pressure))
	}
	return nil
}

// gradient returns the gradient of a field in owned cell i, by least squares over its neighbours; if they are
// collinear with the cell, the component along their direction.
func gradient(p *mesh.Part, i int, field []float64) (g vec2) {
	at := centroidOf(p, i)
	var xx, xy, yy, fx, fy float64
	for _, neighbour := range p.Neighbour[i] {
		if neighbour < 0 {
			continue
		}
		w, more := centroidOf(p, int(neighbour)).minus(at), field[neighbour]-field[i]
		xx, xy, yy = xx+w.x*w.x, xy+w.x*w.y, yy+w.y*w.y
		fx, fy = fx+w.x*more, fy+w.y*more
	}
	det, trace := xx*yy-xy*xy, xx+yy
	switch {
	case trace == 0:
		return g
	case det < 1e-6*trace*trace:
		return vec2{fx / trace, fy / trace}
	}
	return vec2{(yy*fx - xy*fy) / det, (xx*fy - xy*fx) / det}
}
