package verify

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// Page is the output of a check.
type Page struct {
	Options Options
	check   string // name of the check
	w       io.Writer
	err     error    // first write error
	bounds  int      // number of bounds that were checked
	missed  []string // descriptions of the missed bounds
	twins   int      // number of states that were equal on a twin
	// different describes states that were not equal on a twin.
	different []string
	more      []Twin // that checks had besides those of the options
}

// Printf writes text.
func (p *Page) Printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Note writes a line of prose.
func (p *Page) Note(format string, args ...any) { p.Printf(format+"\n", args...) }

// Picture writes a plot to the folder of pictures, if there is one, and prints its path.
func (p *Page) Picture(name string, s *chart.Series) error {
	if p.Options.Pictures == "" {
		return nil
	}
	picture, err := s.Draw()
	if err != nil {
		return fmt.Errorf("picture %s: %w", name, err)
	}
	if err := os.MkdirAll(p.Options.Pictures, 0o777); err != nil {
		return err
	}
	path := filepath.Join(p.Options.Pictures, name+".png")
	if err := picture.Write(path); err != nil {
		return err
	}
	p.Note("picture: %s\n", path)
	return nil
}

// Progress reports which run comes next.
func (p *Page) Progress(format string, args ...any) {
	if p.Options.Progress != nil {
		p.Options.Progress(p.check, fmt.Sprintf(format, args...))
	}
}

// Verdict says whether the value in a row meets its bound. The zero value means that there is no bound.
type Verdict struct {
	Bound    string
	OK       bool
	hasBound bool
}

// VerdictOf returns a verdict: whether the bound is met, and its text.
func VerdictOf(ok bool, bound string) Verdict { return Verdict{Bound: bound, OK: ok, hasBound: true} }

// Info is the verdict of a row without a bound.
var Info Verdict

// AtMost requires value ≤ bound. Like the functions below, it fails for a NaN.
func AtMost(value, bound float64) Verdict {
	return VerdictOf(value <= bound, fmt.Sprintf("≤ %.4g", bound))
}

// AtLeast requires value ≥ bound.
func AtLeast(value, bound float64) Verdict {
	return VerdictOf(value >= bound, fmt.Sprintf("≥ %.4g", bound))
}

// Between requires low ≤ value ≤ high.
func Between(value, low, high float64) Verdict {
	return VerdictOf(value >= low && value <= high, fmt.Sprintf("%.4g..%.4g", low, high))
}

// Near requires a relative deviation from the reference of at most share.
func Near(value, reference, share float64) Verdict {
	return VerdictOf(math.Abs(Deviation(value, reference)) <= share, fmt.Sprintf("±%.3g%%", 100*share))
}

// Exactly requires value == want.
func Exactly(value, want float64) Verdict {
	return VerdictOf(value == want, fmt.Sprintf("= %.4g", want))
}

// And requires both bounds; what names the quantity of the other.
func (v Verdict) And(o Verdict, what string) Verdict {
	if !v.hasBound {
		return VerdictOf(o.OK, what+" "+o.Bound)
	}
	return VerdictOf(v.OK && o.OK, v.Bound+", "+what+" "+o.Bound)
}

// Deviation returns the relative deviation of a value from its reference.
func Deviation(value, reference float64) float64 { return (value - reference) / reference }

// Percent formats a share as a percentage with its sign.
func Percent(share float64) string { return fmt.Sprintf("%+.2f%%", 100*share) }

// Table collects rows until Flush writes them with aligned columns. Cells are strings or numbers; floats get 6 digits.
type Table struct {
	p     *Page
	title string
	rows  [][]string
}

// Table starts a table. It adds columns for bound and verdict.
func (p *Page) Table(title string, columns ...string) *Table {
	return &Table{p: p, title: title, rows: [][]string{append(columns, "bound", "verdict")}}
}

// Row adds a row.
func (t *Table) Row(v Verdict, cells ...any) {
	var row []string
	for _, c := range cells {
		if f, ok := c.(float64); ok {
			row = append(row, fmt.Sprintf("%.6g", f))
		} else {
			row = append(row, fmt.Sprint(c))
		}
	}
	word := ""
	if v.hasBound {
		t.p.bounds++
		word = "ok"
		if !v.OK {
			word = "FAILED"
			t.p.missed = append(t.p.missed, fmt.Sprintf("%s: %s, bound %s", t.title, strings.Join(row, "  "), v.Bound))
		}
	}
	t.rows = append(t.rows, append(row, v.Bound, word))
}

// Flush writes the table.
func (t *Table) Flush() {
	var widths []int
	for _, row := range t.rows {
		for c, s := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(s))
		}
	}
	t.p.Printf("%s\n", t.title)
	for r, row := range t.rows {
		t.p.Printf("%s\n", line(row, widths))
		if r == 0 {
			rule := make([]string, len(widths))
			for c, w := range widths {
				rule[c] = strings.Repeat("-", w)
			}
			t.p.Printf("%s\n", line(rule, widths))
		}
	}
	t.p.Printf("\n")
}

// line formats a row: the first cell is aligned to the left, the others, mostly numbers, to the right.
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

// AddTwin makes a twin that a check has besides those of the options known to its report.
func (p *Page) AddTwin(t Twin) {
	if !slices.ContainsFunc(p.more, func(o Twin) bool { return o.Name == t.Name }) {
		p.more = append(p.more, Twin{Name: t.Name})
	}
}

// RecordTwin counts a state that is equal on a twin, or records the description of a difference.
func (p *Page) RecordTwin(missed string) {
	p.bounds++
	if missed != "" {
		p.missed, p.different = append(p.missed, missed), append(p.different, missed)
		return
	}
	p.twins++
}

// Order returns the observed order of convergence from the errors of two runs, the finer with twice the cells along
// each side.
func Order(coarse, fine float64) float64 { return math.Log2(coarse / fine) }
