package domain

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/halo/division"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/divide"
)

// ReadInSlices reports whether ranks of a case read and divide its mesh together, as far as the case tells: each rank a
// slice of a file, none all of it. Otherwise, and if the file turns out to be another one than package divide knows, or
// to have faults, rank 0 reads all of it.
func ReadInSlices(s *config.Mesh, ranks int, fields []config.Field) bool {
	fromFrame := func(f config.Field) bool { return f.File != "" }
	return ranks > 1 && s.File != "" && s.Refine == 0 && partition.Method(s.Partition) == partition.HilbertCut &&
		!slices.ContainsFunc(fields, fromFrame)
}

// inSlices gives each rank its share of a mesh that all read together, nil if rank 0 must have the whole.
func inSlices(ctx context.Context, c *config.Case, s config.Mesh, comm dist.Comm, o decompose.Options,
	fields []config.Field) (*decompose.MeshShare, error) {
	if !ReadInSlices(&s, comm.Size(), fields) {
		return nil, nil
	}
	parallel.ReportTask(ctx, "read and divide the mesh")
	var text bytes.Buffer
	if comm.Rank() == 0 && !division.Wanted(comm) {
		if layout, err := meshio.Layout(c.Path(s.File)); err == nil {
			if err := gob.NewEncoder(&text).Encode(layout); err != nil {
				return nil, err
			}
		}
	}
	encoded, err := dist.TextOf(ctx, comm, 0, text.String())
	if err != nil || encoded == "" {
		return nil, err
	}
	var layout sliced.Layout
	if err := gob.NewDecoder(strings.NewReader(encoded)).Decode(&layout); err != nil {
		return nil, err
	}
	var from divide.Source
	if r, err := sliced.Open(&layout); err == nil {
		defer r.Close()
		from = r
	}
	share, err := divide.Mesh(ctx, comm, from, o, epsg.Geographic(c.EPSG()))
	if errors.As(err, new(*divide.Doubt)) {
		return nil, nil
	}
	return share, err
}
