package colouring

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// serial colours vertices in descending priority, given by order, each with the least colour that is free among its
// neighbours of the same class. Vertices with a negative class do not move and have no colour.
func serial(rings *mesh.Rings, class []int8, order []int32) []int32 {
	colour := make([]int32, len(class))
	for v := range colour {
		colour[v] = -1
	}
	for _, v := range order {
		if class[v] < 0 {
			continue
		}
		for next := int32(0); colour[v] < 0; next++ {
			if !slices.ContainsFunc(rings.Of(v),
				func(u int32) bool { return class[u] == class[v] && colour[u] == next }) {
				colour[v] = next
			}
		}
	}
	return colour
}

// TestColouringIsSerial proves that colourings are valid and equal those of a serial loop in the order of priorities,
// for any number of goroutines and any classes.
func TestColouringIsSerial(t *testing.T) {
	meshes := []*mesh.Mesh{smoothtest.Rectangle(t, 8, 1), smoothtest.Rectangle(t, 300, 2), smoothtest.Rectangle(t, 3000,
		3)}
	rapid.Check(t, func(r *rapid.T) {
		m := rapid.SampledFrom(meshes).Draw(r, "mesh")
		rings := smoothtest.Rings(t, m)
		class := make([]int8, len(m.X))
		salt := rapid.Int32().Draw(r, "classes")
		for v := range class {
			class[v] = int8(Hash(int32(v)^salt)%5) / 2
			if Hash(int32(v)+salt)%50 == 0 {
				class[v] = -1
			}
		}
		order := make([]int32, len(m.X))
		for v := range order {
			order[v] = int32(v)
		}
		for _, kind := range []Kind{FirstFit, JonesPlassmann} {
			if kind == JonesPlassmann {
				slices.SortFunc(order, func(u, v int32) int {
					du, dv := len(rings.Of(u)), len(rings.Of(v))
					if du != dv {
						return dv - du
					}
					if Hash(u) < Hash(v) {
						return -1
					}
					return 1
				})
			}
			got, err := colourOn(kind, rings, class, rapid.IntRange(1, 8).Draw(r, "threads"))
			if err != nil {
				r.Fatal(err)
			}
			if !slices.Equal(got, serial(rings, class, order)) {
				r.Fatalf("%s differs from the serial loop", kind)
			}
			if err := Check(rings, class, got); err != nil {
				r.Fatal(err)
			}
		}
	})
}

// TestFewColours proves that at most 7 colours are needed for a mesh of a million vertices; of fewer with the
// race detector.
func TestFewColours(t *testing.T) {
	if testing.Short() {
		t.Skip("a million vertices")
	}
	cells := 2_000_000
	if smoothtest.RaceDetector {
		cells /= 20
	}
	m := smoothtest.Rectangle(t, cells, 5)
	rings := smoothtest.Rings(t, m)
	class := make([]int8, len(m.X))
	for _, kind := range []Kind{FirstFit, JonesPlassmann} {
		colour, err := Colour(kind, rings, class, 2)
		if err != nil {
			t.Fatal(err)
		}
		if n := slices.Max(colour) + 1; n > 7 || n < 4 {
			t.Errorf("%s: %d colours for %d vertices", kind, n, len(class))
		}
	}
}

// TestCheckColours proves that Check finds equal, missing and superfluous colours.
func TestCheckColours(t *testing.T) {
	m := smoothtest.Rectangle(t, 200, 1)
	rings := smoothtest.Rings(t, m)
	class := make([]int8, len(m.X))
	class[3] = -1
	colour, err := Colour(JonesPlassmann, rings, class, 1)
	if err != nil || Check(rings, class, colour) != nil {
		t.Fatal(err, Check(rings, class, colour))
	}
	for v, wrong := range map[int32]int32{7: colour[rings.Of(7)[1]], 3: 0, 8: -1} {
		was := colour[v]
		if colour[v] = wrong; Check(rings, class, colour) == nil {
			t.Errorf("colour %d of vertex %d passes", wrong, v)
		}
		colour[v] = was
	}
	if _, err := Colour("rainbow", rings, class, 1); err == nil {
		t.Error("an unknown colouring is accepted")
	}
}

func BenchmarkColour(b *testing.B) {
	m := smoothtest.Rectangle(b, 5_000_000, 1)
	rings := smoothtest.Rings(b, m)
	class := make([]int8, len(m.X))
	for _, kind := range []Kind{FirstFit, JonesPlassmann} {
		b.Run(string(kind), func(b *testing.B) {
			for b.Loop() {
				if _, err := Colour(kind, rings, class, 2); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(m.X)), "vertices")
		})
	}
}
