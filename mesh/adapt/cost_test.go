//go:build unix

package adapt

import (
	"math"
	"syscall"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// BenchmarkRun measures the processor time for a vertex of the result on one thread: from a coarse mesh to metrics in
// the plane and in space, and once more, from the result to the same metric.
func BenchmarkRun(b *testing.B) {
	square := must(mesh.Rectangle(0, 0, 1, 1, 800, 3))
	cube := must(mesh.Cube(5, 5, 5, 0, 1))
	around := func(dim int) Field { // sizes from 0.002 to 0.1 around a circle, from 0.03 to 0.3 around a sphere
		return func(x measure.Vector) measure.Tensor {
			d := math.Abs(math.Hypot(x[0]-.5, x[1]-.5) - .3)
			if dim == 3 {
				d = math.Abs(math.Hypot(math.Hypot(x[0]-.5, x[1]-.5), x[2]-.5) - .35)
				return stretched(3, measure.Vector{1}, min(.3, .03+.45*d), min(.3, .03+.45*d))
			}
			h := min(.1, .002+.2*d)
			return stretched(2, measure.Vector{1}, h, h)
		}
	}
	for _, k := range []struct {
		name  string
		begin func(o Options) (*Adapter, error)
		field Field
	}{
		{"front", func(o Options) (*Adapter, error) { return Triangles(square, o) }, curvedFront},
		{"circle", func(o Options) (*Adapter, error) { return Triangles(square, o) }, around(2)},
		{"sphere", func(o Options) (*Adapter, error) { return Tetrahedra(cube, o) }, around(3)},
	} {
		begin := func() *Adapter { return must(k.begin(Options{Ridge: 45, Threads: 1})) }
		last := begin()
		run := func(b *testing.B, a *Adapter) {
			if err := a.Run(b.Context(), k.field); err != nil {
				b.Fatal(err)
			}
		}
		measured := func(name string, a func() *Adapter) {
			b.Run(k.name+"/"+name, func(b *testing.B) {
				from := processorTime(b)
				for b.Loop() {
					last = a()
					run(b, last)
				}
				b.ReportMetric((processorTime(b)-from)/float64(last.Vertices()*b.N), "cpu-µs/vertex")
			})
		}
		measured("coarse", begin)
		measured("again", func() *Adapter { return last })
	}
}

// curvedFront has sizes from 0.0008 across a curved front, with an aspect of up to 20.
func curvedFront(x measure.Vector) measure.Tensor {
	h := .0008 * (1 + 30*math.Abs(x[1]-.5-.2*x[0]*x[0]))
	l := math.Sqrt(1 + .16*x[0]*x[0])
	return stretched(2, measure.Vector{-.4 * x[0] / l, 1 / l}, h, min(20*h, .03))
}

// processorTime returns the processor time of this process in µs.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1000
}
