// Package decompose cuts a mesh into the parts that the ranks of a run work on.
package decompose

import (
	"fmt"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// Options say how to cut and number a mesh.
type Options struct {
	Ranks int
	Order partition.Ordering // of the cells within a part
	Cut   partition.Cut
	Seed  uint64 // of what is random
}

// Decomposition is a mesh cut into parts.
type Decomposition struct {
	Plans []*halo.Plan // of each rank
	Graph partition.Graph
	Parts []int32 // rank of each cell

	mesh           *mesh.Mesh
	nb, group      [][3]int32
	core, boundary [][]int32 // cells of each rank in local order
	ghosts         [][]int32 // of each rank, by owner and then by id

	local, vertexLocal []int32 // scratch of Part
}

// cellsPerWorker is how many cells are worth a goroutine.
const cellsPerWorker = 20_000

// New checks the mesh and cuts it.
func New(m *mesh.Mesh, o Options) (*Decomposition, error) {
	d := &Decomposition{mesh: m}
	var err error
	if d.nb, err = m.CheckedNeighbours(); err != nil {
		return nil, err
	}
	if d.group, err = m.BoundaryGroups(d.nb); err != nil {
		return nil, err
	}
	if d.Graph, err = partition.FromNeighbours(d.nb); err != nil {
		return nil, err
	}
	x, y := make([]float64, len(m.Cells)), make([]float64, len(m.Cells))
	parallel.Ranges(len(x), parallel.Parts(len(x), cellsPerWorker), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			x[c], y[c] = m.Centroid(c)
		}
	})
	if o.Ranks > len(m.Cells) {
		return nil, fmt.Errorf("%d ranks for %d cells: use fewer ranks or a finer mesh", o.Ranks, len(m.Cells))
	}
	if o.Ranks == 1 {
		d.Parts = make([]int32, len(m.Cells))
	} else if d.Parts, err = partition.Partition(o.Cut, d.Graph, x, y, o.Ranks, o.Seed); err != nil {
		return nil, err
	}
	cells, err := partition.Split(d.Parts, o.Ranks)
	if err != nil {
		return nil, err
	}
	owned := make([][]int32, o.Ranks)
	wanted := make([][][]int32, o.Ranks) // of each rank, by owner
	for r := range o.Ranks {
		core, boundary, err := partition.Arrange(d.Graph, d.Parts, cells[r], o.Order, x, y, o.Seed)
		if err != nil {
			return nil, err
		}
		d.core, d.boundary = append(d.core, core), append(d.boundary, boundary)
		owned[r] = append(append(make([]int32, 0, len(core)+len(boundary)), core...), boundary...)
		ghosts, err := partition.Ghosts(d.Graph, d.Parts, cells[r], 1)
		if err != nil {
			return nil, err
		}
		wanted[r] = make([][]int32, o.Ranks)
		var all []int32
		for _, g := range ghosts {
			wanted[r][g.Part] = g.Cells
			all = append(all, g.Cells...)
		}
		d.ghosts = append(d.ghosts, all)
	}
	d.Plans, err = halo.Plans(owned, wanted)
	return d, err
}

// Each calls f with the part and plan of every rank in turn, so that no more than one part needs to be held.
func (d *Decomposition) Each(f func(rank int, part *mesh.Part, plan *halo.Plan) error) error {
	for r := range d.core {
		s, err := d.share(r)
		if err != nil {
			return err
		}
		if err := f(r, s.Part, s.Plan); err != nil {
			return err
		}
	}
	return nil
}

// share makes the part of a rank.
func (d *Decomposition) share(r int) (*MeshShare, error) {
	if d.local == nil {
		d.local, d.vertexLocal = marks(len(d.mesh.Cells)), marks(len(d.mesh.X))
	}
	part := d.mesh.Part(d.nb, d.group, d.core[r], d.boundary[r], d.ghosts[r], d.local, d.vertexLocal)
	return &MeshShare{part, d.Plans[r]}, nil
}

func marks(n int) []int32 {
	m := make([]int32, n)
	for i := range m {
		m[i] = -1
	}
	return m
}
