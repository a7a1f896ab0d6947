package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const vortexCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 6.283185307179586, 6.283185307179586], cells = [%d, %d], periodic = ["x", "y"] }
fluids = { density = 1, viscosity = 0.1 }
initial = { u = "sin(x)*cos(y)", v = "-cos(x)*sin(y)" }
method = { max_step = %g }
time = { end = 1 }
`

// vortices compares the decay of the energy of vortices with exp(-4νt).
func vortices(ctx context.Context, p *verify.Page) error {
	t := p.Table("Vortices of Taylor and Green, ν = 0.1, t = 1, dt proportional to h", "cells", "steps", "energy's error")
	for _, n := range []int{16, 32, 64, 128} {
		j := testRun{text: fmt.Sprintf(vortexCase, n, n, 2/float64(n))}
		o, err := j.run(ctx, p, 1)
		if err != nil {
			return err
		}
		e := math.Abs(o.value["kinetic_energy"]/(math.Pi*math.Pi) - math.Exp(-.4))
		v := verify.Info
		if n > 16 {
			v = verify.AtMost(e, .06/float64(n))
		}
		t.Row(v, n, o.steps, fmt.Sprintf("%.2e", e))
	}
	t.Flush()
	p.Note("Viscosity is implicit (backward Euler), so that the error is of first order in time; parts of it have " +
		"different signs.")
	return nil
}
