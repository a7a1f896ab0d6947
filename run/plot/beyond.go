package plot

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// beyond is what lies farthest outside the colour bars of a field's pictures.
type beyond struct {
	name        string
	least, most extreme
	bar         [2]float64 // of the last picture in which something lies beyond it
}

// extreme is a value that lies beyond the colour bar, with the centre of its cell.
type extreme struct {
	found       bool
	value, x, y float64
}

// findBeyond notes the values of a map that its colour bar does not reach.
func (r *runner) findBeyond(name string, m *chart.Map) {
	lo, hi, ok := m.Bar()
	if !ok {
		return
	}
	if r.beyond == nil {
		r.beyond = map[string]*beyond{}
	}
	b := r.beyond[name]
	if b == nil {
		b = &beyond{name: name}
	}
	rounding := 1e-9 * (hi - lo)
	for i, v := range m.Values {
		if !chart.IsFinite(v) || m.Dry != nil && m.Dry[i] {
			continue
		}
		least := v < lo-rounding && (!b.least.found || v < b.least.value)
		most := v > hi+rounding && (!b.most.found || v > b.most.value)
		if !least && !most {
			continue
		}
		e := extreme{found: true, value: v}
		for _, p := range m.Cells[i] {
			e.x, e.y = e.x+m.X[p]/3, e.y+m.Y[p]/3
		}
		if b.bar = [2]float64{lo, hi}; least {
			b.least = e
		} else {
			b.most = e
		}
		r.beyond[name] = b
	}
}

// roundOutward returns a value a little below (end 0) or above (end 1) another, with few digits.
func (b *beyond) roundOutward(v float64, end int) float64 {
	step := math.Pow(10, math.Floor(math.Log10(b.bar[1]-b.bar[0]))-2)
	if end == 0 {
		return math.Floor(v/step) * step
	}
	return math.Ceil(v/step) * step
}

// noteBeyond adds notes about the values that findBeyond has found.
func (r *runner) noteBeyond() {
	for _, name := range r.fields {
		b := r.beyond[name]
		if b == nil {
			continue
		}
		shown, places := b.bar, ""
		for k, e := range [2]extreme{b.least, b.most} {
			if !e.found {
				continue
			}
			if shown[k] = b.roundOutward(e.value, k); places != "" {
				places += " and "
			}
			places += fmt.Sprintf("%s at (%s, %s)", words.Rounded(e.value, 5), words.Rounded(e.x, 8), words.Rounded(e.y, 8))
		}
		text := fmt.Sprintf("%s has values beyond the colour bar, which is from %s to %s: as far as %s", withUnit(name),
			words.Rounded(b.bar[0], 4), words.Rounded(b.bar[1], 4), places)
		if r.options.Range == nil {
			text += fmt.Sprintf("; films do not set it, but --range %s:%s shows them", words.Rounded(shown[0], 6),
				words.Rounded(shown[1], 6))
		}
		r.addNote("%s", text)
	}
}
