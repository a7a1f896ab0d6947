// Package verify checks the volume-of-fluid solver against exact solutions and published results. Its suite is run by
// atoll verify vof.
package verify

import (
	"context"
	"fmt"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/vof"
	"github.com/atoll-hpc/atoll/solvers/vof/problem"
)

func init() { verify.Register(suite) }

// suite lists the checks, the fast ones first.
var suite = verify.Suite{Name: "vof", Checks: []verify.Check{
	{Name: "planes", About: "Plane constants, and lines and planes reproduced", Run: planes},
	{Name: "bodies", About: "Volume fractions of bodies", Run: bodies},
	{Name: "matching", About: "The paper's three stages: circle of radius 0.25 in the unit square", Run: matching},
	{Name: "vortex-2", About: "The reversed vortex of Rider and Kothe, T = 2", Run: vortex2},
	{Name: "vortex-8", About: "The reversed vortex of Rider and Kothe, T = 8", Run: vortex8},
	{Name: "zalesak", About: "Zalesak's slotted disk in Rudman's set-up, one turn", Run: zalesak},
	{Name: "enright", About: "The ball in the deforming flow of LeVeque and Enright, T = 3", Run: enright,
		Largest: largestBall},
}}

// maxDrift and maxExcess bound the relative drift of volume, and the amount by which fractions leave [0, 1].
const (
	maxDrift  = 1e-13
	maxExcess = 1e-12
)

// sizesFrom returns numbers of cells along an axis, doubling from the first; quick runs leave out the last.
func sizesFrom(p *verify.Page, from, levels int) []int {
	var all []int
	for range levels {
		all = append(all, from)
		from *= 2
	}
	if p.Options.Quick {
		all = all[:len(all)-1]
	}
	return all
}

// scheme is a row in a table of errors.
type scheme struct {
	normal, advect string
	cfl            float64
	reference      []float64 // published errors by size; nil if there are none
	bounds         []float64 // bounds of Atoll's errors by size; nil for none
	tolerance      float64   // largest difference of Atoll's errors from published ones, relative to these; 0 for none
	adaptive       bool      // steps as long as the current velocity allows
	slow           bool      // left out of quick runs
	sizes          int       // number of sizes to run; 0 for all
	isDefault      bool      // it is the one that a case has by default
}

// byDefault returns the scheme that a case in dim dimensions has by default, with published errors that it must not
// exceed.
func byDefault(dim int, published ...float64) (scheme, error) {
	text := "solver='vof'\ngrid={bounds=[0,0,1,1],cells=8}\ninitial={shape='x'}\nvelocity={u=0,v=0}\ntime={end=1}\n"
	if dim == 3 {
		text = "solver='vof'\ngrid={bounds=[0,0,0,1,1,1],cells=8}\ninitial={shape='x'}\nvelocity={u=0,v=0,w=0}\n" +
			"time={end=1}\n"
	}
	c, err := solvers.Parse("verify.toml", []byte(text), nil)
	if err != nil {
		return scheme{}, err
	}
	m := c.Sections.(*problem.Sections).Method
	if m.CFLOf != "axis" {
		return scheme{}, fmt.Errorf("the tables are of CFL numbers of each axis, the default is of their %s", m.CFLOf)
	}
	return scheme{normal: m.Normal, advect: m.Advect, cfl: m.CFL, adaptive: m.Adaptive, reference: published,
		bounds: published, isDefault: true}, nil
}

func (s scheme) config() vof.Config {
	return vof.Config{Normal: s.normal, Advect: s.advect, CFL: s.cfl, PerAxis: true, Adaptive: s.adaptive}
}

// String returns the name of the scheme and its CFL number along an axis.
func (s scheme) String() string {
	name := fmt.Sprintf("%s + %s, CFL %.2g", s.advect, s.normal, s.cfl)
	if s.adaptive {
		name += ", adaptive"
	}
	if s.isDefault {
		name += " (default)"
	}
	return name
}

