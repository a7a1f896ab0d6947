package bench

import "math"

// thesisRow is what G. Rokos, "Study of anisotropic mesh adaptivity and its parallel execution" (Imperial College
// London, 2010) measured on a mesh of side² edges: seconds for 10,000 sweeps of Pain's step, 0 where there is none. The
// machine is two Xeon X5355 of 4 cores and a Tesla C2050; reading, building and colouring are not counted.
type thesisRow struct {
	side, vertices int
	basic          float64    // Table 5.2: first CUDA version, sinusoidal metric
	lists          [3]float64 // Table 5.4: one thread, OpenMP on 8, CUDA
	lean           [3]float64 // Table 5.5: the same without lists of elements
	memory         [3]float64 // Table 5.7: CUDA with texture memory, then a larger L1, then boundary sets of their own
}

// thesis has a row for each of its meshes.
var thesis = []thesisRow{
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

// thesisSize is the row of a mesh; of sizes that the thesis has not, one of the vertices that its meshes would have.
func thesisSize(side int) thesisRow {
	for _, r := range thesis {
		if r.side == side {
			return r
		}
	}
	return thesisRow{side: side, vertices: int(math.Round(0.628 * float64(side) * float64(side)))}
}
