package twophase

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels/levels"
)

const everywhere = solvers.Column | solvers.Metric

const entered = "volume of the first fluid that has entered through this side since the start; negative if it has left"

// Quantities are what is measured besides the totals of fields.
var Quantities = []solvers.Quantity{
	{Name: "kinetic_energy", Unit: "J", Doc: "kinetic energy; in the plane per metre", Outputs: everywhere,
		Panel: "kinetic energy"},
	{Name: "centre_x", Unit: "m", Doc: "centre of the first fluid", Outputs: everywhere},
	{Name: "centre_y", Unit: "m", Doc: "centre of the first fluid", Outputs: everywhere},
	{Name: "centre_z", Unit: "m", Doc: "centre of the first fluid; in the plane 0", Outputs: everywhere},
	{Name: "mean_u", Unit: "m/s", Doc: "mean velocity of the first fluid", Outputs: everywhere},
	{Name: "mean_v", Unit: "m/s", Doc: "mean velocity of the first fluid", Outputs: everywhere},
	{Name: "mean_w", Unit: "m/s", Doc: "mean velocity of the first fluid; in the plane 0", Outputs: everywhere},
	{Name: "interface", Doc: "area of the interface in m²; in the plane its length in m", Outputs: everywhere},
	{Name: "largest_speed", Unit: "m/s", Doc: "largest velocity component at a face", Outputs: everywhere},
	{Name: "divergence", Doc: "largest |∇·u| dt of a cell", Outputs: everywhere},
	{Name: "pressure_iterations", Doc: "iterations of the pressure since the start", Outputs: everywhere},
	{Name: "pressure_iterations_max", Doc: "largest number of iterations of the pressure in a step",
		Outputs: solvers.Metric},
	{Name: "viscous_iterations", Doc: "iterations of viscosity since the start", Outputs: everywhere},
	{Name: "unconverged", Doc: "solutions that did not reach their tolerance since the start", Outputs: everywhere},
	{Name: "clipped", Doc: "volume, in cells, that making nearly pure cells pure has changed", Outputs: everywhere},
	{Name: "steps_by_cfl", Doc: "steps whose length [method] cfl decided", Outputs: solvers.Metric},
	{Name: "steps_by_capillary_waves", Doc: "steps that the fastest capillary wave limited", Outputs: solvers.Metric},
	{Name: "steps_by_gravity", Doc: "steps that gravity limited", Outputs: solvers.Metric},
	{Name: "steps_by_growth", Doc: "steps 1.1 times as long as the one before", Outputs: solvers.Metric},
	{Name: "steps_by_case", Doc: "steps that [method] max_step or the end of the run decided", Outputs: solvers.Metric},
	{Name: "surface_energy", Unit: "J", Doc: "surface tension times the interface; in the plane per metre",
		Outputs: everywhere},
	{Name: "potential_energy", Unit: "J", Doc: "of the difference of the densities in gravity, 0 for a centre at " +
		"(0, 0, 0); in the plane per metre", Outputs: everywhere},
	{Name: "dissipation", Unit: "W", Outputs: everywhere,
		Doc: "kinetic energy that viscosity turns into heat in a second; in the plane per metre"},
	{Name: "solid_force_x", Unit: "N", Doc: "force of the fluids on all solids; in the plane per metre",
		Outputs: everywhere},
	{Name: "solid_force_y", Unit: "N", Doc: "force of the fluids on all solids; in the plane per metre",
		Outputs: everywhere},
	{Name: "solid_force_z", Unit: "N", Doc: "force of the fluids on all solids; in the plane 0", Outputs: everywhere},
	{Name: "entered_x_low", Doc: entered, Outputs: everywhere},
	{Name: "entered_x_high", Doc: entered, Outputs: everywhere},
	{Name: "entered_y_low", Doc: entered, Outputs: everywhere},
	{Name: "entered_y_high", Doc: entered, Outputs: everywhere},
	{Name: "entered_z_low", Doc: entered, Outputs: everywhere},
	{Name: "entered_z_high", Doc: entered, Outputs: everywhere},
	{Name: "removed_drops", Doc: "volume of the drops that [drops] remove_below has removed since the start",
		Outputs: everywhere},
	{Name: "removed_bubbles", Doc: "volume of the bubbles that [bubbles] remove_below has removed since the start",
		Outputs: everywhere},
}

