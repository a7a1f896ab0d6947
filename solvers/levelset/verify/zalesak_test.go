package verify

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// TestVolumesOfZalesak compares the constants with the volumes of the bodies in the cases: the literature has two
// slots of the sphere, whose volumes differ by a seventh.
func TestVolumesOfZalesak(t *testing.T) {
	for _, c := range []struct {
		dim   int
		text  string
		exact float64
	}{
		{2, "slotted-disk(50, 75, 15, 5, 85)", diskArea},
		{3, fmt.Sprintf(slotted, 50., 85.), sphereVolume},
		{3, fmt.Sprintf(slotted, 50., 72.5), shallowSlot},
	} {
		b, _, err := shape.Parse(c.text, c.dim, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := b.Fraction(shape.Cell{Dim: c.dim, H: [3]float64{100, 100, 100}}) * math.Pow(100, float64(c.dim))
		if math.Abs(v/c.exact-1) > 1e-6 {
			t.Errorf("%s: volume %.8g, want %.8g", c.text, v, c.exact)
		}
	}
}
