package shape

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func timed(t testing.TB, text string, n int) (float64, time.Duration) {
	b, _, err := Parse(text, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	sum := 0.0
	h := 1 / float64(n)
	for c := range n * n * n {
		sum += b.Fraction(Cell{Dim: 3, Lo: [3]float64{float64(c%n) * h, float64(c/n%n) * h, float64(c/n/n) * h}, H: [3]float64{h, h, h}})
	}
	return sum * h * h * h, time.Since(begin)
}

func TestSpeed(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		exact float64
	}{
		{"sphere(0.5, 0.5, 0.5, 0.3)", 32, 4. / 3 * math.Pi * .027},
		{"box(0.2, 0.3, 0.25, 0.71, 0.82, 0.77)", 32, .51 * .52 * .52},
		{"intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5,0.5,0.5,0,0,1))", 2, 2. / 3 * math.Pi * .027},
		{"intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5,0.5,0.5,1,2,3))", 2, 2. / 3 * math.Pi * .027},
		{"intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5,0.5,0.5,1,2,3))", 32, 2. / 3 * math.Pi * .027},
		{"sphere(0.5, 0.5, 0.5, 0.3)", 100, 4. / 3 * math.Pi * .027},
		{"difference(sphere(0.5, 0.5, 0.5, 0.3), box(0.45,0.2,0,0.55,0.6,1))", 50, 0},
		{"intersection(sphere(0.5, 0.5, 0.5, 0.3), plane(0.5,0.5,0.5,1,2,3))", 100, 2. / 3 * math.Pi * .027},
		{"intersection(plane(0.5,0.5,0.5,1,2,3),plane(0.6,0.5,0.5,1,-2,1),plane(0.3,0.5,0.5,-1,0.1,0.2),plane(0.5,0.1,0.5,0,-1,0.3),plane(0.5,0.5,0.2,0.1,0,-1),plane(0.5,0.9,0.5,0,1,0.1))", 50, 0},
	} {
		v, d := timed(t, c.text, c.n)
		fmt.Printf("%-70s %3d³ %v %.1e  %.3g s a million\n", c.text, c.n, d, v/c.exact-1, d.Seconds()/float64(c.n*c.n*c.n)*1e6)
	}
}
