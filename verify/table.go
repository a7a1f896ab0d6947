package verify

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// page is what a check writes on.
type page struct {
	opts   Options
	check  string
	w      io.Writer
	err    error // the first of writing
	bounds int
	missed []string
	twins  int // states that twins met
}

func (p *page) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// note writes a line of prose.
func (p *page) note(format string, args ...any) { p.printf(format+"\n", args...) }

func (p *page) progress(format string, args ...any) {
	if p.opts.Progress != nil {
		p.opts.Progress(p.check, fmt.Sprintf(format, args...))
	}
}

// verdict is what a row says of its bound; the zero value says nothing.
type verdict struct {
	bound   string
	ok, set bool
}

func verdictOf(ok bool, bound string) verdict { return verdict{bound: bound, ok: ok, set: true} }

// info is the verdict of a row that is only shown.
var info verdict

// atMost and the others are false for a NaN.
func atMost(value, bound float64) verdict {
	return verdictOf(value <= bound, fmt.Sprintf("≤ %.4g", bound))
}

func atLeast(value, bound float64) verdict {
	return verdictOf(value >= bound, fmt.Sprintf("≥ %.4g", bound))
}

func between(value, low, high float64) verdict {
	return verdictOf(value >= low && value <= high, fmt.Sprintf("%.4g..%.4g", low, high))
}

// near bounds the deviation of ours from theirs, as a share of theirs.
func near(ours, theirs, share float64) verdict {
	return verdictOf(math.Abs(deviation(ours, theirs)) <= share, fmt.Sprintf("±%.3g%%", 100*share))
}

func exactly(value, want float64) verdict {
	return verdictOf(value == want, fmt.Sprintf("= %.4g", want))
}

// deviation is that of ours from theirs, as a share of theirs.
func deviation(ours, theirs float64) float64 { return (ours - theirs) / theirs }

func percent(share float64) string { return fmt.Sprintf("%+.2f%%", 100*share) }

// table is written by flush, when all widths are known. Cells are strings, or numbers of which floats get 6 digits.
type table struct {
	p     *page
	title string
	rows  [][]string
}

func (p *page) table(title string, columns ...string) *table {
	return &table{p: p, title: title, rows: [][]string{append(columns, "bound", "verdict")}}
}

func (t *table) row(v verdict, cells ...any) {
	var row []string
	for _, c := range cells {
		if f, ok := c.(float64); ok {
			row = append(row, fmt.Sprintf("%.6g", f))
		} else {
			row = append(row, fmt.Sprint(c))
		}
	}
	word := ""
	if v.set {
		t.p.bounds++
		word = "ok"
		if !v.ok {
			word = "FAILED"
			t.p.missed = append(t.p.missed, fmt.Sprintf("%s: %s, bound %s", t.title, strings.Join(row, "  "), v.bound))
		}
	}
	t.rows = append(t.rows, append(row, v.bound, word))
}

func (t *table) flush() {
	var widths []int
	for _, row := range t.rows {
		for c, s := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(s))
		}
	}
	t.p.printf("%s\n", t.title)
	for r, row := range t.rows {
		t.p.printf("%s\n", line(row, widths))
		if r == 0 {
			rule := make([]string, len(widths))
			for c, w := range widths {
				rule[c] = strings.Repeat("-", w)
			}
			t.p.printf("%s\n", line(rule, widths))
		}
	}
	t.p.printf("\n")
}

// line sets the first cell to the left, and numbers, which are the rest, to the right.
func line(row []string, widths []int) string {
	var b strings.Builder
	for c, s := range row {
		gap := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(s))
		if c == 0 {
			b.WriteString("  " + s + gap)
		} else {
			b.WriteString("  " + gap + s)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
