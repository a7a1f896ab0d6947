// Package domain makes a rank's share of a case's domain: a part of a mesh or a block of a grid, with its halo plan,
// its solvers.Space of cells, and initial fields evaluated in these. Every solver starts with Distribute (meshes) or
// NewBlock (grids).
package domain

import (
	"context"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// Load reads and mends or generates the mesh of a case, and gives it those of the fields that come from frames of other
// runs.
func Load(c *config.Case, s config.Mesh, fields ...config.Field) (*mesh.Mesh, error) {
	var m *mesh.Mesh
	var err error
	if s.File != "" {
		if m, err = meshio.Read(c.Path(s.File)); err == nil {
			m.Mend()
		}
	} else {
		b := s.Bounds
		m, err = mesh.Rectangle(b[0], b[1], b[2], b[3], s.Cells, s.Seed)
		if err == nil && s.Generate == "delaunay" {
			_, err = m.FlipToDelaunay()
		}
	}
	if err != nil {
		return nil, err
	}
	m.Geographic = epsg.Geographic(c.EPSG())
	if m, err = Refined(m, s.Refine); err != nil {
		return nil, err
	}
	return m, addFrames(c, m, fields)
}

// Refined refines a mesh a number of times; each time every triangle is divided into four.
func Refined(m *mesh.Mesh, times int) (*mesh.Mesh, error) {
	for range times {
		var err error
		if m, err = mesh.Refine(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Distribute gives every rank its part of the case's mesh: ranks read and divide it together if they can (inSlices),
// else rank 0 loads and partitions it. conditions are the groups with a boundary condition, which must be at the
// boundary; fields are those of the case, some of which may come from frames of other runs. On rank 0 the part has
// notes about the mesh.
func Distribute(
	ctx context.Context, c *config.Case, s config.Mesh, comm dist.Comm, conditions []string, fields []config.Field,
) (*mesh.Part, *halo.Plan, error) {
	o := decompose.Options{
		Ranks: comm.Size(), Order: partition.Ordering(s.Order), Method: partition.Method(s.Partition), Seed: s.Seed,
		Conditions: conditions,
	}
	share, err := inSlices(ctx, c, s, comm, o, fields)
	if err != nil {
		return nil, nil, err
	}
	if share != nil {
		return share.Part, share.Plan, nil
	}
	var d *decompose.Decomposition
	var failed error
	if comm.Rank() == 0 {
		var m *mesh.Mesh
		parallel.ReportTask(ctx, "generate or read the mesh")
		// If the run was cancelled meanwhile, the mesh is not partitioned; the next call of comm ends the run.
		if m, failed = Load(c, s, fields...); failed == nil && ctx.Err() == nil {
			parallel.ReportTask(ctx, "check, partition and renumber the mesh")
			if d, failed = decompose.New(m, o); failed == nil {
				graph := d.Graph
				division.Tell(comm, func(_ context.Context, ranks int) (*division.Division, error) {
					owner, err := decompose.Owners(m, graph, ranks, o.Method, o.Seed)
					return &division.Division{Owner: owner, Graph: graph}, err
				})
			}
		}
	}
	if err := solvers.Agree(ctx, comm, failed); err != nil {
		return nil, nil, err
	}
	part, plan, err := decompose.Scatter(ctx, comm, d)
	if d != nil && err == nil {
		part.Notes = d.Notes
	}
	return part, plan, err
}
