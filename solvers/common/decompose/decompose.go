// Package decompose partitions a mesh into parts with ghosts and halo plans, one for each rank, and distributes them.
// New makes a Decomposition on rank 0; Scatter sends every rank its share, which the receiver checks.
package decompose

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// Options control partition and numbering.
type Options struct {
	Ranks  int
	Order  partition.Ordering // of the cells within a part
	Method partition.Method   // algorithm of the partition
	Seed   uint64             // of random orders and partitions
	// Conditions are groups of edges with a boundary condition, all of which must be at the boundary.
	Conditions []string
}

// Decomposition is a mesh partitioned for the ranks of a run.
type Decomposition struct {
	Plans []*halo.Plan // halo plan of each rank
	Graph partition.Graph
	Parts []int32  // owner of each cell
	Notes []string // about the mesh, for users

	mesh           *mesh.Mesh
	neighbours     [][3]int32 // of each cell, as Mesh.CheckedNeighbours returns them
	groups         [][3]int32 // of each cell's edges, as Mesh.BoundaryGroups returns them
	core, boundary [][]int32  // cells of each rank in local order
	ghosts         [][]int32  // of each rank, sorted by owner and then by id

	localCell, localVertex []int32 // scratch arrays of Part
}

// cellsPerWorker is the number of cells for which a goroutine is worth its cost.
const cellsPerWorker = 20_000

// New checks the mesh and partitions it.
func New(m *mesh.Mesh, o Options) (*Decomposition, error) {
	d := &Decomposition{mesh: m}
	var err error
	if d.neighbours, err = m.CheckedNeighbours(); err != nil {
		return nil, err
	}
	if d.groups, err = m.BoundaryGroups(d.neighbours); err != nil {
		return nil, err
	}
	if err := d.checkConditions(o.Conditions); err != nil {
		return nil, err
	}
	d.Notes = append(m.Notes, m.NoteDefects(d.neighbours)...)
	if d.Graph, err = partition.FromNeighbours(d.neighbours); err != nil {
		return nil, err
	}
	x, y := centroids(m)
	if d.Parts, err = owners(d.Graph, x, y, o.Ranks, o.Method, o.Seed); err != nil {
		return nil, err
	}
	cells, err := partition.Split(d.Parts, o.Ranks)
	if err != nil {
		return nil, err
	}
	if err := d.arrange(cells, o, x, y); err != nil {
		return nil, err
	}
	return d, nil
}

func centroids(m *mesh.Mesh) (x, y []float64) {
	x, y = make([]float64, len(m.Cells)), make([]float64, len(m.Cells))
	parallel.Ranges(len(x), parallel.Parts(len(x), cellsPerWorker), func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			x[c], y[c] = m.Centroid(c)
		}
	})
	return x, y
}

// Owners returns the rank of each cell of a mesh with a given graph, as New chooses them.
func Owners(m *mesh.Mesh, graph partition.Graph, ranks int, method partition.Method, seed uint64) ([]int32, error) {
	x, y := centroids(m)
	return owners(graph, x, y, ranks, method, seed)
}

func owners(graph partition.Graph, x, y []float64, ranks int, method partition.Method, seed uint64) ([]int32, error) {
	if ranks > len(x) {
		return nil, fmt.Errorf("%d ranks for %d cells: use fewer ranks or a finer mesh", ranks, len(x))
	}
	if ranks == 1 {
		return make([]int32, len(x)), nil
	}
	return partition.Partition(method, graph, [][]float64{x, y}, ranks, seed)
}

// checkConditions refuses groups that have edges inside the mesh, where a boundary condition would be ignored.
func (d *Decomposition) checkConditions(names []string) error {
	if len(names) == 0 {
		return nil
	}
	inner, err := d.mesh.InnerGroups(d.neighbours)
	if err != nil {
		return err
	}
	for i, g := range d.mesh.Groups {
		if inner[i] && slices.Contains(names, g.Name) {
			return fmt.Errorf("[boundary] %s: edges of group %q are not at the boundary, but inside the mesh, where no "+
				"condition applies: leave the line out, or cut the mesh along it (plugin Crack of Gmsh, with both sides in the "+
				"group)", g.Name, g.Name)
		}
	}
	return nil
}

// arrange puts the cells of each rank, which have centroids x and y, in local order, finds their ghosts, and makes
// plans.
func (d *Decomposition) arrange(cells [][]int32, o Options, x, y []float64) (err error) {
	d.core, d.boundary, d.ghosts = make([][]int32, o.Ranks), make([][]int32, o.Ranks), make([][]int32, o.Ranks)
	owned := make([][]int32, o.Ranks)
	wanted := make([][][]int32, o.Ranks) // ghosts of each rank, by owner
	errs := make([]error, o.Ranks)
	rank := func(r int) (err error) {
		if d.core[r], d.boundary[r], err = partition.Arrange(d.Graph, d.Parts, cells[r], o.Order, x, y, o.Seed); err != nil {
			return err
		}
		owned[r] = slices.Concat(d.core[r], d.boundary[r])
		ghosts, err := partition.Ghosts(d.Graph, d.Parts, cells[r], 1)
		if err != nil {
			return err
		}
		wanted[r] = make([][]int32, o.Ranks)
		for _, g := range ghosts {
			wanted[r][g.Part] = g.Cells
			d.ghosts[r] = append(d.ghosts[r], g.Cells...)
		}
		return nil
	}
	parallel.Ranges(o.Ranks, parallel.Parts(o.Ranks, 1), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			errs[r] = rank(r)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	d.Plans, err = halo.Plans(owned, wanted)
	return err
}

// Each calls f with the part and plan of one rank after the other, so that only one is in memory at a time.
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

// share makes the share of a rank.
func (d *Decomposition) share(r int) (*MeshShare, error) {
	if d.localCell == nil {
		d.localCell, d.localVertex = mesh.NoIDs(len(d.mesh.Cells)), mesh.NoIDs(len(d.mesh.X))
	}
	part := d.mesh.Part(d.neighbours, d.groups, d.core[r], d.boundary[r], d.ghosts[r], d.localCell, d.localVertex)
	return &MeshShare{part, d.Plans[r]}, nil
}
