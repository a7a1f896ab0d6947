package problem

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/curved"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/domain"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// wholeMesh is the whole mesh that is smoothed, on rank 0: of triangles or of tetrahedra.
type wholeMesh interface {
	dim() int
	// cut divides the mesh over the ranks, and returns a function that returns the share of a rank, once for each
	// rank. separate is true for devices with separate memory. s reports the progress.
	cut(ctx context.Context, w *Sections, ranks int, separate bool, s *stageLog) (func(rank int) rankShare,
		error)
	// nodes returns the mesh in the form that metrics at vertices need.
	nodes() request.Nodes
	// moved returns the same mesh with other vertex positions, by axis, and the cell field "quality". Vertex fields keep
	// the values of the initial positions.
	moved(positions [][]float64, quality []float64) wholeMesh
	// carryFields interpolates the vertex fields to the positions of smoothed, the same mesh.
	carryFields(smoothed wholeMesh) (request.Moved, error)
	cellFields() []string // names of those that are kept
	shape() Shape
	centre(cell int) []float64
	// departed measures how far the boundary of smoothed, the same mesh with other positions, is from this one's.
	departed(smoothed wholeMesh) (curved.Departure, error)
	write(path string) error
	notes() []string            // what was changed when the mesh was read, for users
	notKept(path string) string // the parts of the mesh that a file with this extension cannot hold, "" for none
}

// loadMesh reads or generates the mesh of a case.
func loadMesh(c *config.Case, s config.Mesh) (wholeMesh, error) {
	switch {
	case s.Generate == "box":
		solid, err := mesh.Box([3]float64(s.Box[:3]), [3]float64(s.Box[3:]), s.Cells, s.Seed)
		return solidMesh{Solid: solid}, err
	case s.File != "":
		m, solid, err := meshio.ReadAny(c.Path(s.File))
		if err != nil {
			return nil, err
		}
		if solid != nil {
			if s.Refine > 0 {
				return nil, fmt.Errorf("[mesh] refine = %d cuts triangles, and %s has tetrahedra", s.Refine, s.File)
			}
			return solidMesh{solid, solid.Mend()}, nil
		}
		original := m.Mend()
		if err := inPlane(m); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		m, err = domain.Refined(m, s.Refine)
		return planeMesh{m, original}, err
	}
	m, err := domain.Load(c, s)
	return planeMesh{Mesh: m}, err
}

// inPlane refuses surface meshes in three dimensions: smoothing in x and y would move vertices off the surface, and
// output files are two-dimensional. Readers store third coordinates as the vertex field "z".
func inPlane(m *mesh.Mesh) error {
	if m.Level() {
		return nil
	}
	z := m.VertexData[mesh.Heights]
	v := 0
	for u := range z {
		if math.Abs(z[u]-z[0]) > math.Abs(z[v]-z[0]) {
			v = u
		}
	}
	return fmt.Errorf("vertex %d at (%g, %g) has the third coordinate, or the field \"z\", %g, and vertex 0 at (%g, %g) "+
		"has %g: only triangles in a plane of one z are smoothed, no surfaces; make it the same, or give the field another "+
		"name", v, m.X[v], m.Y[v], z[v], m.X[0], m.Y[0], z[0])
}

// layoutOptions returns the options of a case. On devices with separate memory the halo is deep, since an exchange
// takes longer than moving some vertices twice.
func layoutOptions(w *Sections, separate bool) layout.Options {
	return layout.Options{
		Boundary: layout.Boundary(w.Method.Boundary), Colouring: colouring.Kind(w.Method.Colouring),
		Dedicated: w.Method.Dedicated, Order: partition.Ordering(w.Mesh.Order), Seed: w.Mesh.Seed, Tangled: w.Method.Untangle,
		Deep: w.Method.Deep || separate && !w.Method.Cull, Ridge: w.Method.Ridge,
	}
}

// ownersOf assigns vertices, with the given coordinates by axis, to ranks. Only METIS uses the graph.
func ownersOf(ctx context.Context, w *Sections, graph func() (partition.Graph, error), ranks int,
	at ...[]float64) ([]int32, error) {
	n := len(at[0])
	if err := ctx.Err(); err != nil || ranks == 1 {
		return make([]int32, n), err
	}
	if ranks > n {
		return nil, fmt.Errorf("%d ranks for %d vertices: use fewer ranks or a finer mesh", ranks, n)
	}
	g, err := partition.Graph{Start: make([]int32, n+1)}, error(nil)
	if partition.Method(w.Mesh.Partition) == partition.METIS {
		g, err = graph()
	}
	if err != nil {
		return nil, err
	}
	owner, err := partition.Partition(partition.Method(w.Mesh.Partition), g, at, ranks, w.Mesh.Seed)
	if err == nil {
		err = ctx.Err()
	}
	return owner, err
}

