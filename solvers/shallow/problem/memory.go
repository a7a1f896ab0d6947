package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
	"github.com/atoll-hpc/atoll/solvers/shallow/coordinates"
)

// memory returns the bytes of a rank's arrays, without series. A file of gauges counts as one point: the samples of all
// gauges take at most 64 MiB, on GPUs only.
func memory(c *config.Case, share solvers.Counts) int64 {
	cfg, in := memoryInputs(c)
	return cfg.Bytes(share.Owned, share.Held, c.Sections.(*Sections).Physics.Precision, in, share.SeparateMemory)
}

// memoryInputs returns what the memory of a case depends on besides its mesh.
func memoryInputs(c *config.Case) (shallow.Config, shallow.Inputs) {
	w := c.Sections.(*Sections)
	p, f, keep := &w.Physics, &w.Forcing, shallow.Keep{Maxima: w.Maxima.Keep}
	in := shallow.Inputs{Coefficients: w.Forcing.Coefficients.Given(), Evaporation: f.Evaporation != nil,
		RainField: f.OverTime.Rain != nil, WindField: f.Storm != nil || f.OverTime.WindX != nil,
		PressureField: f.Storm != nil || f.OverTime.Pressure != nil}
	in.Coefficients[coefficients.Uplift] = f.isMoving()
	in.Coefficients[coefficients.Curvature] = coordinates.Geographic(c)
	for _, g := range c.Gauges {
		in.Gauges += max(1, g.Points)
	}
	return shallow.Config{Order: p.Order, Layers: p.Layers, LocalSteps: p.LocalSteps, Keep: keep}, in
}

// copies returns the bytes that a device copies for a frame and for a checkpoint. A frame needs a copy of the state if
// one of its fields is computed from the state alone: maxima are not, and no field is if the bed rises.
func copies(c *config.Case, share solvers.Counts) (n solvers.Copies) {
	w := c.Sections.(*Sections)
	cfg, in := memoryInputs(c)
	state, records := cfg.StateBytes(share.Owned, share.Held, w.Physics.Precision, in)
	n.Checkpoint = state + records
	fields, _ := fieldsOf(w.Physics.Layers)
	if !in.Coefficients[coefficients.Uplift] && slices.ContainsFunc(c.Output.Fields, func(name string) bool {
		return slices.ContainsFunc(fields, func(f solvers.Field) bool { return f.Name == name })
	}) {
		n.Frame = state
	}
	return n
}

// Host memory in bytes per cell, measured on generated meshes of 500,000 to 1,000,000 cells.
const (
	setUpBytesPerCell  = 440 // of the whole mesh on rank 0 during set-up
	divideBytesPerCell = 480 // of a rank's cells while ranks read and divide the mesh together
	hostBytesPerCell   = 75  // of a rank's part: coordinates and the halo plan
)

// estimate estimates the resources of a case from the counts of its mesh, which for a file are in its header.
func estimate(c *config.Case, ranks int, separate bool) (f solvers.Estimate, err error) {
	w := c.Sections.(*Sections)
	m, err := domain.EstimateMesh(c, &w.Mesh)
	if err != nil || m.Cells == 0 {
		return f, err
	}
	f.Entities, f.SetUpHost = m.Cells, setUpBytesPerCell*m.Cells
	f.LargestShare = solvers.Counts{Dim: 2, SeparateMemory: separate}
	f.LargestShare.Owned, f.LargestShare.Held = domain.EstimateShare(m.Cells, 2, ranks)
	f.Host = hostBytesPerCell * int64(f.LargestShare.Held)
	if m.InSlices && !w.Adapt.Given && domain.ReadInSlices(&w.Mesh, ranks, w.fields()) {
		if f.SetUpHost = 0; separate { // else the arrays, which come later, take more
			f.StartHost = divideBytesPerCell * int64(f.LargestShare.Owned)
		}
	}
	return f, nil
}
