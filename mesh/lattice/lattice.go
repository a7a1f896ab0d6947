// Package lattice has irregular triangulations of rectangles, vertex by vertex and cell by cell, and numbers that are
// random but depend only on a seed and an index.
package lattice

import (
	"fmt"
	"math"
)

// Jitter is how far an interior vertex may move, as a fraction of the spacing. From 0.25 on, triangles can
// be flat or inverted; below, a triangle keeps at least 1 - 4·Jitter of its area, here 0.37. The smallest cells limit
// the time step: with this value the tests of the paper that package verify reproduces take as many steps as in the
// paper.
const Jitter = 0.157

// maxGenerated bounds the cells of a generated mesh.
const maxGenerated = 500_000_000

// Boxes returns the numbers of boxes nx × ny of a rectangle: nx/ny is close to the ratio of the sides,
// and 2·nx·ny is close to cells. On a square nx = ny.
func Boxes(x0, y0, x1, y1 float64, cells int) (nx, ny int, err error) {
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

// Lattice has vertices, cells and tagged edges one by one.
type Lattice struct {
	X0, Y0, X1, Y1 float64
	NX, NY         int // boxes
	Seed           uint64
}

// New returns the lattice of a rectangle with about the given number of cells; see Boxes.
func New(x0, y0, x1, y1 float64, cells int, seed uint64) (*Lattice, error) {
	nx, ny, err := Boxes(x0, y0, x1, y1, cells)
	return &Lattice{x0, y0, x1, y1, nx, ny, seed}, err
}

// Counts returns the numbers of vertices, cells and tagged edges.
func (l *Lattice) Counts() (vertices, cells, sides int64) {
	nx, ny := int64(l.NX), int64(l.NY)
	return (nx + 1) * (ny + 1), 2 * nx * ny, 2 * (nx + ny)
}

// Vertex returns the position of a vertex.
func (l *Lattice) Vertex(v int64) (x, y float64) {
	i, j := int(v%int64(l.NX+1)), int(v/int64(l.NX+1))
	x, y = Divide(l.X0, l.X1, i, l.NX), Divide(l.Y0, l.Y1, j, l.NY)
	if i > 0 && i < l.NX && j > 0 && j < l.NY {
		x += (l.X1 - l.X0) / float64(l.NX) * Jitter * Signed(Random(l.Seed, 2*uint64(v)))
		y += (l.Y1 - l.Y0) / float64(l.NY) * Jitter * Signed(Random(l.Seed, 2*uint64(v)+1))
	}
	return x, y
}

// at returns a vertex by its place in a row and its row.
func (l *Lattice) at(i, j int) int32 { return int32(j*(l.NX+1) + i) }

// Cell returns the vertices of a cell.
func (l *Lattice) Cell(c int64) [3]int32 {
	box := int(c / 2)
	i, j := box%l.NX, box/l.NX
	v := [4]int32{l.at(i, j), l.at(i+1, j), l.at(i+1, j+1), l.at(i, j+1)}
	switch rising := Random(^l.Seed, uint64(box))&1 == 0; {
	case rising && c%2 == 0:
		return [3]int32{v[0], v[1], v[2]}
	case rising:
		return [3]int32{v[0], v[2], v[3]}
	case c%2 == 0:
		return [3]int32{v[0], v[1], v[3]}
	}
	return [3]int32{v[1], v[2], v[3]}
}

// Side returns the vertices of a tagged edge, and its group: 0 left, 1 right, 2 bottom, 3 top.
func (l *Lattice) Side(k int64) (a, b, group int32) {
	i, second := int(k/2), k%2 > 0
	switch {
	case i < l.NY && !second:
		return l.at(0, i+1), l.at(0, i), 0
	case i < l.NY:
		return l.at(l.NX, i), l.at(l.NX, i+1), 1
	case !second:
		return l.at(i-l.NY, 0), l.at(i-l.NY+1, 0), 2
	}
	return l.at(i-l.NY+1, l.NY), l.at(i-l.NY, l.NY), 3
}

// Divide returns value i of n+1 evenly spaced values, of which the ends are exact.
func Divide(from, to float64, i, n int) float64 {
	if i == n {
		return to
	}
	return from + (to-from)*(float64(i)/float64(n))
}

// Random returns the i-th number of the stream of a seed, by the finalizer of SplitMix64 (Steele, Lea and Flood 2014)
// on a counter, so that it depends on nothing but seed and i.
func Random(seed, i uint64) uint64 { return Mix(Mix(seed) + (i+1)*0x9e3779b97f4a7c15) }

// Mix is the finalizer.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Signed maps 64 random bits to [-1, 1).
func Signed(bits uint64) float64 { return float64(bits>>11)*0x1p-52 - 1 }
