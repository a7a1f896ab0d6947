package mesh

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// NearShare is the distance of two boundary vertices, as a share of the shortest boundary edge at either of them, below
// which they are probably one: between them would be a wall of zero width.
const NearShare = 1e-3

// nearVertices finds pairs of boundary vertices that are much nearer to each other than to their neighbours, but not at
// the same position, and share no cell. nb is the result of Neighbours.
func (m *Mesh) nearVertices(nb [][3]int32) (pairs [][2]int32) {
	near := newNearness(len(m.X), func(v int32) [3]float64 { return [3]float64{m.X[v], m.Y[v]} })
	edges, _ := m.boundary(nb)
	for _, e := range edges {
		near.addEdge(e[0], e[1])
	}
	candidates := near.pairs()
	if len(candidates) > 0 {
		for _, c := range m.Cells {
			dropSharing(candidates, c[:])
		}
	}
	return sortedPairs(candidates)
}

// nearVertices finds pairs as in the plane; skin is the result of Skin.
func (s *Solid) nearVertices(skin []SkinFace) (pairs [][2]int32) {
	near := newNearness(len(s.X), s.At)
	for _, f := range skin {
		for k, v := range f.V {
			near.addEdge(v, f.V[(k+1)%3])
		}
	}
	candidates := near.pairs()
	if len(candidates) > 0 {
		for _, c := range s.Cells {
			dropSharing(candidates, c[:])
		}
	}
	return sortedPairs(candidates)
}

// nearness finds vertices that are near to each other.
type nearness struct {
	at       func(v int32) [3]float64
	shortest []float64 // edge added at each vertex; infinite where there is none
}

func newNearness(vertices int, at func(v int32) [3]float64) *nearness {
	return &nearness{at, slices.Repeat([]float64{math.Inf(1)}, vertices)}
}

func (n *nearness) addEdge(a, b int32) {
	length := apart(n.at(a), n.at(b))
	n.shortest[a], n.shortest[b] = min(n.shortest[a], length), min(n.shortest[b], length)
}

func apart(a, b [3]float64) float64 { return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]) }

// pairs returns the pairs of vertices with edges that are near to each other, the lower id first.
func (n *nearness) pairs() map[[2]int32]bool {
	// Vertices are sorted along a direction that boundaries rarely are normal to.
	const along, across, up = .5257311121, .6687403050, .5257311121
	type place struct {
		v       int32
		onAxis  float64
		nearest float64 // distance of a near vertex, at most
	}
	var order []place
	for v, length := range n.shortest {
		if !math.IsInf(length, 1) {
			p := n.at(int32(v))
			order = append(order, place{int32(v), along*p[0] + across*p[1] + up*p[2], NearShare * length})
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.onAxis, b.onAxis), int(a.v-b.v))
	})
	pairs := map[[2]int32]bool{}
	for i, a := range order {
		for _, b := range order[i+1:] {
			if b.onAxis-a.onAxis > a.nearest*1.01 {
				break
			}
			if d := apart(n.at(a.v), n.at(b.v)); d > 0 && d <= min(a.nearest, b.nearest) {
				pairs[[2]int32{min(a.v, b.v), max(a.v, b.v)}] = true
			}
		}
	}
	return pairs
}

// dropSharing removes the pairs of vertices that a cell has.
func dropSharing(pairs map[[2]int32]bool, cell []int32) {
	for k, v := range cell {
		for _, u := range cell[:k] {
			delete(pairs, [2]int32{min(u, v), max(u, v)})
		}
	}
}

func sortedPairs(pairs map[[2]int32]bool) [][2]int32 {
	return slices.SortedFunc(maps.Keys(pairs), func(p, q [2]int32) int {
		return cmp.Or(int(p[0]-q[0]), int(p[1]-q[1]))
	})
}

// joinPairs adds pairs to the merges of a target for each vertex: the vertex itself, or one with a lower id.
func joinPairs(target []int32, pairs [][2]int32) {
	root := func(v int32) int32 {
		for target[v] != v {
			v = target[v]
		}
		return v
	}
	for _, pair := range pairs {
		a, b := root(pair[0]), root(pair[1])
		target[max(a, b)] = min(a, b)
	}
	for v := range target {
		target[v] = root(int32(v))
	}
}

// NoteDefects returns notes about what a valid mesh has that is probably a mistake: vertices that are so near to others
// that between them is a wall, and a cell that is so flat that it shortens the step of a solver. nb is the result of
// Neighbours.
func (m *Mesh) NoteDefects(nb [][3]int32) (notes []string) {
	notes = m.NoteNear(nb)
	if note := m.flattest(); note != "" {
		notes = append(notes, note)
	}
	return notes
}

// NoteNear returns a note about vertices that are so near to others that between them is a wall, or none. nb is the
// result of Neighbours.
func (m *Mesh) NoteNear(nb [][3]int32) []string {
	return noteNear(m.nearVertices(nb), func(v int32) []float64 { return []float64{m.X[v], m.Y[v]} })
}

// NoteNear is that of a mesh in the plane; skin is the result of Skin.
func (s *Solid) NoteNear(skin []SkinFace) []string {
	return noteNear(s.nearVertices(skin), func(v int32) []float64 { return []float64{s.X[v], s.Y[v], s.Z[v]} })
}

