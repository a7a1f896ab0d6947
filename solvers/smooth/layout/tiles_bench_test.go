package layout

import (
	"testing"

	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// BenchmarkTiles cuts meshes of 158,000 and 2.5 million vertices into tiles, and reports their additional work and
// reads compared with sweeps by sets.
func BenchmarkTiles(b *testing.B) {
	for name, cells := range map[string]int{"small": 315_000, "large": 5_000_000} {
		b.Run(name, func(b *testing.B) {
			l, err := New(smoothtest.Rectangle(b, cells, 1), plainOptions())
			if err != nil {
				b.Fatal(err)
			}
			parts, err := l.Parts(make([]int32, len(l.Class)), 1)
			if err != nil {
				b.Fatal(err)
			}
			var t *kernels.TiledMesh[float64]
			for b.Loop() {
				if t, _, err = Tiles[float64](parts[0], 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(t.Tiles)-1), "tiles")
			b.ReportMetric(float64(len(t.Visits))/float64(l.Moving()), "visits/vertex")
			b.ReportMetric(float64(len(t.Slots))/float64(l.Moving()), "slots/vertex")
		})
	}
}
