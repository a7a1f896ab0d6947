package plot

import (
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

// Films are thinner than so many times what counts as dry, unless that is as much as this share of what is wet in the
// mean, or than the least share of it.
const (
	filmOfDry  = 10
	mostOfMean = 0.1
	filmOfMean = 0.02
)

// dryCells tells which cells are dry, by a thickness that is at most least there, and which are films: what is left
// on a shore, or shoots up it, is as high and as fast as nothing else, and would set the scale of all. Of the
// thickness itself there are no films.
func (r *runner) dryCells(f *field, h []float64, cells []int, itself bool, least float64) {
	wet, sum := 0.0, 0.0
	for _, c := range cells {
		if h[c] > least {
			wet, sum = wet+1, sum+h[c]
		}
	}
	film := least
	if wet > 0 && least > 0 && !itself {
		film = max(least, min(filmOfDry*least, mostOfMean*sum/wet), filmOfMean*sum/wet)
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
