package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/rounds"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }

// translated is a device that runs translations of kernels.
type translated struct {
	backend.Device
	t *testing.T
	r cudatest.Runner
}

func (d *translated) Run(l backend.Loop, lo, hi int) {
	if k, ok := l.(abi.Launcher); ok {
		d.r.Run(d.t, k, lo, hi)
		return
	}
	d.Device.Run(l, lo, hi)
}

// star is a square of which each side is the base of many thin triangles around its centre, two of them of another
// material: vertices have more cells than their lists have room for at first.
func star(sides int) *mesh.Mesh {
	m := &mesh.Mesh{X: []float64{.5}, Y: []float64{.5}}
	for i := range 4 * sides {
		s := float64(i%sides) / float64(sides)
		x := [4][2]float64{{s, 0}, {1, s}, {1 - s, 1}, {0, 1 - s}}[i/sides]
		m.X, m.Y = append(m.X, x[0]), append(m.Y, x[1])
		m.Cells = append(m.Cells, [3]int32{0, int32(1 + i), int32(1 + (i+1)%(4*sides))})
		m.CellGroup = append(m.CellGroup, int32(i/(2*sides)))
	}
	m.Groups = []mesh.Group{{Dim: 2, Tag: 1, Name: "below"}, {Dim: 2, Tag: 2, Name: "above"}}
	return m
}

// TestTranslationsAdapt: whole adaptations by the translations of all kernels give the mesh that Go gives.
func TestTranslationsAdapt(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, r cudatest.Runner) {
		host := cpu.New(1)
		defer host.Close()
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(seed, 1))
			h, cx := .2+.1*rng.Float64(), rng.Float64()
			field := func(x measure.Vector) measure.Tensor {
				a, b := h*(.5+2*(x[0]-cx)*(x[0]-cx)), h
				return measure.Tensor{1 / (a * a), 0, 1 / (b * b)}
			}
			tensor := measure.Tensor{12, 1, 15}
			adapter := func() *adapt.Adapter {
				m := star(6)
				if seed > 0 {
					var err error
					if m, err = mesh.Rectangle(0, 0, 1, 1, 30, seed); err != nil {
						t.Fatal(err)
					}
				}
				a, err := adapt.Triangles(m, adapt.Options{Ridge: 45, Threads: 1, Probe: .3})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			one, other := adapter(), adapter()
			uniform := func(measure.Vector) measure.Tensor { return tensor }
			for _, f := range []adapt.Field{field, uniform} {
				if err := one.Run(t.Context(), f); err != nil {
					t.Fatal(err)
				}
			}
			dev := &translated{host, t, r}
			if err := other.RunOn(t.Context(), dev, field, &rounds.OnHost{At: field, Threads: 1}); err != nil {
				t.Fatal(err)
			}
			if err := other.RunOn(t.Context(), dev, uniform, rounds.NewUniform(tensor)); err != nil {
				t.Fatal(err)
			}
			if one.Hash() != other.Hash() {
				t.Errorf("seed %d: %d vertices in Go, %d translated, or with other bits", seed, one.Vertices(), other.Vertices())
			}
		}
	})
}