// row is what a rank has measured of its block.
type row struct {
	sums    [sumCount]dist.Accumulator
	fastest float64
	dt      float64
	invalid int       // the first cell with a velocity that is not finite, -1 if there is none, and
	values  []float64 // the velocity there

	pressure, viscous levels.Counts
	through           [6]passed
	removed           [2]passed
	limited           [limits]int64
}

// Numbers of sums.
const (
	sumEnergy = iota
	sumVolume
	sumCentre      // along each axis, and then the momenta
	sumInterface   = 8
	sumDissipation = 9
	sumForce       = 10 // along each axis
	sumCount       = 13
)

// survey measures the state.
type survey[F num.Float] struct{ *solver[F] }

// measures declares what is measured.
func (s survey[F]) measures(m *engine.Measures) {
	m.Program = func(p *engine.Program, _ int, _ bool) {
		p.Run(engine.Over(kernels.NewDivergenceLoop(s.cells(0), &s.lattice, s.u[0].Data, s.u[1].Data, thirdComponent(s.u),
			s.divergence.At()), s.cells(0)))
		p.Host(s.measureRow)
	}
	divergence, clipped := engine.Measured(m, s.divergence), engine.Measured(m, s.clipped)
	m.Quantities = func(ctx context.Context, o *engine.Observation) ([]solvers.Quantity, error) {
		most := divergence.All(o)
		q, err := s.quantities(ctx, o.Steps)
		if err != nil {
			return nil, err
		}
		q[9].Value *= float64(most.Value()) / float64(s.spacing)
		q[14].Value = float64(clipped.All(o).Amount) * 0x1p-60
		return q, nil
	}
}

// measureRow measures the block.
func (s survey[F]) measureRow(context.Context) error {
	u, err := s.hostVelocity()
	if err != nil {
		return err
	}
	f, err := s.f[0].Host()
	if err != nil {
		return err
	}
	r := &row{dt: s.time.Dt, invalid: -1, pressure: s.pressureCount, viscous: s.viscousCount,
		through: s.through, removed: s.removed, limited: s.limited}
	lines, count := partsOf(s.block) // once: the number of processors may change
	parts := make([]row, count)
	parallel.Ranges(lines, count, func(part, lo, hi int) {
		own := row{invalid: -1} // not in parts, whose elements share cache lines
		for line := lo; line < hi; line++ {
			s.measureLine(&own, f, &u, line)
		}
		parts[part] = own
	})
	for n := range parts {
		r.merge(&parts[n])
	}
	if s.solids != nil {
		p, err := s.pressure.X.Host()
		if err != nil {
			return err
		}
		drag[F](s).forces(p, f, &u, r.sums[sumForce:])
	}
	s.rows[s.time.Steps] = r
	return nil
}

// merge adds the row of the next cells.
func (r *row) merge(next *row) {
	for n := range r.sums {
		r.sums[n].Merge(&next.sums[n])
	}
	r.fastest = max(r.fastest, next.fastest)
	if r.invalid < 0 {
		r.invalid, r.values = next.invalid, next.values
	}
}

// measureLine adds a line of owned cells along x to a row.
func (s survey[F]) measureLine(r *row, f []F, u *[3][]F, line int) {
	nx := s.block.N[0]
	for i := range nx {
		c := s.block.Index(i, line%s.block.N[1], line/s.block.N[1])
		energy := s.measureCell(r, f, u, c)
		if r.invalid < 0 && energy-energy != 0 {
			r.invalid, r.values = line*nx+i, make([]float64, s.block.Grid.Dim)
			output[F](s).centre(u, c, r.values)
		}
	}
}

