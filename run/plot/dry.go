package plot

import (
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// least is the value up to which a field, such as the depth of a layer, tells that there is none of what others are of.
func (r *runner) least(where string) float64 {
	if r.options.Dry != nil {
		return *r.options.Dry
	}
	return r.dry[where]
}

// measureDry asks the solver how small such fields are, by the case and by the first frame.
func (r *runner) measureDry(first string) error {
	r.dry = map[string]float64{}
	if r.options.Dry != nil || isImage(first) {
		return nil
	}
	g, err := vtk.Read(first)
	if err != nil {
		return err
	}
	for _, a := range g.CellData {
		f, kind, ok := solvers.FieldOf(a.Name)
		if !ok || f.Absent == nil || a.Components > 1 || r.of != nil && r.of.Solver != kind.Name {
			continue
		}
		r.dry[a.Name] = f.Absent(r.of, a.Float64s())
	}
	return nil
}

// base is the name of a run: that of its folder.
func base(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		dir = path
	}
	return filepath.Base(dir)
}