// checkMesh refuses a mesh with faults other than inverted or flat cells that are to be untangled. It returns what note
// says of the result of the check of a mesh without faults.
func checkMesh[T any](w *Sections, check func() (T, error), checkTangled func() error, note func(T) []string) (
	notes []string, err error) {
	checked, err := check()
	if err == nil {
		return note(checked), nil
	}
	if w.Mesh.File != "" {
		err = fmt.Errorf("%s: %w", w.Mesh.File, err)
	}
	switch {
	case checkTangled() != nil:
		return nil, err
	case !w.Method.Untangle:
		return nil, fmt.Errorf("%w; if only positions of vertices are wrong, smooth with untangle = true (--untangle true)",
			err)
	case w.Metric.Nodal() && w.Metric.Background == "":
		return nil, fmt.Errorf("%w; a metric at the vertices of a tangled mesh means nothing: untangle it with [metric] "+
			"field = \"uniform\" (--metric uniform), and smooth the result again", err)
	}
	return nil, nil
}

// qualityField is the cell field that a smoothed mesh has besides those that were read.
const qualityField = "quality"

// withQuality adds the cell field "quality" to others.
func withQuality(fields map[string][]float64, quality []float64) map[string][]float64 {
	if fields = maps.Clone(fields); fields == nil {
		fields = map[string][]float64{}
	}
	fields[qualityField] = quality
	return fields
}

// oldFields returns the names of the cell fields that withQuality keeps.
func oldFields(fields map[string][]float64) []string {
	return slices.DeleteFunc(mesh.FieldNames(fields), func(name string) bool { return name == qualityField })
}

// planeMesh is a mesh of triangles, with the id of each vertex in its file, nil if it is the same.
type planeMesh struct {
	*mesh.Mesh
	inFile []int32
}

func (planeMesh) dim() int                  { return 2 }
func (b planeMesh) write(path string) error { return meshio.Write(path, b.Mesh) }
func (b planeMesh) notes() []string         { return b.Notes }

func (b planeMesh) nodes() request.Nodes {
	return request.OfTriangles(b.Mesh, b.inFile)
}

func (b planeMesh) notKept(path string) string {
	return meshio.NotKept(path, &b.Origin, b.Groups, b.Marks, b.VertexData, b.CellData)
}

func (b planeMesh) centre(cell int) []float64 {
	x, y := b.Centroid(cell)
	return []float64{x, y}
}

func (b planeMesh) moved(positions [][]float64, quality []float64) wholeMesh {
	m := *b.Mesh
	m.X, m.Y, m.CellData = positions[0], positions[1], withQuality(m.CellData, quality)
	return planeMesh{&m, b.inFile}
}

func (b planeMesh) carryFields(smoothed wholeMesh) (request.Moved, error) {
	to := smoothed.(planeMesh)
	if len(b.VertexData) == 0 {
		return request.Moved{}, nil
	}
	nb, err := b.Neighbours()
	if err != nil {
		return request.Moved{}, err
	}
	var moved request.Moved
	to.VertexData, moved = request.MovedFields(b.VertexData, metric.FromTriangles(b.Mesh), [][]float64{to.X, to.Y},
		func(c, k int) int32 { return nb[c][(k+1)%3] })
	return moved, nil
}

func (b planeMesh) cellFields() []string { return oldFields(b.CellData) }

func (b planeMesh) shape() Shape { return shapeOf(len(b.Cells), b.Quality) }

func (b planeMesh) departed(smoothed wholeMesh) (curved.Departure, error) {
	return curved.Departed(b.Mesh, smoothed.(planeMesh).Mesh), nil
}

// cut makes local meshes, from which the ranks make their parts together, unless the layout needs the whole mesh.
func (b planeMesh) cut(ctx context.Context, w *Sections, ranks int, separate bool, s *stageLog) (
	func(rank int) rankShare, error) {
	m := b.Mesh
	notes, err := checkMesh(w, m.CheckedNeighbours, m.CheckTangled, m.NoteNear)
	if err != nil {
		return nil, err
	}
	m.Notes = append(m.Notes, notes...)
	if err := s.end(ctx, "mesh checked"); err != nil {
		return nil, err
	}
	o := layoutOptions(w, separate)
	if separate {
		o.Batch = (&smooth.Config{Smoother: w.Method.Smoother, Guard: w.Method.Guard, Cull: w.Method.Cull}).Batch()
	}
	share := rankShare{Bounds: boundsOfMesh(m), Vertices: int64(len(m.X)), Cells: int64(len(m.Cells)), Layout: o}
	owner, err := ownersOf(ctx, w, func() (partition.Graph, error) {
		rings, err := m.Rings()
		if err != nil {
			return partition.Graph{}, err
		}
		return partition.Graph{Start: rings.Start, Adj: rings.At}, nil
	}, ranks, m.X, m.Y)
	if err != nil {
		return nil, err
	}
	if ranks > 1 && !o.Deep {
		locals, err := layout.NewLocalMeshes(m, owner, ranks)
		if err != nil {
			return nil, err
		}
		return func(rank int) rankShare {
			share.Local = locals.Of(rank)
			return share
		}, s.end(ctx, "mesh cut")
	}
	layout, err := layout.New(m, o)
	if err != nil {
		return nil, err
	}
	if err := s.end(ctx, "vertices coloured and put in order"); err != nil {
		return nil, err
	}
	parts, err := layout.Parts(owner, ranks)
	if err != nil {
		return nil, err
	}
	share.Crowded = layout.Crowded()
	return func(rank int) rankShare {
		share.Part, parts[rank] = parts[rank], nil
		return share
	}, s.end(ctx, "parts made")
}