// measureCell adds a cell to a row, and returns its kinetic energy per volume.
func (s survey[F]) measureCell(r *row, f []F, u *[3][]F, c int) (energy float64) {
	b := s.block
	i, j, k := b.Cell(c)
	x, y, z := b.Centre(i, j, k)
	weight := s.cfg.weight(b, i)
	at, dim, volume := [3]float64{x, y, z}, b.Grid.Dim, weight*s.cfg.unit(b.Grid)
	v, moment := float64(f[c]), s.plic.Moment(f, c, false)
	r.sums[sumVolume].Add(v * weight)
	for d := range dim {
		step := stride(s.block, d)
		lo, hi := float64(u[d][c]), float64(u[d][c+step])
		own, below, above := s.cfg.densityOf(v), s.cfg.densityOf(float64(f[c-step])), s.cfg.densityOf(float64(f[c+step]))
		if s.cfg.Rings && d == 0 {
			below, above = below*(weight-1)/weight, above*(weight+1)/weight
		}
		energy += (own+below)*lo*lo + (own+above)*hi*hi
		r.fastest = max(r.fastest, math.Abs(lo), math.Abs(hi))
		if v != 0 {
			r.sums[sumCentre+d].Add(weight * (v*at[d] + moment[d]*float64(s.spacing)))
			r.sums[sumCentre+dim+d].Add(v * weight * (lo + hi) / 2)
		}
	}
	r.sums[sumEnergy].Add(energy / 8 * volume)
	if s.cfg.Viscosity != [2]float64{} {
		r.sums[sumDissipation].Add(s.dissipationOf(f, u, c, weight) * volume)
	}
	if v > 0 {
		r.sums[sumInterface].Add(s.plic.Area(f, c))
	}
	return energy / 8
}

// dissipationOf is the dissipation of a cell per volume, ½μ|∇u + ∇uᵀ|²: shears are means of the squares at the cell's
// edges, so that an edge in a side counts half.
func (s survey[F]) dissipationOf(f []F, u *[3][]F, c int, radius float64) float64 {
	dim, sum := s.block.Grid.Dim, 0.0
	for d := range dim {
		own := stride(s.block, d)
		q := kernels.Viscous[F]{Lattice: s.lattice, Fluids: s.fluids, Across: int32(own), First: s.stride((d + 1) % dim),
			Second: s.stride((d + 2) % dim), F: f}
		slope := float64(u[d][c+own]) - float64(u[d][c])
		sum += 2 * float64(q.OfCell(c)) * slope * slope
		for e := d + 1; e < dim; e++ {
			other := stride(s.block, e)
			for corner := range 4 {
				at := c + corner%2*own + corner/2*other
				shear := float64(u[d][at]) - float64(u[d][at-other]) + float64(u[e][at]) - float64(u[e][at-own])
				if shear *= shear / 4; s.cfg.Rings {
					shear *= (radius - .5 + float64(corner%2)) / radius
				}
				sum += float64(q.OfEdge(at, other)) * shear
			}
		}
	}
	for k := 0; s.cfg.Rings && k < 2; k++ { // the stress around the axis, at faces
		if v := float64(u[0][c+k]); v != 0 {
			sum += float64(s.fluids.ViscosityOf(f[c])) * v * v / (radius * (radius - .5 + float64(k)))
		}
	}
	return sum / (float64(s.spacing) * float64(s.spacing))
}

// densityOf is the density of a mixture.
func (c *Config) densityOf(f float64) float64 { return c.Density[1] + (c.Density[0]-c.Density[1])*f }

