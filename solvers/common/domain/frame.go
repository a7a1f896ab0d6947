package domain

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// dataOf returns the name of the data of the mesh from which the values of a field come; that of another file has it in
// its own.
func dataOf(f *config.Field) string {
	if f.File != "" {
		return f.Mesh + " of " + f.File
	}
	return f.Mesh
}

// addFrames gives a mesh the fields of its cells that come from frames of other runs on it, named by dataOf.
func addFrames(c *config.Case, m *mesh.Mesh, fields []config.Field) error {
	frames := map[string]*frame{}
	for i := range fields {
		f := &fields[i]
		if f.File == "" {
			continue
		}
		from := frames[f.File]
		if from == nil {
			var err error
			if from, err = readFrame(c.Path(f.File), m); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			frames[f.File] = from
		}
		values, err := from.field(f.Mesh)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		mesh.SetField(&m.CellData, dataOf(f), values)
	}
	return nil
}

// frame has the fields of a run's cells.
type frame struct {
	path string
	data map[string][]float64
	at   []int32 // index in data of each cell of the mesh
}

// readFrame reads a frame of a run on a mesh: the last one of a series (.pvd) or file (.nc). It refuses that of a run
// on another mesh.
func readFrame(path string, m *mesh.Mesh) (*frame, error) {
	if strings.EqualFold(filepath.Ext(path), ".pvd") {
		series, err := vtk.ReadPVD(path)
		if err != nil {
			return nil, err
		}
		if len(series) == 0 {
			return nil, fmt.Errorf("%s: the series has no frames", path)
		}
		last := series[len(series)-1].File
		if !filepath.IsAbs(last) {
			last = filepath.Join(filepath.Dir(path), last)
		}
		path = last
	}
	from, err := meshio.Read(path)
	if err != nil {
		return nil, err
	}
	f := &frame{path: path, data: from.CellData, at: slices.Repeat([]int32{-1}, len(m.Cells))}
	if len(from.Cells) != len(m.Cells) {
		return nil, f.otherMesh("it has %d cells, the mesh %d", len(from.Cells), len(m.Cells))
	}
	ids := from.CellData["cell"]
	for i := range from.Cells {
		id := float64(i)
		if ids != nil {
			id = ids[i]
		}
		if !(id >= 0 && id < float64(len(m.Cells))) || id != math.Trunc(id) || f.at[int(id)] >= 0 {
			return nil, f.otherMesh("its cell %d has the number %g, which is none of the mesh or there twice", i, id)
		}
		f.at[int(id)] = int32(i)
		if !sameTriangle(from, i, m, int(id)) {
			x, y := from.Centroid(i)
			u, v := m.Centroid(int(id))
			return nil, f.otherMesh("cell %d is at (%.10g, %.10g) there, and at (%.10g, %.10g) in the mesh", int(id), x, y, u, v)
		}
	}
	return f, nil
}

func (f *frame) otherMesh(format string, args ...any) error {
	return fmt.Errorf("%s is no frame of a run on the mesh of this case: %s", f.path, fmt.Sprintf(format, args...))
}

// sameTriangle reports whether two cells have the same corners, to a millionth of their size.
func sameTriangle(a *mesh.Mesh, i int, b *mesh.Mesh, j int) bool {
	tolerance := 1e-6 * math.Sqrt(math.Abs(b.Area(j)))
	for _, v := range a.Cells[i] {
		if !slices.ContainsFunc(b.Cells[j][:], func(w int32) bool {
			return math.Hypot(a.X[v]-b.X[w], a.Y[v]-b.Y[w]) <= tolerance
		}) {
			return false
		}
	}
	return true
}

// field returns the values of a field in the order of the cells of the mesh.
func (f *frame) field(name string) ([]float64, error) {
	data, ok := f.data[name]
	if !ok {
		return nil, fmt.Errorf("%s has no field %q of cells; there are %s", f.path, name,
			strings.Join(slices.Sorted(maps.Keys(f.data)), ", "))
	}
	values := make([]float64, len(f.at))
	for i, k := range f.at {
		values[i] = data[k]
	}
	return values, nil
}
