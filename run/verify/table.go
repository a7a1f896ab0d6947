package verify

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// Page is what a check writes on.
type Page struct {
	Options Options
	check   string
	w       io.Writer
	err     error // the first of writing
	bounds  int
	missed  []string
	twins   int // states that twins met
}

// Printf writes text.
func (p *Page) Printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// Note writes a line of prose.
func (p *Page) Note(format string, args ...any) { p.Printf(format+"\n", args...) }

// Picture writes a picture to the folder for them, if there is one, and a line of prose that says where it is.
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

// Progress tells what is run next.
func (p *Page) Progress(format string, args ...any) {
	if p.Options.Progress != nil {
		p.Options.Progress(p.check, fmt.Sprintf(format, args...))
	}
}

// Verdict is what a row says of its bound; the zero value says nothing.
type Verdict struct {
	Bound string
	OK    bool
	set   bool
}

// VerdictOf reports whether a bound is met, and what it is.
func VerdictOf(ok bool, bound string) Verdict { return Verdict{Bound: bound, OK: ok, set: true} }

// Info is the verdict of a row that is only shown.
var Info Verdict

// AtMost bounds from above. It and the others are false for a NaN.
func AtMost(value, bound float64) Verdict {
	return VerdictOf(value <= bound, fmt.Sprintf("≤ %.4g", bound))
}

// AtLeast bounds from below.
func AtLeast(value, bound float64) Verdict {
	return VerdictOf(value >= bound, fmt.Sprintf("≥ %.4g", bound))
}

// Between bounds from both sides.
func Between(value, low, high float64) Verdict {
	return VerdictOf(value >= low && value <= high, fmt.Sprintf("%.4g..%.4g", low, high))
}

// Near bounds the relative deviation of a value from its reference by share.
func Near(value, reference, share float64) Verdict {
	return VerdictOf(math.Abs(Deviation(value, reference)) <= share, fmt.Sprintf("±%.3g%%", 100*share))
}

// Exactly wants one value.
func Exactly(value, want float64) Verdict {
	return VerdictOf(value == want, fmt.Sprintf("= %.4g", want))
}

// And is met where both are; the other is of what is named.
func (v Verdict) And(o Verdict, what string) Verdict {
	if !v.set {
		return VerdictOf(o.OK, what+" "+o.Bound)
	}
	return VerdictOf(v.OK && o.OK, v.Bound+", "+what+" "+o.Bound)
}

// Deviation is the relative deviation of a value from its reference.
func Deviation(value, reference float64) float64 { return (value - reference) / reference }

// Percent prints a share with its sign.
func Percent(share float64) string { return fmt.Sprintf("%+.2f%%", 100*share) }

// Table is written by Flush, when all widths are known. Cells are strings, or numbers of which floats get 6 digits.
type Table struct {
	p     *Page
	title string
	rows  [][]string
}

// Table begins a table; columns for bound and verdict are added.
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
	if v.set {
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

// Twin counts a state that a twin has met, or says how it has missed it.
func (p *Page) Twin(missed string) {
	p.bounds++
	if missed != "" {
		p.missed = append(p.missed, missed)
		return
	}
	p.twins++
}

// Order is the observed order of convergence between two errors, the second with twice the cells along a side.
func Order(coarse, fine float64) float64 { return math.Log2(coarse / fine) }