// quantities adds up the rows of all ranks.
func (s survey[F]) quantities(ctx context.Context, steps int) ([]solvers.Quantity, error) {
	r, comm := s.rows[steps], s.Env().Comm
	delete(s.rows, steps)
	var sums [sumCount]float64
	for n := range r.sums {
		if err := dist.AllreduceSum(ctx, comm, &r.sums[n]); err != nil {
			return nil, err
		}
		sums[n] = r.sums[n].Float64()
	}
	if e := sums[sumEnergy]; e-e != 0 {
		return nil, s.invalidAt(ctx, steps, r)
	}
	fastest := []float64{r.fastest}
	if err := comm.AllreduceFloat64(ctx, dist.Max, fastest); err != nil {
		return nil, err
	}
	dim := s.block.Grid.Dim
	var centre, mean [3]float64
	for d := range dim {
		if v := sums[sumVolume]; v > 0 {
			centre[d], mean[d] = sums[sumCentre+d]/v, sums[sumCentre+dim+d]/v
		}
	}
	values := []float64{sums[sumEnergy], centre[0], centre[1], centre[2], mean[0], mean[1], mean[2],
		sums[sumInterface], fastest[0], r.dt, float64(r.pressure.Total), float64(r.pressure.Most),
		float64(r.viscous.Total), float64(r.pressure.Failed + r.viscous.Failed), 0}
	for _, n := range r.limited {
		values = append(values, float64(n))
	}
	values = append(values, s.cfg.Tension*sums[sumInterface], s.potential(sums[sumVolume], centre), sums[sumDissipation])
	values = append(values, sums[sumForce:sumCount]...)
	for n, q := range r.through {
		entered := float64(1-2*(n%2)) * q.cells() * s.cfg.unit(s.block.Grid) / s.cfg.part(s.block.Grid)
		values = append(values, entered+0) // not -0
	}
	for _, q := range r.removed {
		values = append(values, q.cells()*s.cfg.unit(s.block.Grid))
	}
	return solvers.Measured(Quantities, values...), nil
}

// potential is the energy of a volume of the first fluid in gravity, instead of the second one.
func (s survey[F]) potential(volume float64, centre [3]float64) (energy float64) {
	mass := (s.cfg.Density[0] - s.cfg.Density[1]) * volume * s.cfg.unit(s.block.Grid)
	for d, g := range s.cfg.Gravity {
		energy -= mass * g * centre[d]
	}
	return energy
}

// invalidAt describes the first velocity that was not finite after some steps.
func (s survey[F]) invalidAt(ctx context.Context, steps int, r *row) error {
	text, err := solvers.DescribeInvalid(ctx, s.Env().Comm, steps, &s.Fields()[2], r.invalid, r.values)
	if err != nil {
		return err
	}
	if text == "" {
		text = fmt.Sprintf("step %d: the kinetic energy is not finite", steps)
	}
	return &solvers.InvalidState{Err: errors.New(text)}
}

// definition is the solver as data.
func (s *solver[F]) definition(at Setting) engine.Definition {
	saved := []engine.Scalar{engine.Saves("clipped", s.clipped, "Amount")}
	for n, c := range []*levels.Counts{&s.pressureCount, &s.viscousCount} {
		name := [2]string{"pressure", "viscous"}[n]
		saved = append(saved, engine.Scalar{Name: name + "_iterations", Host: &c.Total},
			engine.Scalar{Name: name + "_iterations_max", Host: &c.Most}, engine.Scalar{Name: name + "_failed", Host: &c.Failed})
	}
	for n := range s.through {
		name := "through_" + strconv.Itoa(n)
		saved = append(saved, engine.Scalar{Name: name, Host: &s.through[n].whole},
			engine.Scalar{Name: name + "_part", Host: &s.through[n].part})
	}
	for n := range s.removed {
		name := "removed_" + PieceNames[n]
		saved = append(saved, engine.Scalar{Name: name, Host: &s.removed[n].whole},
			engine.Scalar{Name: name + "_part", Host: &s.removed[n].part})
	}
	for n := range s.limited {
		saved = append(saved, engine.Scalar{Name: "steps_by_" + strconv.Itoa(n), Host: &s.limited[n]})
	}
	fields := output[F]{s}.fields()
	return engine.Definition{Model: s, Size: at.Size, Clock: s.clock, Cycle: s.cycle(), Window: 1, Step: s.step,
		Fields: fields, Shapes: surface[F]{s}.shapes(fields[0].Space), Saved: saved, Restored: s.restored,
		Measured: survey[F]{s}.measures,
		Lists:    tagging[F]{s}.lists()}
}
