package scale

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// Assumptions lists what the model takes for granted.
func (m *Model) Assumptions() []string {
	var ranks []string
	for _, t := range m.timed() {
		ranks = append(ranks, fmt.Sprintf("%d (%s)", t.Ranks, words.Count(t.Size.Entities, t.Size.Unit)))
	}
	n := m.Machine
	list := []string{
		fmt.Sprintf("machine %s: %s", n.Name, n.Source),
		fmt.Sprintf("L %s, o %s, O %.3g ns/B, g %s, G %.3g ns/B, S %s, collectives by %s, boxes exchange %s",
			seconds(n.Latency), seconds(n.Overhead), 1e9*n.OverheadPerByte, seconds(n.Gap), 1e9*n.GapPerByte,
			eager(n.Eager), n.Reduction, map[bool]string{true: "at once", false: "axis by axis"}[n.AtOnce]),
		fmt.Sprintf("the sequence of %d steps recorded on %d ranks of one thread, on the processors of this machine; "+
			"other ranks do the same, with their own plans", m.last.Steps, m.last.Ranks),
		fmt.Sprintf("computations: laws in cells, ghosts and costlier cells of a rank, fitted to runs on ranks: %s; "+
			"%s, times %.3g", strings.Join(ranks, ", "), timeSource, m.pace),
		"each rank has a core of its own with the memory bandwidth that it had here; no contention in the network, no " +
			"frames, no failures",
		"the division is that at the start: blocks or meshes that change later, and particles that gather, are left out",
	}
	if len(m.loose) > 0 {
		list = append(list, "messages of varying length, as of particles: as long as those recorded, in proportion to "+
			"the work of the cells beside each other")
	}
	if m.Noise.Share > 0 {
		list = append(list, fmt.Sprintf("computations take longer by a share drawn from an exponential distribution with "+
			"mean %g, seed %d", m.Noise.Share, m.Noise.Seed))
	}
	return list
}

func eager(s float64) string {
	if s == 0 {
		return "none"
	}
	return words.Bytes(int64(s))
}

// seconds formats a time in the unit in which it is short.
func seconds(s float64) string {
	switch {
	case s == 0:
		return "0"
	case s < 1e-6:
		return fmt.Sprintf("%.3g ns", 1e9*s)
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*s)
	case s < 1:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.3g s", s)
}

// WriteTable writes predictions as a table.
func WriteTable(w io.Writer, rows []*Prediction) {
	const head, line = "%8s %10s %6s %8s %8s %8s %7s %9s %9s %8s %9s %8s %10s %6s %10s\n",
		"%8d %10s %5.1f%% %7.1f%% %7.1f%% %7.1f%% %6.1f%% %9.0f %9s %8.3f %9.1f %8.1f %10s %6d %10s\n"
	fmt.Fprintf(w, head, "ranks", "a step", "effic.", "balance", "compute", "exchange", "reduce", "cells", "neighb.",
		"ghosts", "messages", "reduct.", "bytes", "files", "memory")
	fmt.Fprintf(w, head, "", "", "", "of time", "", "", "", "a rank", "mean/most", "a cell", "a step", "a step", "a step",
		"", "most")
	for _, p := range rows {
		if p.Refused != "" {
			fmt.Fprintf(w, "%8d %s\n", p.Ranks, p.Refused)
			continue
		}
		fmt.Fprintf(w, line, p.Ranks, seconds(p.Step), 100*p.Efficiency, 100*p.Balance, 100*p.Compute, 100*p.Exchange,
			100*p.Reduce, p.MeanCells, fmt.Sprintf("%.1f/%.0f", p.MeanNeighbours, p.MostNeighbours), p.Ghosts, p.Messages,
			p.Collectives, words.Bytes(int64(p.Bytes)), p.Files, words.Bytes(p.Memory))
	}
}

// Draw draws predictions over the number of ranks. It needs two that are not refused.
func Draw(title string, rows []*Prediction) (*figure.Figure, error) {
	b := &chart.Bars{Title: title, XLabel: "ranks", Log: true}
	var kept []*Prediction
	for _, p := range rows {
		if p.Refused == "" {
			kept = append(kept, p)
			b.X, b.Names = append(b.X, float64(p.Ranks)), append(b.Names, fmt.Sprint(p.Ranks))
		}
	}
	if len(kept) < 2 {
		return nil, fmt.Errorf("a picture needs predictions for two numbers of ranks, there are %d", len(kept))
	}
	for _, panel := range []struct {
		label string
		of    func(p *Prediction) float64
	}{
		{"time of a step (ms)", func(p *Prediction) float64 { return 1e3 * p.Step }},
		{"efficiency (%)", func(p *Prediction) float64 { return 100 * p.Efficiency }},
		{"balance: mean / most computing time (%)", func(p *Prediction) float64 { return 100 * p.Balance }},
		{"computing (% of a step)", func(p *Prediction) float64 { return 100 * p.Compute }},
		{"exchanges (% of a step)", func(p *Prediction) float64 { return 100 * p.Exchange }},
		{"reductions (% of a step)", func(p *Prediction) float64 { return 100 * p.Reduce }},
		{"ghosts a cell", func(p *Prediction) float64 { return p.Ghosts }},
		{"bytes a rank sends in a step", func(p *Prediction) float64 { return p.Bytes }},
		{"memory of the largest rank (MiB)", func(p *Prediction) float64 { return float64(p.Memory) / (1 << 20) }},
	} {
		values := make([]float64, len(kept))
		any := false
		for k, p := range kept {
			if values[k] = panel.of(p); values[k] == 0 {
				values[k] = math.NaN() // on a logarithmic axis
			}
			any = any || values[k] > 0
		}
		if any {
			b.Panels = append(b.Panels, chart.BarPanel{Label: panel.label, Values: values})
		}
	}
	return b.Draw()
}
