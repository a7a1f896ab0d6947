package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// planes checks the geometry with random normals, many of them with nearly vanishing components, for which formulae
// may cancel.
func planes(ctx context.Context, p *verify.Page) error {
	count := 1 << 20
	if p.Options.Quick {
		count = 1 << 16
	}
	rng := rand.New(rand.NewPCG(1, 2))
	part := func() float64 {
		v := rng.NormFloat64()
		switch rng.IntN(8) {
		case 0:
			return 0
		case 1:
			return v * math.Pow(10, -18*rng.Float64())
		}
		return v
	}
	var plane, line float64
	for range count {
		mx, my, mz, f := part(), part(), part(), rng.Float64()
		if rng.IntN(4) == 0 {
			f = math.Pow(10, -16*f)
		}
		plane = max(plane, math.Abs(geom.Volume(mx, my, mz, geom.PlaneConstant(mx, my, mz, f))-f))
		line = max(line, math.Abs(geom.Area(mx, my, geom.LineConstant(mx, my, f))-f))
	}
	t := p.Table("The volume of the plane constant of a volume, largest error", "dimensions", "planes", "reference",
		"Atoll")
	t.Row(verify.AtMost(line, 1e-14), 2, count, "4e-15", fmt.Sprintf("%.1e", line))
	t.Row(verify.AtMost(plane, 1e-14), 3, count, "7e-15", fmt.Sprintf("%.1e", plane))
	t.Flush()
	if err := ctx.Err(); err != nil {
		return err
	}
	return randomPlanes(p, rng, count/256)
}

// randomPlanes reconstructs random lines and planes from their volume fractions.
func randomPlanes(p *verify.Page, rng *rand.Rand, count int) error {
	t := p.Table("Random lines and planes from their volume fractions, largest error of the unit normal", "normal",
		"dimensions", "Atoll")
	const differenceStep = 0x1p-26
	flat, full := kernels.Lattice{SY: 3}, kernels.Lattice{SY: 3, SZ: 9}
	var elvira, lvira, elvira3, lvira3 float64
	for range count {
		mx, my, mz := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		f := make([]float64, 27)
		a := geom.LineConstant(mx, my, .05+.9*rng.Float64())
		for c := range 9 {
			f[c] = geom.Area(mx, my, a-mx*float64(c%3-1)-my*float64(c/3-1))
		}
		for _, w := range []struct {
			method int32
			worst  *float64
		}{{kernels.ELVIRA, &elvira}, {kernels.LVIRA, &lvira}} {
			got := kernels.PlaneOf2(f, 4, flat, w.method, differenceStep)
			*w.worst = max(*w.worst, angle([3]float64{mx, my}, [3]float64{got.X, got.Y}))
		}
		part := .05 + .9*rng.Float64()
		for _, w := range []struct {
			method int32
			mz     float64
			worst  *float64
		}{
			{kernels.LVIRA, mz, &lvira3},
			{kernels.ELVIRA, math.Copysign(3*(math.Abs(mx)+math.Abs(my))+math.Abs(mz), mz), &elvira3},
		} {
			a = geom.PlaneConstant(mx, my, w.mz, part)
			for c := range 27 {
				f[c] = geom.Volume(mx, my, w.mz, a-mx*float64(c%3-1)-my*float64(c/3%3-1)-w.mz*float64(c/9-1))
			}
			got := kernels.PlaneOf3(f, 13, full, w.method, differenceStep)
			*w.worst = max(*w.worst, angle([3]float64{mx, my, w.mz}, [3]float64{got.X, got.Y, got.Z}))
		}
	}
	t.Row(verify.AtMost(elvira, 1e-12), "elvira", 2, fmt.Sprintf("%.1e", elvira))
	t.Row(verify.AtMost(lvira, 1e-12), "lvira", 2, fmt.Sprintf("%.1e", lvira))
	t.Row(verify.AtMost(elvira3, 1e-12), "elvira", 3, fmt.Sprintf("%.1e", elvira3))
	t.Row(verify.AtMost(lvira3, 1e-12), "lvira", 3, fmt.Sprintf("%.1e", lvira3))
	t.Flush()
	p.Note("ELVIRA in space has 27 candidates of 3×3×3 cells, with the plane among them where the columns of one " +
		"axis end within")
	p.Note("these: its planes are of |m1| + |m2| ≤ |m3|/3. LVIRA's are any.")
	p.Note("")
	return nil
}

