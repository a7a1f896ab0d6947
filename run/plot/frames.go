package plot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/palette"
	"github.com/atoll-hpc/atoll/solvers"
)

// frames draws the chosen frames of a .pvd file.
func (r *runner) frames(path string) error {
	all, err := vtk.ReadPVD(path)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: the series has no frame yet", path)
	}
	chosen, err := r.chosen(path, len(all))
	if err != nil {
		return err
	}
	if isLines(all[0].File) {
		return r.surfaces(path, all, chosen)
	}
	if err := r.measureDry(frameFile(path, all[0])); err != nil {
		return err
	}
	spans, err := r.spans(path, all, chosen)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	for k, i := range chosen {
		d, err := r.load(frameFile(path, all[i]))
		if err == nil {
			err = r.frame(d, name, i, all[i].Time, spans, k == 0)
		}
		if err != nil {
			return fmt.Errorf("%s: frame %d: %w", path, i, err)
		}
	}
	if len(all) < 2 || r.options.film() {
		return nil
	}
	return r.beforeAfter(path, name, all)
}

// chosen are the frames to draw of so many.
func (r *runner) chosen(path string, count int) ([]int, error) {
	switch n := r.options.Frame; {
	case n == AllFrames:
		every := make([]int, count)
		for i := range every {
			every[i] = i
		}
		return every, nil
	case n == LastFrame:
		return []int{count - 1}, nil
	case n < 0 || n >= count:
		return nil, fmt.Errorf("%s: there is no frame %d; the frames are 0 to %d", path, n, count-1)
	default:
		return []int{n}, nil
	}
}

// frameFile is where the frame of a series is.
func frameFile(series string, f vtk.Frame) string {
	if filepath.IsAbs(f.File) {
		return f.File
	}
	return filepath.Join(filepath.Dir(series), f.File)
}

// span is what the values of a field span that are drawn in colour.
type span struct{ lo, hi, above float64 } // above: the least above 0

// spans are those of the fields in several frames, which can only be compared by one colour bar.
func (r *runner) spans(path string, all []vtk.Frame, chosen []int) (map[string]*span, error) {
	spans := map[string]*span{}
	if len(chosen) < 2 || r.options.Range != nil {
		return spans, nil
	}
	for _, i := range chosen {
		d, err := r.load(frameFile(path, all[i]))
		if err != nil {
			return nil, err
		}
		d.widen(spans)
	}
	return spans, nil
}

// widen widens the spans by what the fields of a frame hold.
func (d *frameData) widen(spans map[string]*span) {
	for _, f := range d.fields {
		s := spans[f.name]
		if s == nil {
			s = &span{math.Inf(1), math.Inf(-1), math.Inf(1)}
			spans[f.name] = s
		}
		for i, v := range f.values {
			if v-v != 0 || f.apart != nil && f.apart[i] {
				continue
			}
			if s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v); v > 0 {
				s.above = math.Min(s.above, v)
			}
		}
	}
}

// colouring is how the values of a field become colours: as asked for, or else as declared, or as all frames need.
func (r *runner) colouring(f *field, s *span) chart.Colouring {
	c := r.options.Colouring
	if c.Label == "" {
		c.Label = f.label
	}
	declared, _, _ := solvers.FieldOf(f.name)
	c.Missing = declared.Never
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
		if s.above < s.hi {
			c.Range = &[2]float64{s.above, s.hi}
		}
	case s.lo < 0 && s.hi > 0:
		reach := math.Max(-s.lo, s.hi)
		c.Range = &[2]float64{-reach, reach}
	case s.lo < s.hi:
		c.Range = &[2]float64{s.lo, s.hi}
	}
	return c
}

// title is that of a picture: the user's, in which {field} and {t} stand for what is drawn and when.
func (r *runner) title(usual, field, moment string) string {
	if r.options.Title == nil {
		return usual
	}
	return strings.NewReplacer("{field}", field, "{t}", moment).Replace(*r.options.Title)
}

// frame draws the fields of a frame, and the partition if asked to.
func (r *runner) frame(
	d *frameData, name string, number int, time float64, spans map[string]*span, partition bool,
) error {
	for k := range d.fields {
		f := &d.fields[k]
		title := r.title(fmt.Sprintf("%s: %s%s, %s", name, f.name, d.slice, d.moment(time)), f.name, d.moment(time))
		if r.options.Histogram {
			if err := r.histogram(name+"-"+f.name+"-histogram", number, title, []*field{f}, nil); err != nil {
				return err
			}
			continue
		}
		picture, err := r.picture(d, f, title, spans[f.name])
		if r.leftOut(f.name, err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
		if err := r.save(name+"-"+f.name, number, picture); err != nil {
			return err
		}
	}
	asked := wants(r.options.Fields, "rank")
	several := slices.ContainsFunc(d.rank, func(rank int32) bool { return rank > 0 })
	if !partition || d.rank == nil || r.options.Histogram || !asked && (len(r.options.Fields) > 0 || !several) {
		return nil
	}
	what := "partition of " + words.Count(d.count, "cell")
	if d.grid == nil {
		what += d.slice
	}
	picture, err := d.partition(r.title(name+": "+what, what, d.moment(time)), r.options.Page)
	if err != nil {
		return err
	}
	return r.save(name+"-partition", -1, picture)
}
