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
		nodes.Values = make([]float64, nodes.N[0]*nodes.N[1]*nodes.N[2])
		for i := range nodes.Values {
			nodes.Values[i] = random.NormFloat64()
		}
		cut := func(lo, hi int) *builder {
			w := &builder{Nodes: nodes, known: map[int64]int32{}}
			w.cutLayers(lo, hi)
			return w
		}
		end := nodes.N[nodes.Dim-1] - 1
		whole, joined := cut(0, end), cut(0, 2)
		joined.join(cut(2, 3))
		joined.join(cut(3, 3))
		joined.join(cut(3, end))
		if len(whole.ID) == 0 || !reflect.DeepEqual(whole.Surface, joined.Surface) {
			t.Errorf("%d dimensions: %+v, joined %+v", nodes.Dim, whole.Surface, joined.Surface)
		}
	}
}
