package study

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Names of the files in the folder of a study.
const (
	CSVFile      = "study.csv"
	MarkdownFile = "study.md"
	PictureFile  = "study.png"
)

// Markdown formats the shown metrics as a Markdown table with aligned columns.
func (t *Table) Markdown() string {
	var header []string
	for _, a := range t.Axes {
		header = append(header, a.Key)
	}
	header = append(header, "cells", "steps", "wall (s)")
	for _, m := range t.Metrics {
		header = append(header, m)
		if slices.Contains(t.Errors, m) {
			header = append(header, "order")
		}
	}
	rows := [][]string{header}
	for _, r := range t.Rows {
		row := append(slices.Clone(r.Values), fmt.Sprint(r.Summary.Cells), fmt.Sprint(r.Summary.Steps),
			fmt.Sprintf("%.3g", r.Summary.Wall))
		for _, m := range t.Metrics {
			v, ok := r.Summary.Metrics[m]
			row = append(row, formatRounded(v, ok, "%.4g"))
			if slices.Contains(t.Errors, m) {
				o, ok := r.Orders[m]
				row = append(row, formatRounded(o, ok, "%.2f"))
			}
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

func formatRounded(v float64, ok bool, format string) string {
	if !ok {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func markdown(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for i := range rows {
		for c, cell := range rows[i] {
			cell = strings.ReplaceAll(cell, "|", `\|`)
			rows[i][c], widths[c] = cell, max(widths[c], 3, utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		for c, cell := range row {
			fmt.Fprintf(&b, "| %*s ", widths[c], cell)
		}
		b.WriteString("|\n")
		if i == 0 {
			for _, w := range widths {
				b.WriteString("| " + strings.Repeat("-", w-1) + ": ")
			}
			b.WriteString("|\n")
		}
	}
	return b.String()
}

// CSV returns a row per run: values of the axes, folder, size and time, all metrics in full precision, orders of
// convergence, and the hash of the state.
func (t *Table) CSV() string {
	var header []string
	for _, a := range t.Axes {
		header = append(header, a.Key)
	}
	header = append(header, "run", "cells", "steps", "time", "wall_s")
	header = append(header, t.AllMetrics...)
	for _, m := range t.Errors {
		header = append(header, m+"_order")
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(append(header, "state_sha256", "version")) // writes to memory do not fail
	for _, r := range t.Rows {
		s := r.Summary
		row := append(slices.Clone(r.Values), r.Name, fmt.Sprint(s.Cells), fmt.Sprint(s.Steps), formatExactly(s.Time, true),
			formatExactly(s.Wall, true))
		for _, m := range t.AllMetrics {
			v, ok := s.Metrics[m]
			row = append(row, formatExactly(v, ok))
		}
		for _, m := range t.Errors {
			o, ok := r.Orders[m]
			row = append(row, formatExactly(o, ok))
		}
		_ = w.Write(append(row, s.StateSHA256, s.Version))
	}
	w.Flush()
	return b.String()
}

func formatExactly(v float64, ok bool) string {
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Write writes the table as CSV and Markdown, and the plot if there is one, to the folder of the study. It returns
// their paths.
func (s *Study) Write(t *Table) (files []string, err error) {
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{CSVFile: t.CSV(), MarkdownFile: t.Markdown()} {
		path := filepath.Join(s.Dir, name)
		err := atomicfile.Write(path, func(f *atomicfile.File) error { _, err := f.WriteString(text); return err })
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	slices.Sort(files)
	picture := filepath.Join(s.Dir, PictureFile)
	drawn, err := s.draw(t, picture)
	if drawn {
		files = append(files, picture)
	}
	return files, err
}