// angle returns the difference between two unit vectors, as a length.
func angle(a, b [3]float64) float64 {
	la, lb := math.Sqrt(a[0]*a[0]+a[1]*a[1]+a[2]*a[2]), math.Sqrt(b[0]*b[0]+b[1]*b[1]+b[2]*b[2])
	d := 0.0
	for k := range a {
		x := a[k]/la - b[k]/lb
		d += x * x
	}
	return math.Sqrt(d)
}

// matching runs the stages of Francois, Lo and Sewell (ASME 2014): volume fractions by five levels of division,
// gradients, and lines by iteration with the look-up table, whose areas must agree with those of the analytic lines.
// The paper has no numbers to compare with except times.
func matching(_ context.Context, p *verify.Page) error {
	const ghost = 1
	t := p.Table("Five levels, a leaf by its centre (the paper) or by a plane", "cells", "leaf", "volume error", "mixed",
		"polygons a cell", "worst area")
	for _, n := range sizesFrom(p, 64, 3) {
		for _, leaf := range []string{"centre", "plane"} {
			size := n + 2*ghost
			layout := kernels.Lattice{Origin: int32(ghost * (size + 1)), SY: int32(size)}
			box := abi.Box{Hi: [3]int{n, n, 1}}
			wide := abi.Box{Lo: [3]int{-1, -1, 0}, Hi: [3]int{n + 1, n + 1, 1}}
			side := 1 / float64(n)
			h := [3]float64{side, side, 1}
			field := func() []float64 { return make([]float64, size*size) }
			f, dx, dy, rho := field(), field(), field(), field()
			iterations := make([]int32, size*size)
			disk := &kernels.Ball[float64]{Lattice: layout, H: h, Centre: [3]float64{.5, .5}, Radius: .25, Levels: 5,
				Planes: leaf == "plane"}
			kernels.NewFillDisk2Loop(wide, disk, f).Range(0, wide.Size())
			gradients := &kernels.Gradients[float64]{Lattice: layout, H: h, F: f, DX: dx, DY: dy}
			kernels.NewGradient2Loop(box, gradients).Range(0, box.Size())
			lines := &kernels.Matching[float64]{Lattice: layout, H: h, Tolerance: 1e-14, Cases: kernels.Cases(), F: f, DX: dx,
				DY: dy, Rho: rho, Iterations: iterations}
			kernels.NewMatch2Loop(box, lines).Range(0, box.Size())
			volume, worst, mixed, polygons := 0.0, 0.0, 0, 0
			for c := range f {
				volume += f[c] * side * side
				if iterations[c] <= 0 {
					continue
				}
				mixed++
				polygons += int(iterations[c])
				// n·x + ρ ≥ 0 relative to the cell's centre is m·ξ ≤ α with m = -n h and α = ρ - n·h/2.
				l := math.Hypot(dx[c], dy[c])
				mx, my := -dx[c]/l*side, -dy[c]/l*side
				worst = max(worst, math.Abs(geom.Area(mx, my, rho[c]+(mx+my)/2)-f[c]))
			}
			want := math.Pi / 16
			t.Row(verify.AtMost(worst, 1e-12), n, leaf, fmt.Sprintf("%.1e", volume/want-1), mixed,
				fmt.Sprintf("%.1f", float64(polygons)/float64(mixed)), fmt.Sprintf("%.1e", worst))
		}
	}
	t.Flush()
	return nil
}
