package bench

import (
	"fmt"
	"io"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// thesisRow has the measurements of G. Rokos, "Study of anisotropic mesh adaptivity and its parallel execution"
// (Imperial College London, 2010) on a mesh of side² edges: seconds for 10,000 sweeps of Pain's step, 0 where there
// is none. The machine has two Xeon X5355 of 4 cores and a Tesla C2050; reading, building and colouring are excluded.
type thesisRow struct {
	side, vertices int
	basic          float64    // Table 5.2: first CUDA version, sinusoidal metric
	withLists      [3]float64 // Table 5.4: one thread, OpenMP on 8, CUDA
	withoutLists   [3]float64 // Table 5.5: the same without lists of elements
	tuned          [3]float64 // Table 5.7: CUDA with texture memory, then a larger L1, then boundary sets of their own
}

// thesisRows has a row for each of the thesis's meshes.
var thesisRows = []thesisRow{
	{side: 10, vertices: 91, basic: 2.33},
	{side: 100, vertices: 6417, basic: 3.56},
	{side: 200, vertices: 25472, basic: 4.88},
	{side: 300, vertices: 56878, basic: 8.46},
	{500, 157673, 19.39, [3]float64{2512.33, 544.11, 51.95}, [3]float64{2242.52, 510.19, 51.06},
		[3]float64{20.70, 18.55, 19.26}},
	{800, 402849, 48.22, [3]float64{7770.02, 1931.72, 131.40}, [3]float64{7099.94, 1812.79, 128.92},
		[3]float64{53.15, 47.52, 48.23}},
	{1000, 627973, 75.00, [3]float64{11797.94, 2902.62, 203.22}, [3]float64{10797.34, 2793.12, 199.63},
		[3]float64{81.28, 72.72, 73.64}},
	{2000, 2512380, 297.72, [3]float64{55627.80, 12997.13, 819.58}, [3]float64{54588.46, 12864.17, 805.59},
		[3]float64{322.87, 289.71, 290.65}},
	{side: 3000, vertices: 5654659, basic: 665.85},
}

// thesisSize returns the row of a mesh; for other sizes, one with the number of vertices that such a mesh would have.
func thesisSize(side int) thesisRow {
	for _, r := range thesisRows {
		if r.side == side {
			return r
		}
	}
	return thesisRow{side: side, vertices: int(math.Round(0.628 * float64(side) * float64(side)))}
}

// thesisBlocks are the thesis's seconds for 10,000 sweeps of the mesh of 2000² edges, by threads of a block.
var thesisBlocks = []struct {
	threads        int
	basic, texture float64 // Table 5.3: first CUDA version; Table 5.6: with texture memory
}{
	{16, 981.9, 323.05}, {32, 820.16, 360.57}, {48, 889.58, 367.14}, {64, 1039.23, 385.02}, {80, 931.07, 380.73},
	{96, 988.02, 385.23}, {112, 954.45, 378.59}, {128, 1037.19, 387.55},
}

// blockTables prints Tables 5.3 and 5.6 with our seconds for the same mesh.
func blockTables(w io.Writer, ours float64) {
	fmt.Fprintf(w, "\nTables 5.3 and 5.6: CUDA on the mesh of 2000² by threads of a block, ours %.3f; seconds for "+
		"10,000 sweeps; speedup = theirs / ours\n", ours)
	fmt.Fprintf(w, "%7s %10s %8s %12s %8s\n", "threads", "first", "speedup", "texture", "speedup")
	for _, b := range thesisBlocks {
		fmt.Fprintf(w, "%7d %10.2f %8.1f %12.2f %8.1f\n", b.threads, b.basic, b.basic/ours, b.texture, b.texture/ours)
	}
}

// thesisMesh is a Delaunay mesh of the unit square with about the given number of vertices. The thesis used a mesh
// generator; this mesh has perturbed grid points, with 4 to 9 neighbours inside, 6 on average.
func thesisMesh(vertices int) (*mesh.Mesh, error) {
	n := int(math.Round(math.Sqrt(float64(vertices)))) - 1
	m, err := mesh.Rectangle(0, 0, 1, 1, 2*n*n, 7)
	if err != nil {
		return nil, err
	}
	m.Groups, m.Tagged = nil, nil
	_, err = m.FlipToDelaunay()
	return m, err
}

// thesisMetric is one of the thesis's metrics: sizes from 1 to 10 in each direction, then scaled to the mesh.
func thesisMetric(name string, grid int) (*sizing.Metric, error) {
	unit := sizing.Bounds{X0: 0, Y0: 0, X1: 1, Y1: 1}
	var metric *sizing.Metric
	var err error
	switch name {
	case "linear":
		metric, err = sizing.Linear(unit, 10, 1)
	case "sinusoidal":
		metric, err = sizing.Sinusoidal(unit, 1, 10, 1)
	default:
		return nil, fmt.Errorf("metric %q is not known; choose linear or sinusoidal", name)
	}
	if err != nil {
		return nil, err
	}
	return metric.Discretised(grid)
}
