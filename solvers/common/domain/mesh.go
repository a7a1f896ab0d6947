// Package domain gives ranks their shares of what a case is solved on: it loads and cuts its mesh, evaluates its fields
// there, and makes spaces of cells.
package domain

import (
	"context"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

// Load reads or generates the mesh of a case.
func Load(c *config.Case, s config.Mesh) (*mesh.Mesh, error) {
	var m *mesh.Mesh
	var err error
	if s.File != "" {
		m, err = meshio.Read(c.Path(s.File))
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
	return Refined(m, s.Refine)
}

// Refined cuts each triangle into four, so many times.
func Refined(m *mesh.Mesh, times int) (*mesh.Mesh, error) {
	for range times {
		var err error
		if m, err = mesh.Refine(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Distribute gives every rank its part of the case's mesh, which rank 0 loads and cuts.
func Distribute(ctx context.Context, c *config.Case, s config.Mesh, comm dist.Comm) (*mesh.Part, *halo.Plan, error) {
	var d *decompose.Decomposition
	var bad error
	if comm.Rank() == 0 {
		var m *mesh.Mesh
		parallel.Begin(ctx, "mesh made or read")
		// A run that was stopped meanwhile does not go on to cut the mesh: it ends with the next call of comm.
		if m, bad = Load(c, s); bad == nil && ctx.Err() == nil {
			parallel.Begin(ctx, "mesh checked, cut and put in order")
			d, bad = decompose.New(m, decompose.Options{
				Ranks: comm.Size(), Order: partition.Ordering(s.Order), Cut: partition.Cut(s.Partition), Seed: s.Seed,
			})
		}
	}
	if err := solvers.Agree(ctx, comm, bad); err != nil {
		return nil, nil, err
	}
	return decompose.Scatter(ctx, comm, d)
}
