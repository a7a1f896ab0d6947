package twophase

import (
	"math"

	"github.com/atoll-hpc/atoll/grid"
)

// weight is the volume, in units of unit, of a block's cells with index i along x: in axisymmetric flow the radius of
// their centres in cells.
func (c *Config) weight(b *grid.Block, i int) float64 {
	if !c.Rings {
		return 1
	}
	return float64(b.Lo[0]+i) + .5
}

// unit is the volume of a cell, in the plane its area; in axisymmetric flow of one whose radius is a cell.
func (c *Config) unit(g *grid.Grid) float64 {
	if !c.Rings {
		return g.CellVolume()
	}
	return 2 * math.Pi * g.Spacing(0) * g.CellVolume()
}

// part is a power of two; what passes a face in a step is at most 1/part of unit.
func (c *Config) part(g *grid.Grid) float64 {
	part := 1.0
	for c.Rings && part*float64(g.N[0]) > 1 {
		part /= 2
	}
	return part
}

// residual is the tolerance of the pressure's equation, times dt: in axisymmetric flow, where it is for the flow out of
// a cell, that of cells at the axis, whose radius is half a cell.
func (c *Config) residual() float64 {
	if c.Rings {
		return c.Tolerance / 2
	}
	return c.Tolerance
}

// slicesOfRing is the number of slices along x of which a ring's volume fraction is made at the start.
const slicesOfRing = 16

// RingFractions computes the volume fractions of the rings of a block: fill is asked for those of thinner cells, whose
// radii it weights.
func RingFractions(b *grid.Block, fill func(*grid.Block) ([]float64, error)) ([]float64, error) {
	g := *b.Grid
	lo, n := b.Lo, b.N
	g.N[0], lo[0], n[0] = g.N[0]*slicesOfRing, lo[0]*slicesOfRing, n[0]*slicesOfRing
	thin, err := g.Block(lo, n, 0)
	if err != nil {
		return nil, err
	}
	slices, err := fill(thin)
	if err != nil {
		return nil, err
	}
	f := make([]float64, b.Cells())
	for c := range f {
		inner := float64(b.Lo[0] + c%b.N[0])
		for k := range slicesOfRing {
			f[c] += slices[c*slicesOfRing+k] * (inner + (float64(k)+.5)/slicesOfRing)
		}
		f[c] = max(0, min(1, f[c]/(slicesOfRing*(inner+.5))))
	}
	return f, nil
}
