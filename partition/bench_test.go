package partition

import (
	"sync"
	"testing"
)

// bigMesh is the dual graph of 2,080,800 triangles, in the order in which refined numbers them.
var bigMesh = sync.OnceValue(func() (mesh struct {
	g    Graph
	x, y []float64
}) {
	m := lattice(255, 255, 1)
	for range 2 {
		m = m.refined()
	}
	mesh.g, mesh.x, mesh.y = m.dual(&testing.B{})
	return mesh
})

func BenchmarkOrder(b *testing.B) {
	mesh := bigMesh()
	for _, ordering := range Orderings {
		b.Run(string(ordering), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Order(ordering, mesh.g, [][]float64{mesh.x, mesh.y}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOrderScattered starts from a random numbering, where every access to a neighbour is a cache miss.
func BenchmarkOrderScattered(b *testing.B) {
	mesh := bigMesh()
	g := relabelled(b, mesh.g, shuffled(mesh.g.N(), 1))
	for _, ordering := range []Ordering{RCM, GPS} {
		b.Run(string(ordering), func(b *testing.B) {
			for b.Loop() {
				if _, err := Order(ordering, g, [][]float64{nil, nil}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPartition(b *testing.B) {
	mesh := bigMesh()
	for _, method := range Methods {
		b.Run(string(method), func(b *testing.B) {
			if _, err := Partition(method, mesh.g, [][]float64{mesh.x, mesh.y}, 64, 1); method == METIS && err != nil {
				b.Skip(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Partition(method, mesh.g, [][]float64{mesh.x, mesh.y}, 64, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkArrangeAll(b *testing.B) {
	mesh := bigMesh()
	partOf, err := Partition(HilbertCut, mesh.g, [][]float64{mesh.x, mesh.y}, 64, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		split, err := Split(partOf, 64)
		if err != nil {
			b.Fatal(err)
		}
		for _, cells := range split {
			if _, _, err := Arrange(mesh.g, partOf, cells, RCM, mesh.x, mesh.y, 1); err != nil {
				b.Fatal(err)
			}
			if _, err := Ghosts(mesh.g, partOf, cells, 1); err != nil {
				b.Fatal(err)
			}
		}
	}
}