func noteNear(pairs [][2]int32, at func(v int32) []float64) []string {
	if len(pairs) == 0 {
		return nil
	}
	least, most := math.Inf(1), 0.0
	for _, p := range pairs {
		square := 0.0
		for d, x := range at(p[0]) {
			square += (at(p[1])[d] - x) * (at(p[1])[d] - x)
		}
		least, most = min(least, math.Sqrt(square)), max(most, math.Sqrt(square))
	}
	distance := fmt.Sprintf("%.3g", most)
	if low := fmt.Sprintf("%.3g", least); low != distance {
		distance = low + " to " + distance
	}
	return []string{fmt.Sprintf("the mesh has %s of vertices %s apart, such as %d and %d at (%s): cells on both sides "+
		"are not connected there, as if by a wall; atoll mesh convert --merge-duplicates merges them",
		words.Count(len(pairs), "pair"), distance, pairs[0][0], pairs[0][1],
		positionText(at(pairs[0][0])))}
}

const (
	flatShare   = 1e-4   // height of a cell as a share of the median height, below which it is noted
	heightCount = 10_000 // number of cells from which the median is estimated, less than twice that
)

// NoteDefects is that of a mesh in the plane; skin is the result of Skin.
func (s *Solid) NoteDefects(skin []SkinFace) (notes []string) {
	notes = s.NoteNear(skin)
	note := noteFlattest(len(s.Cells), s.height, func(c int) []float64 {
		centre := s.Centroid(c)
		return centre[:]
	}, func(float64) string { return "mesh the domain again there" })
	if note != "" {
		notes = append(notes, note)
	}
	return notes
}

// flattest returns a note about the cell of the least height if that is far below the median, otherwise "".
func (m *Mesh) flattest() string {
	return noteFlattest(len(m.Cells), m.Height, func(c int) []float64 {
		x, y := m.Centroid(c)
		return []float64{x, y}
	}, shortSteps)
}

// shortSteps is what a cell does of a height that is so many times less than the median.
func shortSteps(times float64) string {
	return fmt.Sprintf("steps are about %.2g times shorter for it alone; mesh the domain again there", times)
}

// NoteFlat returns the note of NoteDefects about the cell of the least height, the first of several, which has a centre
// and a height; "" if that is not far below the median. heights are those of the cells 0, Sampled(cells),
// 2·Sampled(cells) … in any order.
func NoteFlat(cell int, centre [2]float64, height float64, heights []float64) string {
	return noteFlat(cell, height, heights, func(int) []float64 { return centre[:] }, shortSteps)
}

// Sampled is the distance of cells from whose heights the median is estimated.
func Sampled(cells int) int { return max(1, cells/heightCount) }

// noteFlattest is flattest for cells with heights and centres. advice is for a height that is so many times less than
// the median.
func noteFlattest(cells int, heightOf func(c int) float64, centre func(c int) []float64,
	advice func(times float64) string) string {
	heights := make([]float64, 0, heightCount+1)
	for every, c := Sampled(cells), 0; c < cells; c += every {
		heights = append(heights, heightOf(c))
	}
	flattest, height := 0, math.Inf(1)
	found := make([]int, parallel.Parts(cells, itemsPerWorker))
	parallel.Ranges(cells, len(found), func(part, lo, hi int) {
		least := math.Inf(1)
		for c := lo; c < hi; c++ {
			if h := heightOf(c); h < least {
				found[part], least = c, h
			}
		}
	})
	for _, c := range found {
		if h := heightOf(c); h < height {
			flattest, height = c, h
		}
	}
	return noteFlat(flattest, height, heights, centre, advice)
}

func noteFlat(flattest int, height float64, heights []float64, centre func(c int) []float64,
	advice func(times float64) string) string {
	slices.Sort(heights)
	median := heights[len(heights)/2]
	if !(height < flatShare*median) {
		return ""
	}
	return fmt.Sprintf("cell %d at (%s) is nearly flat: its height is %.3g, the median %.3g; %s", flattest,
		positionText(centre(flattest)), height, median, advice(median/height))
}

// positionText formats coordinates.
func positionText(at []float64) string {
	var text []string
	for _, x := range at {
		text = append(text, fmt.Sprintf("%.10g", x))
	}
	return strings.Join(text, ", ")
}

// Height returns the shortest height of a cell.
func (m *Mesh) Height(c int) float64 {
	return 2 * math.Abs(m.Area(c)) / max(m.EdgeLength(c, 0), m.EdgeLength(c, 1), m.EdgeLength(c, 2))
}

// height is the shortest height of a tetrahedron.
func (s *Solid) height(c int) float64 {
	v, largest := s.Cells[c], 0.0 // area of a face
	for k := range v {
		a, b, d := s.At(v[(k+1)%4]), s.At(v[(k+2)%4]), s.At(v[(k+3)%4])
		normal := vector.Cross(vector.Minus(b, a), vector.Minus(d, a))
		largest = max(largest, math.Sqrt(vector.Dot(normal, normal))/2)
	}
	return 3 * math.Abs(s.Volume(c)) / largest
}

// InnerGroups reports for each group whether it has tagged edges inside the mesh, where no boundary condition applies.
// nb is the result of Neighbours.
func (m *Mesh) InnerGroups(nb [][3]int32) ([]bool, error) {
	half, err := m.taggedHalfEdges()
	if err != nil {
		return nil, err
	}
	inner := make([]bool, len(m.Groups))
	for i, h := range half {
		if h >= 0 && nb[h/3][h%3] >= 0 {
			inner[m.Tagged[i].Group] = true
		}
	}
	return inner, nil
}
