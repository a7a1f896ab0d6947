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

// metricTable is the numbers of the summaries of several runs.
type metricTable struct {
	names []string             // of the runs
	keys  []string             // cells, steps and the time first
	rows  map[string][]float64 // by key; NaN where a run has none
}

// cellsKey, stepsKey and wallKey are no metrics of solvers.
const cellsKey, stepsKey, wallKey = "cells", "steps", "wall (s)"

func readMetrics(dirs []string) (*metricTable, error) {
	t := &metricTable{names: namesOfRuns(dirs), rows: map[string][]float64{}}
	first := []string{cellsKey, stepsKey, wallKey}
	for i, dir := range dirs {
		path := filepath.Join(dir, "summary.json")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var of struct {
			Steps, Cells float64
			Wall         float64 `json:"wall_s"`
			Metrics      map[string]float64
		}
		if err := json.Unmarshal(text, &of); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for key, v := range of.Metrics {
			t.set(key, i, v)
		}
		for k, v := range []float64{of.Cells, of.Steps, of.Wall} {
			t.set(first[k], i, v)
		}
	}
	for key := range t.rows {
		if !slices.Contains(first, key) {
			t.keys = append(t.keys, key)
		}
	}
	slices.Sort(t.keys)
	t.keys = append(first, t.keys...)
	return t, nil
}

func (t *metricTable) set(key string, run int, v float64) {
	if t.rows[key] == nil {
		t.rows[key] = slices.Repeat([]float64{math.NaN()}, len(t.names))
	}
	t.rows[key][run] = v
}

// Metrics is a table, in Markdown, of the metrics of runs, by their summaries.
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

// seen is by how much a metric must differ, as a share, for a picture to show it.
const seen = 0.005

// differs tells whether runs differ in a metric by more than can be seen, or one of them has none.
func differs(values []float64) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != v {
			return true
		}
		least, most = min(least, v), max(most, v)
	}
	return most-least > seen*max(math.Abs(least), math.Abs(most))
}

// metrics draws those in which the runs differ: bars, or where three runs or more have each a number of cells of their
// own, points over that. Runs without a summary have none.
func (c *comparison) metrics() error {
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
	if apart := slices.Compact(slices.Sorted(slices.Values(cells))); len(apart) == len(cells) && len(cells) > 2 &&
		apart[0] > 0 {
		b.X, b.Across = cells, cellsKey
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