func boundsOfMesh(m *mesh.Mesh) sizing.Bounds {
	b := sizing.Bounds{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for v := range m.X {
		b.X0, b.X1 = min(b.X0, m.X[v]), max(b.X1, m.X[v])
		b.Y0, b.Y1 = min(b.Y0, m.Y[v]), max(b.Y1, m.Y[v])
	}
	return b
}

// solidMesh is a mesh of tetrahedra, as planeMesh is one of triangles.
type solidMesh struct {
	*mesh.Solid
	inFile []int32
}

func (solidMesh) dim() int                  { return 3 }
func (b solidMesh) write(path string) error { return meshio.WriteSolid(path, b.Solid) }
func (b solidMesh) notes() []string         { return b.Notes }

func (b solidMesh) nodes() request.Nodes {
	return request.OfTetrahedra(b.Solid, b.inFile)
}

func (b solidMesh) notKept(path string) string {
	return meshio.NotKept(path, &b.Origin, b.Groups, b.Marks, b.VertexData, b.CellData)
}

func (b solidMesh) centre(cell int) []float64 {
	centroid := b.Centroid(cell)
	return centroid[:]
}

func (b solidMesh) moved(positions [][]float64, quality []float64) wholeMesh {
	s := *b.Solid
	s.X, s.Y, s.Z, s.CellData = positions[0], positions[1], positions[2], withQuality(s.CellData, quality)
	return solidMesh{&s, b.inFile}
}

func (b solidMesh) carryFields(smoothed wholeMesh) (request.Moved, error) {
	to := smoothed.(solidMesh)
	if len(b.VertexData) == 0 {
		return request.Moved{}, nil
	}
	nb, err := b.Neighbours()
	if err != nil {
		return request.Moved{}, err
	}
	var moved request.Moved
	to.VertexData, moved = request.MovedFields(b.VertexData, metric.FromTetrahedra(b.Solid), [][]float64{to.X, to.Y, to.Z},
		func(c, k int) int32 { return nb[c][k] })
	return moved, nil
}

func (b solidMesh) cellFields() []string { return oldFields(b.CellData) }

func (b solidMesh) shape() Shape { return shapeOf(len(b.Cells), b.Quality) }

func (b solidMesh) departed(smoothed wholeMesh) (curved.Departure, error) {
	return curved.DepartedSolid(b.Solid, smoothed.(solidMesh).Solid)
}

func (b solidMesh) cut(ctx context.Context, w *Sections, ranks int, separate bool, s *stageLog) (
	func(rank int) rankShare, error) {
	notes, err := checkMesh(w, b.CheckedSkin, b.CheckTangled, b.NoteNear)
	if err != nil {
		return nil, err
	}
	b.Notes = append(b.Notes, notes...)
	if err := s.end(ctx, "mesh checked"); err != nil {
		return nil, err
	}
	o := layoutOptions(w, separate)
	share := rankShare{Box: sizing.BoxOf(b.Solid), Vertices: int64(len(b.X)), Cells: int64(len(b.Cells)), Layout: o}
	owner, err := ownersOf(ctx, w, func() (partition.Graph, error) {
		adjacency, err := b.VertexAdjacency()
		if err != nil {
			return partition.Graph{}, err
		}
		return partition.Graph{Start: adjacency.Start, Adj: adjacency.At}, nil
	}, ranks, b.X, b.Y, b.Z)
	if err != nil {
		return nil, err
	}
	if ranks > 1 && o.OverRanks() {
		locals, err := layout.NewLocalSolids(b.Solid, owner, ranks)
		if err != nil {
			return nil, err
		}
		return func(rank int) rankShare {
			share.LocalSolid = locals.Of(rank)
			return share
		}, s.end(ctx, "mesh cut")
	}
	layout, err := layout.NewSolid(b.Solid, o)
	if err != nil {
		return nil, err
	}
	if err := s.end(ctx, "vertices coloured and put in order"); err != nil {
		return nil, err
	}
	parts, err := layout.Parts(owner, ranks)
	if err != nil {
		return nil, err
	}
	return func(rank int) rankShare {
		share.Solid, parts[rank] = parts[rank], nil
		return share
	}, s.end(ctx, "parts made")
}
