package plot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// metricTable has the metrics in the summaries of several runs.
type metricTable struct {
	names []string             // names of the runs
	keys  []string             // names of the metrics; cells, steps and time come first
	rows  map[string][]float64 // values of all runs by key; NaN if a run has none
}

// Keys of numbers in the summary that are not metrics.
const cellsKey, stepsKey, wallKey = "cells", "steps", "wall (s)"

func readMetrics(dirs []string) (*metricTable, error) {
	t := &metricTable{names: runNames(dirs), rows: map[string][]float64{}}
	fixedKeys := []string{cellsKey, stepsKey, wallKey}
	for i, dir := range dirs {
		path := filepath.Join(dir, "summary.json")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var summary struct {
			Steps, Cells float64
			Wall         float64 `json:"wall_s"`
			Metrics      map[string]float64
		}
		if err := json.Unmarshal(text, &summary); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for key, v := range summary.Metrics {
			t.set(key, i, v)
		}
		for k, v := range []float64{summary.Cells, summary.Steps, summary.Wall} {
			t.set(fixedKeys[k], i, v)
		}
	}
	for key := range t.rows {
		if !slices.Contains(fixedKeys, key) {
			t.keys = append(t.keys, key)
		}
	}
	slices.Sort(t.keys)
	t.keys = append(fixedKeys, t.keys...)
	return t, nil
}

func (t *metricTable) set(key string, run int, v float64) {
	if t.rows[key] == nil {
		t.rows[key] = slices.Repeat([]float64{math.NaN()}, len(t.names))
	}
	t.rows[key][run] = v
}

// Metrics returns a table of the metrics of several runs, in Markdown.
func Metrics(dirs []string) (string, error) {
	t, err := readMetrics(dirs)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---%s|\n", strings.Join(t.names, " | "), strings.Repeat("|---:", len(t.names)))
	for _, key := range t.keys {
		fmt.Fprintf(&b, "| %s |", withUnit(key))
		for _, v := range t.rows[key] {
			cell := ""
			if v == v {
				cell = strconv.FormatFloat(v, 'g', 6, 64)
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// minDifference is the relative difference from which a metric is plotted.
const minDifference = 0.005

// differs reports whether runs differ in a metric by more than minDifference, or only some of them have it.
func differs(values []float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != v {
			return true
		}
		least, most = min(least, v), max(most, v)
	}
	return most-least > minDifference*max(math.Abs(least), math.Abs(most))
}

// drawMetrics plots the metrics in which the runs differ: as bars, or, if there are three or more runs with different
// numbers of cells, over these. It draws nothing if a run has no summary.
func (c *comparison) drawMetrics() error {
	dirs := make([]string, len(c.runs))
	for i, r := range c.runs {
		dirs[i] = r.dir
	}
	t, err := readMetrics(dirs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	b := &chart.Bars{Page: c.options.Page, Log: c.options.Log, Title: "metrics in which the runs differ", Names: t.names}
	if c.options.Title != nil {
		b.Title = *c.options.Title
	}
	cells := t.rows[cellsKey]
	if distinct := slices.Compact(slices.Sorted(slices.Values(cells))); len(distinct) == len(cells) && len(cells) > 2 &&
		distinct[0] > 0 {
		b.X, b.XLabel = cells, cellsKey
	}
	for _, key := range t.keys {
		if differs(t.rows[key]) && (b.X == nil || key != cellsKey) {
			b.Panels = append(b.Panels, chart.BarPanel{Label: withUnit(key), Values: t.rows[key]})
		}
	}
	if len(b.Panels) == 0 {
		return nil
	}
	picture, err := b.Draw()
	if err != nil {
		return err
	}
	return c.save("compare-metrics", -1, picture)
}
