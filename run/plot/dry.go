package plot

import (
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/solvers"
)

// dryThreshold returns the threshold of a field such as the depth of a layer: where its value is at most the threshold,
// the fields of the layer are masked.
func (r *runner) dryThreshold(field string) float64 {
	if r.options.DryThreshold != nil {
		return *r.options.DryThreshold
	}
	return r.dryThresholds[field]
}

// findDryThresholds gets the dry thresholds from the solver; they follow from the case and the first frame. One that
// hides all, or almost all, in the frames to draw, is lowered.
func (r *runner) findDryThresholds(first string, drawn ...string) error {
	r.dryThresholds = map[string]float64{}
	if r.options.DryThreshold != nil || isImage(first) {
		return nil
	}
	g, err := vtk.Read(first)
	if err != nil {
		return err
	}
	for _, a := range g.CellData {
		f, kind, ok := solvers.FieldOf(a.Name)
		if !ok || f.MaskThreshold == nil || a.Components > 1 || r.runCase != nil && r.runCase.Solver != kind.Name {
			continue
		}
		r.dryThresholds[a.Name] = f.MaskThreshold(r.runCase, a.Float64s())
	}
	return r.lowerThresholds(drawn)
}

const (
	filmsFrom  = 1e-3 // a threshold of films is not below; others are those of the method
	mostLooked = 5    // frames in which the deepest water is sought
)

// lowerThresholds makes thresholds of films in the frames to draw a tenth of the deepest water if that is not twice as
// deep as the threshold.
func (r *runner) lowerThresholds(drawn []string) error {
	if len(r.dryThresholds) == 0 || slices.Max(slices.Collect(maps.Values(r.dryThresholds))) < filmsFrom {
		return nil
	}
	deepest := map[string]float64{}
	for k := len(drawn) - 1; k >= 0; k -= (len(drawn) + mostLooked - 1) / mostLooked {
		g, err := vtk.Read(drawn[k])
		if err != nil {
			return err
		}
		for name := range r.dryThresholds {
			if a, ok := g.CellData.Find(name); ok {
				deepest[name] = max(deepest[name], slices.Max(append(a.Float64s(), 0)))
			}
		}
	}
	for name, most := range deepest {
		if t := r.dryThresholds[name]; t >= filmsFrom && most < 2*t {
			r.dryThresholds[name] = most / 10
		}
	}
	return nil
}

// A wet cell counts as a film if its thickness is at most maxFilm and max(filmOfMean·h̄, min(filmOfDry·dry,
// maxOfMean·h̄)), with the dry threshold dry and the mean thickness h̄ of wet cells: beside a deep sea the water at the
// shore, where levels are highest, is no film.
const (
	filmOfDry  = 10
	maxOfMean  = 0.1
	filmOfMean = 0.02
	maxFilm    = 0.05 // m
)

// dryCells marks cells with a thickness h of at most threshold as dry, and excludes them and films from the colour
// scale: in films on a shore, level and speed have extreme values, which would dominate the scale. If isThickness
// is set, the field is h itself, and there are no films.
func (r *runner) dryCells(f *field, h []float64, cells []int, isThickness bool, threshold float64) {
	wet, sum := 0.0, 0.0
	for _, c := range cells {
		if h[c] > threshold {
			wet, sum = wet+1, sum+h[c]
		}
	}
	film := threshold
	if wet > 0 && threshold > 0 && !isThickness {
		mean := sum / wet
		film = max(threshold, min(maxFilm, max(min(filmOfDry*threshold, maxOfMean*mean), filmOfMean*mean)))
	}
	for i, c := range cells {
		if h[c] > film {
			continue
		}
		if f.offScale == nil {
			f.offScale, f.dry = make([]bool, len(cells)), make([]bool, len(cells))
		}
		f.offScale[i], f.dry[i] = true, h[c] <= threshold
	}
}
