package between_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/between"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }

// TestEvaluateMeansTheSame compares the kernel with its translation, at positions inside of the mesh and around it, and
// with M at a vertex.
func TestEvaluateMeansTheSame(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 60, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var tensors metric.Field
	for range m.X {
		tensors = append(tensors, metric.Tensor{1 + rng.Float64(), rng.Float64() - .5, 1 + rng.Float64()}.InverseRoot(2))
	}
	sizes, err := sizing.OnMesh(m, tensors)
	if err != nil {
		t.Fatal(err)
	}
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		x := [][3]float64{{m.X[7], m.Y[7]}}
		for range 500 {
			x = append(x, [3]float64{1.2*rng.Float64() - .1, 1.2*rng.Float64() - .1})
		}
		one, other := make([][6]float64, len(x)), make([][6]float64, len(x))
		between.NewEvaluateLoop(&sizes.Field, 1.5, x, one).Range(0, len(x))
		r.Run(t, between.NewEvaluateLoop(&sizes.Field, 1.5, x, other), 0, len(x))
		for i := range one {
			if one[i] != other[i] {
				t.Fatalf("at %v: %v in Go, %v translated", x[i], one[i], other[i])
			}
		}
	})
}
