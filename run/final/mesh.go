// Package final writes what is made of the last state of a run: the mesh, rasters and outlines of areas.
package final

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/recorder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Mesh writes the mesh that a solver has moved, if the case asks for it and the solver has one.
type Mesh struct {
	recorder.Base
	run *recorder.Run
}

// NewMesh returns the recorder of the final mesh of a run.
func NewMesh(run *recorder.Run) *Mesh {
	return &Mesh{recorder.NewBase("final mesh", recorder.Schedule{Once: true}), run}
}

// Write implements recorder.Recorder. It returns when the mesh is on the disk. In an elastic run the file gets its name
// only when it is complete.
func (m *Mesh) Write(ctx context.Context, _ solvers.Clock, _ bool) error {
	path := m.run.Case.Output.Mesh
	d, ok := m.run.Solver.(solvers.Saver)
	if !ok || path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.run.Dir, path)
	}
	part := path
	if m.run.Fence.Epoch > 0 {
		part = m.run.Fence.PartialMeshPath(path)
	}
	if err := d.Save(ctx, part); err != nil || m.run.Comm.Rank() != 0 {
		return err
	}
	if part != path {
		if err := m.run.Fence.Publish(func() error { return atomicfile.Rename(part, path) }); err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.Sync(path), atomicfile.Sync(filepath.Dir(path)))
}
