package mesh

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// jitter is how far an interior vertex of Rectangle may move, as a fraction of the spacing. From 0.25 on, triangles can
// be flat or inverted; below, a triangle keeps at least 1 - 4·jitter of its area, here 0.37. The smallest cells limit
// the time step: with this value the tests of the paper that package verify reproduces take as many steps as in the
// paper.
const jitter = 0.157

// maxGenerated bounds the cells of a generated mesh.
const maxGenerated = 500_000_000

// RectangleCounts returns the numbers of boxes nx × ny that Rectangle splits: nx/ny is close to the ratio of the sides,
// and 2·nx·ny is close to cells. On a square nx = ny.
func RectangleCounts(x0, y0, x1, y1 float64, cells int) (nx, ny int, err error) {
	width, height := x1-x0, y1-y0
	if !(width > 0 && height > 0) || math.IsInf(width, 0) || math.IsInf(height, 0) {
		return 0, 0, fmt.Errorf("rectangle [%g, %g] × [%g, %g]: bounds must be finite, and the second corner "+
			"must be to the right of and above the first", x0, x1, y0, y1)
	}
	if cells < 2 || cells > maxGenerated {
		return 0, 0, fmt.Errorf("rectangle of %d cells: give 2 to %d", cells, maxGenerated)
	}
	ratio := max(width, height) / min(width, height)
	if ratio > float64(cells) {
		return 0, 0, fmt.Errorf("rectangle [%g, %g] × [%g, %g]: %d cells are too few for sides of ratio %.3g",
			x0, x1, y0, y1, cells, ratio)
	}
	long, short := 1, 1
	consider := func(l, s float64) {
		nl, ns := max(1, int(l)), max(1, int(s))
		if distance(2*nl*ns, cells) < distance(2*long*short, cells) {
			long, short = nl, ns
		}
	}
	ideal := math.Sqrt(float64(cells) / 2 * ratio)
	for _, l := range []float64{math.Floor(ideal), math.Ceil(ideal)} {
		consider(l, math.Round(l/ratio))
	}
	for _, s := range []float64{math.Floor(ideal / ratio), math.Ceil(ideal / ratio)} {
		consider(math.Round(s*ratio), s)
	}
	if width < height {
		return short, long, nil
	}
	return long, short, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

// Rectangle returns an irregular triangle mesh of [x0, x1] × [y0, y1] with about the given number of cells (see
// RectangleCounts). It splits boxes into two triangles along a random diagonal, and moves interior vertices at random
// along both axes by up to jitter times the spacing; seed determines both. The sides are the groups "left", "right",
// "bottom" and "top".
func Rectangle(x0, y0, x1, y1 float64, cells int, seed uint64) (*Mesh, error) {
	nx, ny, err := RectangleCounts(x0, y0, x1, y1, cells)
	if err != nil {
		return nil, err
	}
	m := &Mesh{
		X:      make([]float64, (nx+1)*(ny+1)),
		Y:      make([]float64, (nx+1)*(ny+1)),
		Cells:  make([][3]int32, 2*nx*ny),
		Groups: []Group{{1, 1, "left"}, {1, 2, "right"}, {1, 3, "bottom"}, {1, 4, "top"}},
	}
	xs, ys := subdivide(x0, x1, nx), subdivide(y0, y1, ny)
	dx, dy := (x1-x0)/float64(nx), (y1-y0)/float64(ny)
	vertex := func(i, j int) int32 { return int32(j*(nx+1) + i) }
	rows := parallel.Parts(ny+1, max(1, itemsPerWorker/(nx+1)))
	parallel.Ranges(ny+1, rows, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			for i := 0; i <= nx; i++ {
				id := vertex(i, j)
				x, y := xs[i], ys[j]
				if i > 0 && i < nx && j > 0 && j < ny {
					x += dx * jitter * toSigned(draw(seed, 2*uint64(id)))
					y += dy * jitter * toSigned(draw(seed, 2*uint64(id)+1))
				}
				m.X[id], m.Y[id] = x, y
			}
		}
	})
	parallel.Ranges(ny, rows, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			for i := range nx {
				a, b, c, d := vertex(i, j), vertex(i+1, j), vertex(i+1, j+1), vertex(i, j+1)
				box := j*nx + i
				if draw(^seed, uint64(box))&1 == 0 {
					m.Cells[2*box], m.Cells[2*box+1] = [3]int32{a, b, c}, [3]int32{a, c, d}
				} else {
					m.Cells[2*box], m.Cells[2*box+1] = [3]int32{a, b, d}, [3]int32{b, c, d}
				}
			}
		}
	})
	for j := range ny {
		m.Tagged = append(m.Tagged, TaggedEdge{vertex(0, j+1), vertex(0, j), 0},
			TaggedEdge{vertex(nx, j), vertex(nx, j+1), 1})
	}
	for i := range nx {
		m.Tagged = append(m.Tagged, TaggedEdge{vertex(i, 0), vertex(i+1, 0), 2},
			TaggedEdge{vertex(i+1, ny), vertex(i, ny), 3})
	}
	return m, nil
}

// subdivide returns n+1 evenly spaced values, of which the ends are exact.
func subdivide(from, to float64, n int) []float64 {
	values := make([]float64, n+1)
	for i := range values {
		values[i] = from + (to-from)*(float64(i)/float64(n))
	}
	values[n] = to
	return values
}

// draw returns the i-th number of the stream of a seed, by the finalizer of SplitMix64 (Steele, Lea and Flood 2014)
// on a counter, so that it depends on nothing but seed and i.
func draw(seed, i uint64) uint64 { return mix(mix(seed) + (i+1)*0x9e3779b97f4a7c15) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// toSigned maps 64 random bits to [-1, 1).
func toSigned(bits uint64) float64 { return float64(bits>>11)*0x1p-52 - 1 }
