package plot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
	"github.com/atoll-hpc/atoll/solvers"
)

// drawFrames draws the chosen frames of a .pvd file.
func (r *runner) drawFrames(path string) error {
	frames, err := vtk.ReadPVD(path)
	if err != nil {
		return err
	}
	if len(frames) == 0 {
		return fmt.Errorf("%s: the series has no frames yet", path)
	}
	chosen, err := r.selectFrames(path, len(frames))
	if err != nil {
		return err
	}
	if isShape(frames[0].File) {
		return r.drawSurfaces(path, frames, chosen)
	}
	drawn := make([]string, len(chosen))
	for k, i := range chosen {
		drawn[k] = framePath(path, frames[i])
	}
	if err := r.findDryThresholds(framePath(path, frames[0]), drawn...); err != nil {
		return err
	}
	spans, err := r.spans(path, frames, chosen)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	for k, i := range chosen {
		d, err := r.load(framePath(path, frames[i]))
		if err == nil {
			err = r.drawFrame(d, name, i, frames[i].Time, spans, k == 0)
		}
		if err != nil {
			return fmt.Errorf("%s: frame %d: %w", path, i, err)
		}
	}
	if len(frames) < 2 || r.options.isAnimation() {
		return nil
	}
	return r.drawBeforeAfter(path, name, frames)
}

// selectFrames returns the indices of the frames to draw, out of count frames.
func (r *runner) selectFrames(path string, count int) ([]int, error) {
	switch n := r.options.Frame; {
	case n == AllFrames:
		indices := make([]int, count)
		for i := range indices {
			indices[i] = i
		}
		return indices, nil
	case n == LastFrame:
		return []int{count - 1}, nil
	case n < 0 || n >= count:
		return nil, fmt.Errorf("%s: there is no frame %d; the frames are 0 to %d", path, n, count-1)
	default:
		return []int{n}, nil
	}
}

// framePath returns the path of a frame of a series.
func framePath(series string, f vtk.Frame) string {
	if filepath.IsAbs(f.File) {
		return f.File
	}
	return filepath.Join(filepath.Dir(series), f.File)
}

// span is the range of the values of a field that are drawn in colours.
type span struct{ lo, hi, leastPositive float64 } // leastPositive is the smallest positive value

// spans returns the ranges of fields over all chosen frames, which share a scale so that they can be compared.
func (r *runner) spans(path string, frames []vtk.Frame, chosen []int) (map[string]*span, error) {
	spans := map[string]*span{}
	if len(chosen) < 2 || r.options.Range != nil {
		return spans, nil
	}
	for _, i := range chosen {
		d, err := r.load(framePath(path, frames[i]))
		if err != nil {
			return nil, err
		}
		d.widenSpans(spans)
	}
	return spans, nil
}

// widenSpans extends the ranges by the values of a frame.
func (d *frameData) widenSpans(spans map[string]*span) {
	for _, f := range d.fields {
		s := spans[f.name]
		if s == nil {
			s = &span{math.Inf(1), math.Inf(-1), math.Inf(1)}
			spans[f.name] = s
		}
		for i, v := range f.values {
			if !chart.IsFinite(v) || f.offScale != nil && f.offScale[i] {
				continue
			}
			if s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v); v > 0 {
				s.leastPositive = math.Min(s.leastPositive, v)
			}
		}
	}
}

// colouring returns how values become colours. A field with declared classes has one colour for each, whatever range
// the user asks for. Other fields have the range that the user asks for, else the declared one unless the scale is
// logarithmic, else that over all frames.
func (r *runner) colouring(f *field, s *span) chart.Colouring {
	c := r.options.Colouring
	if c.Label == "" {
		c.Label = f.label
	}
	declared, _, _ := solvers.FieldOf(f.name)
	mask, _, _ := solvers.FieldOf(declared.Mask)
	c.Missing, c.Dry = declared.Never, mask.MaskLabel
	if t := r.dryThreshold(declared.Mask); c.Dry == "" && t >= filmsFrom {
		c.Dry = fmt.Sprintf("%s < %.2g %s", declared.Mask, t, mask.Unit)
	}
	if n := len(declared.Classes); n > 0 {
		c.Classes, c.Range, c.Log = declared.Classes, &[2]float64{-0.5, float64(n) - 0.5}, false
		if c.Colours == nil {
			c.Colours = palette.Classes
		}
		c.Colours = c.Colours.Steps(n)
		return c
	}
	switch {
	case c.Range != nil:
	case f.span != nil && !c.Log:
		c.Range = f.span
	case s == nil || s.lo > s.hi:
	case c.Log:
		if s.leastPositive < s.hi {
			c.Range = &[2]float64{s.leastPositive, s.hi}
		}
	case s.lo < 0 && s.hi > 0:
		largest := math.Max(-s.lo, s.hi)
		c.Range = &[2]float64{-largest, largest}
	case s.lo < s.hi:
		c.Range = &[2]float64{s.lo, s.hi}
	}
	return c
}

// heading returns how titles call a run: by the title of its case, if it has one, else by the name of its frames.
func heading(c *config.Case, name string) string {
	if c != nil && c.Title != "" {
		return c.Title
	}
	return name
}

// title returns the title of a picture: the standard one, or that of the user, in which {field} and {t} are replaced by
// the field and the time.
func (r *runner) title(standard, field, moment string) string {
	if r.options.Title == nil {
		return standard
	}
	return strings.NewReplacer("{field}", field, "{t}", moment).Replace(*r.options.Title)
}

// drawFrame draws the fields of a frame, and the partition if partition is set.
func (r *runner) drawFrame(
	d *frameData, name string, number int, time float64, spans map[string]*span, partition bool,
) error {
	for k := range d.fields {
		f := &d.fields[k]
		moment := r.moment(d, time)
		title := r.title(fmt.Sprintf("%s: %s%s, %s", heading(r.runCase, name), f.name, d.slice, moment), f.name, moment)
		if r.options.Histogram {
			if err := r.drawHistogram(name+"-"+f.name+"-histogram", number, title, []*field{f}, nil); err != nil {
				return err
			}
			continue
		}
		picture, err := r.drawField(d, f, title, spans[f.name])
		if r.skipWithNote(f.name, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
		if err := r.save(name+"-"+f.name, number, picture); err != nil {
			return err
		}
	}
	requested := wants(r.options.Fields, "rank")
	severalRanks := slices.ContainsFunc(d.rank, func(rank int32) bool { return rank > 0 })
	if !partition || d.rank == nil || r.options.Histogram || !requested && (len(r.options.Fields) > 0 || !severalRanks) {
		return nil
	}
	label := "partition of " + words.Count(d.count, "cell")
	if d.grid == nil {
		label += d.slice
	}
	picture, err := d.drawPartition(r.title(heading(r.runCase, name)+": "+label, label, r.moment(d, time)), r.options.Page)
	if err != nil {
		return err
	}
	return r.save(name+"-partition", -1, picture)
}
