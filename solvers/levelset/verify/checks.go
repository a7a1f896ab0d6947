// Package verify checks the level set solver against exact solutions and published results: volumes, distances, and
// test flows. Its suite is run by atoll verify levelset.
package verify

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/run/verify"
)

func init() { verify.Register(suite) }

// suite lists the checks, the fast ones first.
var suite = verify.Suite{Name: "levelset", TwinRanks: 2, Checks: []verify.Check{
	{Name: "volumes", About: "Volumes of bodies, by samples and by the surface", Run: volumes},
	{Name: "distances", About: "Both halves of the band are a distance; thin bodies keep their volume", Run: distances},
	{Name: "vortex", About: "The reversed vortex of Rider and Kothe, T = 8", Run: vortex},
	{Name: "zalesak", About: "Zalesak's slotted disk and sphere, one revolution", Run: zalesak, Largest: largestSphere},
	{Name: "ball", About: "Enright's ball in a deforming flow, T = 3", Run: ball, Largest: largestBall},
	{Name: "ball-200", About: "The same with 200³ cells, on a GPU (--backend cuda)", Run: ball200,
		Largest: func(o verify.Options) string {
			if len(o.Twins) == 0 {
				return "" // nothing is computed
			}
			return fmt.Sprintf(ballCase, 200)
		}},
}}

func largestSphere(o verify.Options) string {
	n := 100
	if o.Quick {
		n = 50
	}
	return fmt.Sprintf(fmt.Sprintf(sphereCase, 50., 85.), n)
}

func largestBall(o verify.Options) string {
	n := 100
	if o.Quick {
		n = 32
	}
	return fmt.Sprintf(ballCase, n)
}

// row is a run of a case, with the expected loss of volume.
type row struct {
	name      string
	cells     int
	sets      []string
	reference float64 // relative loss of volume that was published, or computed by an independent program; 0 for none
	check     func(loss float64) verify.Verdict
	slow      bool // left out of quick runs
	ranks     []int
}

// losesAtMost bounds a loss, or a gain, by a percentage of the volume.
func losesAtMost(percentage float64) func(loss float64) verify.Verdict {
	return func(loss float64) verify.Verdict { return verify.AtMost(max(loss, -loss), percentage/100) }
}

// losesAtLeast requires a loss of at least a percentage: the test must be hard for this method.
func losesAtLeast(percent float64) func(loss float64) verify.Verdict {
	return func(loss float64) verify.Verdict { return verify.AtLeast(loss, percent/100) }
}

const referenceNote = "References are Enright, Fedkiw, Ferziger and Mitchell, J. Comput. Phys. 183 (2002), by RK3 " +
	"and WENO."

// runTable runs the cases of rows and makes a table of their losses. length is the length or area of the body's
// surface.
func runTable(ctx context.Context, p *verify.Page, title, text string, length float64, rows []row) error {
	t := p.Table(title, "method", "cells", "ranks", "steps", "particles", "escaped", "volume", "lost",
		"reference", "L1 / h")
	for _, r := range rows {
		if r.slow && p.Options.Quick {
			continue
		}
		ranks := append([]int{1}, r.ranks...)
		var onOneRank outcome
		for _, n := range ranks {
			p.Progress("%s, %d cells an axis, %d ranks", r.name, r.cells, n)
			o, err := testRun{text: fmt.Sprintf(text, r.cells), sets: r.sets}.run(ctx, p, n)
			if err != nil {
				return fmt.Errorf("%s, %d cells an axis: %w", r.name, r.cells, err)
			}
			if n == 1 {
				onOneRank = o
				addRow(t, r, n, &o, length)
				continue
			}
			sameBits := o.hash == onOneRank.hash
			t.Row(verify.VerdictOf(sameBits, "same bits"), r.name, r.cells, n, o.steps, fmt.Sprint(o.value["particles"]), "", "",
				"", "", "")
		}
	}
	t.Flush()
	return nil
}

// addRow adds the row of a run.
func addRow(t *verify.Table, r row, ranks int, o *outcome, length float64) {
	loss := o.loss()
	published := ""
	if r.reference != 0 {
		published = verify.Percent(r.reference)
	}
	verdict := verify.Info
	if r.check != nil {
		verdict = r.check(loss)
	}
	h := 1.0
	if o.cells != nil {
		h = o.cells.Position(1)[0] - o.cells.Position(0)[0]
	}
	t.Row(verdict, r.name, r.cells, ranks, o.steps, fmt.Sprint(o.value["particles"]), fmt.Sprint(o.value["escaped_max"]),
		fmt.Sprintf("%.6g", o.value["volume"]), verify.Percent(loss), published,
		fmt.Sprintf("%.3f", o.value["l1_error"]/length/h))
}
