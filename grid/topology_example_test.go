package grid_test

import (
	"fmt"
	"log"

	"github.com/atoll-hpc/atoll/grid"
)

// The operators at the lower left corner of a grid of 3×2 cells: neighbours outside the grid are -1.
func ExampleTopology() {
	g, err := grid.New(2, [3]int{3, 2, 1}, [3]float64{}, [3]float64{3, 1, 0}, [3]bool{})
	if err != nil {
		log.Fatal(err)
	}
	b, err := g.Whole(0)
	if err != nil {
		log.Fatal(err)
	}
	t, err := b.Topology()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cells, edges, vertices:", t.Cells(), t.Edges(), t.Vertices())
	fmt.Println("boundary of cell 0, edges:", t.CellEdges(0))
	fmt.Println("and vertices:", t.CellVertices(0))
	fmt.Println("its von Neumann neighbours:", t.CellVonNeumann(0))
	fmt.Println("its Moore neighbours:", t.CellMoore(0))
	fmt.Println("boundary of edge 0, vertices:", t.EdgeVertices(0))
	fmt.Println("coboundary of edge 0, cells:", t.EdgeCells(0))
	fmt.Println("coboundary of vertex 0, edges:", t.VertexEdges(0))
	fmt.Println("and cells:", t.VertexCells(0))
	fmt.Println(t.CellCentre(0))
	fmt.Println(t.EdgeCentre(0))
	fmt.Println(t.EdgeNormal(0))
	fmt.Println(t.VertexPosition(5))
	// Output:
	// cells, edges, vertices: 6 17 12
	// boundary of cell 0, edges: [0 10 3 9]
	// and vertices: [0 1 4 5]
	// its von Neumann neighbours: [-1 1 -1 3]
	// its Moore neighbours: [-1 1 -1 3 -1 -1 -1 4]
	// boundary of edge 0, vertices: [0 1]
	// coboundary of edge 0, cells: [-1 0]
	// coboundary of vertex 0, edges: [-1 0 -1 9]
	// and cells: [-1 -1 -1 0]
	// 0.5 0.25
	// 0.5 0
	// 0 -1
	// 1 0.5
}
