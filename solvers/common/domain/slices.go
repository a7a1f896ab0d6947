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
	"github.com/atoll-hpc/atoll/mesh/lattice"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
	"github.com/atoll-hpc/atoll/solvers/common/divide"
)

// ReadInSlices reports whether ranks of a case read or generate its mesh and divide it together, as far as the case
// tells: each rank has a slice, none all of it. Otherwise, and if the mesh turns out to be small, to have faults, or to
// be in a file that package divide does not know, rank 0 reads all of it.
func ReadInSlices(s *config.Mesh, ranks int, fields []config.Field) bool {
	fromFrame := func(f config.Field) bool { return f.File != "" }
	return ranks > 1 && (s.File != "" || s.Generate == "rectangle") && s.Refine == 0 &&
		partition.Method(s.Partition) == partition.HilbertCut && !slices.ContainsFunc(fields, fromFrame)
}

// inSlices gives each rank its share of a mesh that all read together, nil if rank 0 must have the whole.
func inSlices(ctx context.Context, c *config.Case, s config.Mesh, comm dist.Comm, o decompose.Options,
	fields []config.Field) (*decompose.MeshShare, error) {
	if !ReadInSlices(&s, comm.Size(), fields) {
		return nil, nil
	}
	parallel.ReportTask(ctx, "read or generate the mesh, and divide it")
	var text bytes.Buffer
	if comm.Rank() == 0 && !division.Wanted(comm) {
		if known := meshSourceOf(c, &s); known != nil {
			if err := gob.NewEncoder(&text).Encode(known); err != nil {
				return nil, err
			}
		}
	}
	encoded, err := dist.TextOf(ctx, comm, 0, text.String())
	if err != nil || encoded == "" {
		return nil, err
	}
	var known meshSource
	if err := gob.NewDecoder(strings.NewReader(encoded)).Decode(&known); err != nil {
		return nil, err
	}
	from, end := known.open()
	defer end()
	share, err := divide.Mesh(ctx, comm, from, o, epsg.Geographic(c.EPSG()))
	if errors.As(err, new(*divide.Doubt)) {
		return nil, nil
	}
	return share, err
}

// meshSource is what rank 0 tells others of a mesh: where a file has it, or how it is generated.
type meshSource struct {
	File      *sliced.Layout
	Rectangle *sliced.Rectangle
}

// fewCells is the number of cells below which messages take longer than reading the whole mesh on rank 0.
const fewCells = 5_000

// meshSourceOf returns the source of a case's mesh, nil if rank 0 must have the whole.
func meshSourceOf(c *config.Case, s *config.Mesh) *meshSource {
	if s.File != "" {
		layout, err := meshio.Layout(c.Path(s.File))
		if err != nil {
			return nil
		}
		if _, cells, _ := layout.Counts(); cells < fewCells {
			return nil
		}
		return &meshSource{File: layout}
	}
	b := s.Bounds
	l, err := lattice.New(b[0], b[1], b[2], b[3], s.Cells, s.Seed)
	if err != nil || s.Cells < fewCells {
		return nil
	}
	return &meshSource{Rectangle: &sliced.Rectangle{Lattice: *l}}
}

// open opens the source; nil if this rank does not see the file. end closes it.
func (s *meshSource) open() (from divide.Source, end func()) {
	if s.Rectangle != nil {
		return s.Rectangle, func() {}
	}
	r, err := sliced.Open(s.File)
	if err != nil {
		return nil, func() {}
	}
	return r, func() { _ = r.Close() }
}
