package adapt

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// BenchmarkPlane measures the time for a vertex of the result: from a coarse square to a curved front with an aspect of
// up to 20, and once more, from the result to the same metric.
func BenchmarkPlane(b *testing.B) {
	front := func(x measure.Vector) measure.Tensor {
		h := .0008 * (1 + 30*math.Abs(x[1]-.5-.2*x[0]*x[0]))
		l := math.Sqrt(1 + .16*x[0]*x[0])
		return stretched(2, measure.Vector{-.4 * x[0] / l, 1 / l}, h, min(20*h, .03))
	}
	begin := func() *Adapter {
		return must(Triangles(must(mesh.Rectangle(0, 0, 1, 1, 200, 3)), Options{Ridge: 45, Threads: 1}))
	}
	run := func(b *testing.B, a *Adapter) {
		if err := a.Run(b.Context(), front); err != nil {
			b.Fatal(err)
		}
	}
	last := begin()
	run(b, last)
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(last.Vertices()*b.N), "µs/vertex")
	}
	b.Run("coarse", func(b *testing.B) {
		for b.Loop() {
			run(b, begin())
		}
		report(b)
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			run(b, last)
		}
		report(b)
	})
}
