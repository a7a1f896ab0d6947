package plot

import (
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// least returns the dry threshold of field where, such as the depth of a layer: where its value is not above that, the
// fields of the layer are masked.
func (r *runner) least(where string) float64 {
	if r.options.Dry != nil {
		return *r.options.Dry
	}
	return r.dry[where]
}

// measureDry asks the solver for the dry thresholds, which follow from the case and from the first frame.
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
		if !ok || f.MaskThreshold == nil || a.Components > 1 || r.of != nil && r.of.Solver != kind.Name {
			continue
		}
		r.dry[a.Name] = f.MaskThreshold(r.of, a.Float64s())
	}
	return nil
}

// The bound below which a wet cell counts as a film is max(filmOfMean·h̄, min(filmOfDry·dry, maxOfMean·h̄)), with the
// dry threshold and h̄, the mean thickness of wet cells.
const (
	filmOfDry  = 10
	maxOfMean  = 0.1
	filmOfMean = 0.02
)

// dryCells marks the cells whose thickness h is at most least as dry, and leaves these and films out of the colour
// scale: the level and speed of a film on a shore are far beyond those of the flow, and would set the scale of the
// picture. A picture of h itself (itself is true) has no films.
func (r *runner) dryCells(f *field, h []float64, cells []int, itself bool, least float64) {
	wet, sum := 0.0, 0.0
	for _, c := range cells {
		if h[c] > least {
			wet, sum = wet+1, sum+h[c]
		}
	}
	film := least
	if wet > 0 && least > 0 && !itself {
		film = max(least, min(filmOfDry*least, maxOfMean*sum/wet), filmOfMean*sum/wet)
	}
	for i, c := range cells {
		if h[c] > film {
			continue
		}
		if f.apart == nil {
			f.apart, f.dry = make([]bool, len(cells)), make([]bool, len(cells))
		}
		f.apart[i], f.dry[i] = true, h[c] <= least
	}
}
