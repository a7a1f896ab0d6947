package run

import (
	"context"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/decompose"
)

// LoadMesh reads or generates the mesh of a case.
func LoadMesh(c *config.Case, s config.Mesh) (*mesh.Mesh, error) {
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
	return refined(m, s.Refine)
}

// refined cuts each triangle into four, so many times.
func refined(m *mesh.Mesh, times int) (*mesh.Mesh, error) {
	for range times {
		var err error
		if m, err = mesh.Refine(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// distribute gives every rank its part of the case's mesh, which rank 0 loads and cuts.
func distribute(ctx context.Context, c *config.Case, s config.Mesh, comm dist.Comm) (*mesh.Part, *halo.Plan, error) {
	var d *decompose.Decomposition
	var bad error
	if comm.Rank() == 0 {
		var m *mesh.Mesh
		// A run that was stopped meanwhile does not go on to cut the mesh: it ends with the next call of comm.
		if m, bad = LoadMesh(c, s); bad == nil && ctx.Err() == nil {
			d, bad = decompose.New(m, decompose.Options{
				Ranks: comm.Size(), Order: partition.Ordering(s.Order), Cut: partition.Cut(s.Partition), Seed: s.Seed,
			})
		}
	}
	if err := agree(ctx, comm, bad); err != nil {
		return nil, nil, err
	}
	return decompose.Scatter(ctx, comm, d)
}

// containing returns the owned cell of lowest global id that holds a point, or -1. Cells hold their edges.
func containing(part *mesh.Part, px, py float64) int {
	best := -1
	for i := range part.Owned {
		x, y := part.Vertices(i)
		inside := true
		for k := range 3 {
			n := (k + 1) % 3
			inside = inside && (x[n]-x[k])*(py-y[k])-(y[n]-y[k])*(px-x[k]) >= 0
		}
		if inside && (best < 0 || part.Global[i] < part.Global[best]) {
			best = i
		}
	}
	return best
}
