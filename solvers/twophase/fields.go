package twophase

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// Fields are the fields that a case can write. The last ones are the state, which it cannot.
var Fields = []solvers.Field{
	{Name: "f", Doc: "volume fraction of the first fluid, half a step before t", Hashed: true, Saved: true,
		GaugeDefault: true, Mask: "fluid",
		Range: &[2]float64{0, 1},
		Total: &solvers.Quantity{Name: "volume", Doc: "volume of the first fluid; in the plane its area"}},
	{Name: "p", Unit: "Pa", Doc: "pressure", Hashed: true, Saved: true, Mask: "fluid"},
	{Name: "velocity", Unit: "m/s", Doc: "velocity, means of opposite faces", Components: []string{"u", "v", "w"},
		Mask: "fluid"},
	{Name: "vorticity", Unit: "1/s", Doc: "vorticity; in space its magnitude", Mask: "fluid"},
	{Name: "q_criterion", Unit: "1/s²", Doc: "½(|Ω|² - |S|²) of the rates of rotation and strain: positive in vortices",
		Mask: "fluid"},
	{Name: "curvature", Unit: "1/m", Doc: "of the interface in cells with both fluids: 1/r of a disk, 2/r of a ball",
		OnRequest: true, Mask: "fluid"},
	{Name: "fluid", Doc: "1 in cells of fluid, 0 in solids: pictures do not show other fields there", OnRequest: true,
		MaskOptional: true, MaskLabel: "solid"},
}

// FieldsOf are Fields in dim dimensions.
func FieldsOf(dim int) []solvers.Field {
	fields := append([]solvers.Field{}, Fields...)
	fields[2].Components = fields[2].Components[:dim]
	return fields
}

// output is what cases write.
type output[F num.Float] struct{ *solver[F] }

// fields are the fields of a block.
func (s output[F]) fields() []solvers.Field {
	dim, cells := s.block.Grid.Dim, s.cellsOf.Space()
	cells.Size = func(i int) float64 { return s.cfg.weight(s.block, i%s.block.N[0]) * s.cfg.unit(s.block.Grid) }
	fields := FieldsOf(dim)
	for k := range fields {
		fields[k].Space = cells
	}
	fields[0] = engine.ShownOnBlock(s.Engine, fields[0], s.block, s.f[0])
	fields[1] = engine.ShownOnBlock(s.Engine, fields[1], s.block, s.pressure.X)
	s.derive(&fields[2], dim, s.centre)
	s.derive(&fields[3], 1, s.vorticity)
	s.derive(&fields[4], 1, s.qCriterion)
	fields[5].Values = surface[F](s).curvature
	fields[6].Values = s.fluid
	for d := range dim {
		n := s.block.Faces(d)
		f := solvers.Field{Name: "face_" + "uvw"[d:d+1], Unit: "m/s", Doc: "velocity at faces", Hashed: true, Saved: true,
			Space: &solvers.Space{Name: "xyz"[d:d+1] + "-face", Owned: n[0] * n[1] * n[2], Key: func(i int) int64 {
				return s.block.FaceNumber(d, i)
			}}}
		fields = append(fields, engine.ShownOnFaces(s.Engine, f, s.block, d, s.u[d]))
	}
	return fields
}

// partsOf returns the number of lines of owned cells along x, and of ranges of them for parallel.Ranges.
func partsOf(b *grid.Block) (lines, parts int) {
	lines = b.N[1] * b.N[2]
	return lines, parallel.Parts(lines, 1<<14/b.N[0]+1)
}

// hostVelocity returns the velocity in memory that the host can read.
func (s *solver[F]) hostVelocity() (u [3][]F, err error) {
	for d := range s.block.Grid.Dim {
		if u[d], err = s.u[d].Host(); err != nil {
			return u, err
		}
	}
	return u, nil
}

// fluid returns 1 for each cell of fluid and 0 for each solid cell.
func (s output[F]) fluid(context.Context) ([]float64, error) {
	values := make([]float64, 0, s.block.Cells())
	for c := range s.block.OwnedIndices() {
		value := 1.0
		if s.solids != nil && s.solids.solid[c] {
			value = 0
		}
		values = append(values, value)
	}
	return values, nil
}

// derive makes a field of n numbers of each cell, which a function computes from the velocity.
func (s output[F]) derive(f *solvers.Field, n int, of func(u *[3][]F, c int, to []float64)) {
	f.Values = func(context.Context) ([]float64, error) {
		u, err := s.hostVelocity()
		if err != nil {
			return nil, err
		}
		values := make([]float64, n*s.block.Cells())
		lines, parts := partsOf(s.block)
		parallel.Ranges(lines, parts, func(_, lo, hi int) {
			nx, ny := s.block.N[0], s.block.N[1]
			for cell := lo * nx; cell < hi*nx; cell++ {
				of(&u, s.block.Index(cell%nx, cell/nx%ny, cell/(nx*ny)), values[n*cell:n*(cell+1)])
			}
		})
		return values, nil
	}
	var u [3][]F
	f.ValuesAt = func(_ context.Context, entities []int, values []float64) (err error) {
		if u, err = s.hostVelocity(); err != nil {
			return err
		}
		for k, i := range entities {
			nx, ny := s.block.N[0], s.block.N[1]
			of(&u, s.block.Index(i%nx, i/nx%ny, i/(nx*ny)), values[n*k:n*(k+1)])
		}
		return nil
	}
}

// centre computes the velocity at a cell's centre.
func (s output[F]) centre(u *[3][]F, c int, to []float64) {
	for d := range to {
		to[d] = (float64(u[d][c]) + float64(u[d][c+stride(s.block, d)])) / 2
	}
}

// vorticity computes the vorticity at a cell's centre from central differences.
func (s output[F]) vorticity(u *[3][]F, c int, to []float64) {
	z := s.slope(u, c, 1, 0) - s.slope(u, c, 0, 1)
	if to[0] = z; s.block.Grid.Dim == 3 {
		x, y := s.slope(u, c, 2, 1)-s.slope(u, c, 1, 2), s.slope(u, c, 0, 2)-s.slope(u, c, 2, 0)
		to[0] = math.Sqrt(x*x + y*y + z*z)
	}
}

// slope is the derivative of component d along an axis at a cell's centre.
func (s output[F]) slope(u *[3][]F, c, d, along int) float64 {
	step, own := stride(s.block, along), stride(s.block, d)
	if d == along {
		return (float64(u[d][c+own]) - float64(u[d][c])) / float64(s.spacing)
	}
	up := float64(u[d][c+step]) + float64(u[d][c+step+own])
	down := float64(u[d][c-step]) + float64(u[d][c-step+own])
	return (up - down) / (4 * float64(s.spacing))
}

// qCriterion computes -½ Σ ∂u_i/∂x_j ∂u_j/∂x_i, which is ½(|Ω|² - |S|²) (Hunt, Wray and Moin, 1988).
func (s output[F]) qCriterion(u *[3][]F, c int, to []float64) {
	to[0] = 0
	for d := range s.block.Grid.Dim {
		for e := range s.block.Grid.Dim {
			to[0] -= s.slope(u, c, d, e) * s.slope(u, c, e, d) / 2
		}
	}
	if s.cfg.Rings { // the rate of strain around the axis
		i, _, _ := s.block.Cell(c)
		rate := (float64(u[0][c]) + float64(u[0][c+1])) / (2 * s.cfg.weight(s.block, i) * float64(s.spacing))
		to[0] -= rate * rate / 2
	}
}
