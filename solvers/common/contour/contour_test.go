package contour

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestLayersJoin proves that contours in some layers of cells each, across the last axis, give the contour in all
// layers when they are joined, with the same points and simplices in the same order.
func TestLayersJoin(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, nodes := range []*Nodes{{Dim: 2, N: [3]int{7, 9, 1}}, {Dim: 3, N: [3]int{5, 4, 8}}} {
		nodes.Whole, nodes.Lo = [3]int{20, 20, 20}, [3]int{3, 1, 0}
		nodes.Coordinate = func(axis, node int) float64 { return float64(axis) + float64(node)/8 }
		size := nodes.N[0]
		if nodes.Dim == 3 {
			size *= nodes.N[1]
		}
		values := make([]float64, nodes.N[0]*nodes.N[1]*nodes.N[2])
		for i := range values {
			values[i] = random.NormFloat64()
		}
		nodes.Layers = LayersBy(size, func(layer int, at []float64) { copy(at, values[size*layer:]) })
		end := nodes.N[nodes.Dim-1] - 1
		whole := nodes.cut(0, end)
		joined := join([]*part{nodes.cut(0, 2), nodes.cut(2, 3), nodes.cut(3, end)})
		if len(whole.ID) == 0 || !reflect.DeepEqual(&whole.Surface, joined) {
			t.Errorf("%d dimensions: %+v, joined %+v", nodes.Dim, whole.Surface, joined)
		}
		if alone := nodes.Surface(); !reflect.DeepEqual(&whole.Surface, alone) {
			t.Errorf("%d dimensions: %+v, by all processors %+v", nodes.Dim, whole.Surface, alone)
		}
	}
}