// repeatRanks returns the numbers of ranks on which the run at the i-th size of the j-th scheme is repeated and must
// give the same bits. Only the coarsest size is repeated, in quick runs only for the first scheme.
func repeatRanks(p *verify.Page, i, j int) []int {
	switch {
	case i > 0 || p.Options.Quick && j > 0:
		return nil
	case p.Options.Quick:
		return []int{4}
	}
	return []int{2, 3, 6}
}

// errorsOf runs schemes at all sizes up to time end, in the flow that fluidWith returns for n cells along each axis. It
// prints their errors, which errorOf extracts from a result, and how well they conserve volume and bounds.
func errorsOf(ctx context.Context, p *verify.Page, title string, sizes []int, schemes []scheme,
	fluidWith func(n int) fluid, end float64, errorOf func(result) float64) error {
	p.Note("The CFL number of a scheme is that of an axis, dt·max|u|/h, as in the literature; the table of " +
		"what was kept")
	p.Note("has their sum too. Adaptive steps have it at all times, others where the flow is fastest.")
	p.Note("")
	errorTable := p.Table(title, "scheme", "cells", "steps", "reference", "Atoll", "order")
	conservation := p.Table("What was kept, with nothing clipped", "scheme", "cells", "ranks", "CFL of an axis", "sum",
		"|volume drift|", "beyond [0, 1]", "mixed")
	for j, s := range schemes {
		if s.slow && p.Options.Quick {
			continue
		}
		previous := 0.0
		for i, n := range sizes {
			if s.sizes > 0 && i >= s.sizes {
				break
			}
			p.Progress("%s, %d cells an axis", s, n)
			c := fluidWith(n)
			c.cfg = s.config()
			got, err := runOn(ctx, p, c, 1, end)
			if err != nil {
				return err
			}
			e := errorOf(got)
			rate := ""
			if i > 0 {
				rate = fmt.Sprintf("%.2f", verify.Order(previous, e))
			}
			previous = e
			v, published := s.judge(i, e)
			errorTable.Row(v, s, n, got.steps, published, fmt.Sprintf("%.3e", e), rate)
			conservationRow(conservation, s, n, 1, got, got)
			for _, ranks := range repeatRanks(p, i, j) {
				p.Progress("%s, %d cells an axis, %d ranks", s, n, ranks)
				other, err := runOn(ctx, p, c, ranks, end)
				if err != nil {
					return err
				}
				conservationRow(conservation, s, n, ranks, other, got)
			}
		}
	}
	errorTable.Flush()
	conservation.Flush()
	return nil
}

// judge compares an error at the i-th size with the published one.
func (s scheme) judge(i int, e float64) (v verify.Verdict, published string) {
	if i < len(s.reference) {
		published = fmt.Sprintf("%.3g", s.reference[i])
		if s.tolerance > 0 {
			v = verify.Near(e, s.reference[i], s.tolerance)
		}
	}
	if i < len(s.bounds) {
		v = verify.AtMost(e, s.bounds[i])
	}
	return v, published
}

// conservationRow adds a row for a run, which must have the same bits as the run on one rank.
func conservationRow(t *verify.Table, s scheme, n, ranks int, got, one result) {
	bound := fmt.Sprintf("≤ %g, %g", maxDrift, maxExcess)
	kept := got.VolumeDrift <= maxDrift && got.BoundExcess <= maxExcess
	if ranks > 1 {
		bound += ", same bits"
		kept = kept && got == one
	}
	t.Row(verify.VerdictOf(kept, bound), s, n, ranks, fmt.Sprintf("%.3f", got.CFLAxis), fmt.Sprintf("%.3f", got.CFLSum),
		fmt.Sprintf("%.1e", got.VolumeDrift), fmt.Sprintf("%.1e", got.BoundExcess), got.MixedCells)
}
