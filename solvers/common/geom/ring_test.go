package geom

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRings: shares of rings are those of sums over thin slices, their constants give the shares back, and a line
// across or along the axis has the exact share.
func TestRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		angle, inner := 2*math.Pi*rng.Float64(), float64(rng.IntN(12))
		mx, my := math.Cos(angle), math.Sin(angle)
		switch rng.IntN(8) {
		case 0:
			mx = math.Copysign(1e-14*rng.Float64(), mx)
		case 1:
			my = 0
		}
		f := rng.Float64()
		if rng.IntN(4) == 0 {
			f = math.Pow(10, -12*f)
		}
		alpha := RingConstant(mx, my, f, inner)
		if got := RingShare(mx, my, alpha, inner); math.Abs(got-f) > 1e-14+1e-13*f {
			t.Fatalf("m (%g, %g), inner %g: share %v, want %v", mx, my, inner, got, f)
		}
		// The part of a box is that of the unit square less that of the other boxes.
		cut := rng.Float64()
		parts := RingVolume(mx, my, alpha, inner, Box[float64]{0, cut, 0, 1}) +
			RingVolume(mx, my, alpha, inner, Box[float64]{cut, 1, 0, cut}) +
			RingVolume(mx, my, alpha, inner, Box[float64]{cut, 1, cut, 1})
		if math.Abs(parts/(inner+.5)-f) > 1e-13 {
			t.Fatalf("m (%g, %g), inner %g: parts %v, whole %v", mx, my, inner, parts/(inner+.5), f)
		}
		single := RingConstant(float32(mx), float32(my), float32(f), float32(inner))
		if got := RingShare(float32(mx), float32(my), single, float32(inner)); math.Abs(float64(got)-f) > 1e-6 {
			t.Fatalf("m (%g, %g), inner %g: share %v in float32, want %v", mx, my, inner, got, f)
		}
	}
	for _, inner := range []float64{0, 1, 7} {
		for _, x := range []float64{.1, .5, .9} {
			want := (2*inner*x + x*x) / (2*inner + 1)
			if got := RingShare(1, 0, x, inner); math.Abs(got-want) > 1e-15 {
				t.Errorf("a cylinder in ring %g: share %v, want %v", inner, got, want)
			}
			line := Line[float64]{X: 1, Alpha: x}
			if got := RingSection(&line, inner); math.Abs(got-(inner+x)) > 1e-14 {
				t.Errorf("a cylinder in ring %g: surface %v, want %v", inner, got, inner+x)
			}
			line = Line[float64]{X: -1, Y: 1, Alpha: x - 1} // a cone
			from := 1 - x
			if got, want := RingSection(&line, inner), x*(inner+(1+from)/2)*math.Sqrt2; math.Abs(got-want) > 1e-14 {
				t.Errorf("a cone in ring %g: surface %v, want %v", inner, got, want)
			}
		}
		slices := 0.0
		const n = 10000
		for k := range n {
			x := (float64(k) + .5) / n
			slices += (inner + x) * max(0, min(1, (.8-.7*x)/.6)) / n
		}
		if got := RingVolume(.7, .6, .8, inner, Box[float64]{0, 1, 0, 1}); math.Abs(got-slices) > 1e-7*(1+inner) {
			t.Errorf("inner %g: volume %v, sum of slices %v", inner, got, slices)
		}
	}
}
