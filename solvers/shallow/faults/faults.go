// Package faults has the sections [[fault]] of a case: parts of an earthquake, by which the bed rises and sinks.
package faults

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/solvers/shallow/okada"
)

// Fault is a section [[fault]]: a rectangle in the rock that slips.
type Fault struct {
	At []float64 // of the centre
	okada.Fault
}

// Decode reads all sections, and notes the magnitude of the earthquake that they are together.
func Decode(root *config.Section, c *config.Case) (list []Fault) {
	const rigidity = 30e9 // Pa
	moment := 0.
	for _, s := range root.Subs("fault") {
		var f Fault
		f.Keys(s.Read)
		s.Finish()
		moment += rigidity * f.Length * f.Width * f.Slip
		list = append(list, f)
	}
	if moment > 0 {
		c.Note(fmt.Sprintf("[[fault]]: the slip of all faults is that of an earthquake of moment magnitude %.1f, if the "+
			"rock has a rigidity of 30 GPa", (math.Log10(moment)-9.1)/1.5))
	}
	return list
}

// Keys declares the keys of the section.
func (f *Fault) Keys(key func(*config.Spec)) {
	key(config.List("at", "m", &f.At, 2, config.Any, "position `[x, y]` of the centre of the rectangle; "+
		"longitude and latitude in degrees if the crs is in degrees").
		Check(func(*config.Section) {
			if len(f.At) == 2 {
				f.X, f.Y = f.At[0], f.At[1]
			}
		}))
	key(config.Real("length", "m", &f.Length, config.Positive, "along the strike"))
	key(config.Real("width", "m", &f.Width, config.Positive, "down the dip"))
	key(config.Real("strike", "degree", &f.Strike, config.Bound{Least: -360, Most: 360}, "direction of the upper edge, "+
		"clockwise from y, which is taken as the north; the rectangle dips to the right of it"))
	key(config.Real("dip", "degree", &f.Dip, config.Bound{Most: 90}, "angle between the rectangle and the horizontal"))
	key(config.Real("depth", "m", &f.Depth, config.Positive, "of the centre under the bed").
		Check(func(s *config.Section) {
			if top := f.Top(); top < -1e-9*f.Width {
				s.Fail("depth", "%g m puts the upper edge of the fault %.4g m above the ground: with this width and dip it is "+
					"at least %.8g m, and this is the depth of the centre", f.Depth, -top, f.Depth-top)
			}
		}))
	key(config.Real("rake", "degree", &f.Rake, config.Bound{Least: -360, Most: 360}, "direction of the slip of the rock "+
		"above, counterclockwise from the strike: 90 is a thrust, -90 a normal fault"))
	key(config.Real("slip", "m", &f.Slip, config.NonNegative, "length of the slip"))
	key(config.Real("poisson", "", &f.Poisson, config.Bound{Most: .5}.Or(.25), "Poisson's ratio of the rock"))
}

// Add adds the rise of the bed by faults, in m, at the centroids of a part's cells, to another one, and returns it. nil
// stands for a bed that stays.
func Add(ctx context.Context, faults []Fault, part *mesh.Part, rise []float64) ([]float64, error) {
	if len(faults) == 0 {
		return rise, nil
	}
	if rise == nil {
		rise = make([]float64, len(part.Cells))
	}
	sources := make([]*okada.Source, len(faults))
	for k := range faults {
		f := faults[k].Fault
		if part.Geographic { // positions are those seen from the centre
			f.X, f.Y = 0, 0
		}
		sources[k] = okada.New(&f)
	}
	const cellsPerWorker = 256
	err := parallel.Each(ctx, "faults", len(rise), cellsPerWorker, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			x, y := part.Centroid(i)
			for k, s := range sources {
				if part.Geographic {
					_, _, up := s.At(sphere.Seen(faults[k].X, faults[k].Y, x, y))
					rise[i] += up
					continue
				}
				_, _, up := s.At(x, y)
				rise[i] += up
			}
		}
		return nil
	})
	return rise, err
}
