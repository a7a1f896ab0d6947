package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// paperTest returns the initial state of one of the two tests in section 5 of the paper, M. de la Asunción, J. M.
// Mantas and M. J. Castro (CMMSE 2012): an internal circular dam break, and two unstable layers over a bump.
func paperTest(test int, part *mesh.Part) shallow.Initial {
	n := len(part.Cells)
	zero := func() []float64 { return make([]float64, n) }
	in := shallow.Initial{Depth: zero(), H1: zero(), U1: zero(), V1: zero(), H2: zero(), U2: zero(), V2: zero()}
	for i := range n {
		x, y := part.Centroid(i)
		switch {
		case test == 2:
			in.Depth[i], in.H1[i], in.H2[i] = 1-1.5*math.Exp(-x*x-y*y), .5, 4
			if x >= 0 {
				in.H1[i], in.H2[i] = 4, .5
			}
			continue
		case math.Sqrt(x*x+y*y) > 1.5:
			in.H1[i] = 4
		default:
			in.H1[i] = .5
		}
		in.Depth[i] = 6
		in.H2[i] = in.Depth[i] - in.H1[i]
	}
	return in
}

// paperSizes are the meshes of the paper's Tables 1 and 2.
var paperSizes = []int{4000, 16000, 64000, 256000, 1024000, 2080560}

// paperOrders are the paper's orders of cells. The natural order is that of the mesh generator: the paper's generator
// numbers cells by refinement, ours row by row.
var paperOrders = []string{"natural", "rcm", "gps"}

var paperSchemes = []string{"roe", "ir-roe", "pvm-ifcp"}

// paperTimes are the seconds of Tables 1 and 2 on a GeForce GTX 580 in float32, by test and mesh: the three orders
// for each scheme.
var paperTimes = [2][6][9]float64{
	{
		{0.069, 0.072, 0.071, 0.020, 0.022, 0.021, 0.0048, 0.0050, 0.0050},
		{0.44, 0.38, 0.43, 0.092, 0.081, 0.084, 0.020, 0.024, 0.023},
		{3.13, 2.36, 2.71, 0.65, 0.51, 0.57, 0.14, 0.15, 0.15},
		{22.91, 15.12, 17.04, 4.68, 3.26, 3.70, 1.01, 1.00, 1.04},
		{167.2, 99.98, 108.9, 33.97, 21.34, 23.70, 7.81, 7.47, 7.69},
		{625.6, 384.6, 480.0, 127.1, 78.58, 94.61, 29.37, 27.98, 28.74},
	},
	{
		{0.059, 0.061, 0.061, 0.022, 0.021, 0.021, 0.0042, 0.0045, 0.0044},
		{0.37, 0.34, 0.37, 0.11, 0.089, 0.098, 0.017, 0.020, 0.020},
		{2.71, 2.19, 2.44, 0.79, 0.53, 0.59, 0.11, 0.12, 0.12},
		{20.97, 14.80, 16.46, 6.06, 3.31, 3.82, 0.85, 0.86, 0.88},
		{166.9, 103.5, 113.4, 46.07, 21.35, 24.48, 6.73, 6.37, 6.56},
		{623.8, 395.7, 502.2, 169.2, 75.40, 100.3, 25.15, 23.40, 24.93},
	},
}

// Paper runs both tests to t = 0.1 and prints the paper's Tables 1 and 2 with our times.
func Paper(ctx context.Context, w io.Writer, o StepOptions) error {
	maxCells := slices.Max(o.Cells)
	for test := 1; test <= 2; test++ {
		for _, precision := range o.Precisions {
			fmt.Fprintf(w, "\nTable %d: seconds for test %d to t = 0.1; theirs on a GTX 580 in float32, ours in %s; "+
				"speedup = theirs / ours\n", test, test, precision)
			fmt.Fprintf(w, "%9s %-9s %-8s %6s %10s %10s %8s\n", "cells", "scheme", "order", "steps", "theirs", "ours",
				"speedup")
			for size, cells := range paperSizes {
				if cells > maxCells {
					continue
				}
				m, err := mesh.Rectangle(-5, -5, 5, 5, cells, 7)
				if err != nil {
					return err
				}
				for k, order := range append(slices.Clone(paperOrders), "hilbert") {
					part, plan, err := wholePart(m, order)
					if err != nil {
						return err
					}
					initial := paperTest(test, part)
					for n, scheme := range paperSchemes {
						var seconds float64
						var steps int
						err := o.withSolver(ctx, part, plan, initial, scheme, precision, 1, o.Threads[0], func(s *shallow.Solver) error {
							begin := time.Now()
							for s.Time() < 0.1 {
								if _, err := s.Advance(ctx, 0.1, 0, 1024); err != nil {
									return err
								}
							}
							seconds, steps = time.Since(begin).Seconds(), s.Steps()
							return nil
						})
						if err != nil {
							return err
						}
						theirs, speedup := "", ""
						if k < len(paperOrders) {
							t := paperTimes[test-1][size][3*n+k]
							theirs, speedup = fmt.Sprintf("%.4g", t), fmt.Sprintf("%.1f", t/seconds)
						}
						fmt.Fprintf(w, "%9d %-9s %-8s %6d %10s %10.5f %8s\n", part.Owned, scheme, order, steps, theirs, seconds, speedup)
					}
				}
			}
		}
	}
	return nil
}
