package mesh

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/internal/words"
)

// nearShare is the distance of two boundary vertices, as a share of the shortest boundary edge at either of them, below
// which they are probably one: between them would be a wall of zero width.
const nearShare = 1e-3

// nearVertices finds pairs of boundary vertices that are much nearer to each other than to their neighbours, but not at
// the same position, and share no cell. nb is the result of Neighbours.
func (m *Mesh) nearVertices(nb [][3]int32) (pairs [][2]int32) {
	edges, _ := m.boundary(nb)
	shortest := map[int32]float64{}
	for _, e := range edges {
		length := math.Hypot(m.X[e[1]]-m.X[e[0]], m.Y[e[1]]-m.Y[e[0]])
		for _, v := range e {
			if known, ok := shortest[v]; !ok || length < known {
				shortest[v] = length
			}
		}
	}
	// Vertices are sorted along a direction that boundaries rarely are normal to.
	const along, across = .6180339887, .7861513777
	at := func(v int32) float64 { return along*m.X[v] + across*m.Y[v] }
	order := slices.SortedFunc(maps.Keys(shortest), func(v, u int32) int {
		return cmp.Or(cmp.Compare(at(v), at(u)), int(v-u))
	})
	candidates := map[[2]int32]bool{}
	for i, v := range order {
		for _, u := range order[i+1:] {
			if at(u)-at(v) > nearShare*shortest[v]*1.01 {
				break
			}
			d := math.Hypot(m.X[u]-m.X[v], m.Y[u]-m.Y[v])
			if d > 0 && d <= nearShare*min(shortest[u], shortest[v]) {
				candidates[[2]int32{min(u, v), max(u, v)}] = true
			}
		}
	}
	if len(candidates) == 0 {
		return nil
	}
	for _, c := range m.Cells {
		for k, v := range c {
			u := c[(k+1)%3]
			delete(candidates, [2]int32{min(u, v), max(u, v)})
		}
	}
	return slices.SortedFunc(maps.Keys(candidates), func(p, q [2]int32) int {
		return cmp.Or(int(p[0]-q[0]), int(p[1]-q[1]))
	})
}

// NoteDefects returns notes about what a valid mesh has that is probably a mistake: vertices that are so near to others
// that between them is a wall, and a cell that is so flat that it shortens the step of a solver. nb is the result of
// Neighbours.
func (m *Mesh) NoteDefects(nb [][3]int32) (notes []string) {
	if pairs := m.nearVertices(nb); len(pairs) > 0 {
		least, most := math.Inf(1), 0.0
		for _, p := range pairs {
			d := math.Hypot(m.X[p[1]]-m.X[p[0]], m.Y[p[1]]-m.Y[p[0]])
			least, most = min(least, d), max(most, d)
		}
		distance := fmt.Sprintf("%.3g", most)
		if low := fmt.Sprintf("%.3g", least); low != distance {
			distance = low + " to " + distance
		}
		notes = append(notes, fmt.Sprintf("the mesh has %s of vertices %s apart, such as %d and %d at (%.10g, %.10g): cells "+
			"on both sides are not connected there, as if by a wall; atoll mesh convert --merge-duplicates merges them",
			words.Count(len(pairs), "pair"), distance, pairs[0][0], pairs[0][1], m.X[pairs[0][0]], m.Y[pairs[0][0]]))
	}
	if note := m.flattest(); note != "" {
		notes = append(notes, note)
	}
	return notes
}

const (
	flatShare   = 1e-4   // height of a cell as a share of the median height, below which it is noted
	heightCount = 10_000 // number of cells from which the median is estimated
)

// flattest returns a note about the cell of the least height if that is far below the median, otherwise "".
func (m *Mesh) flattest() string {
	heights := make([]float64, 0, heightCount+1)
	for every, c := max(1, len(m.Cells)/heightCount), 0; c < len(m.Cells); c += every {
		heights = append(heights, m.height(c))
	}
	flattest, height := 0, math.Inf(1)
	found := make([]int, parallel.Parts(len(m.Cells), itemsPerWorker))
	parallel.Ranges(len(m.Cells), len(found), func(part, lo, hi int) {
		least := math.Inf(1)
		for c := lo; c < hi; c++ {
			if h := m.height(c); h < least {
				found[part], least = c, h
			}
		}
	})
	for _, c := range found {
		if h := m.height(c); h < height {
			flattest, height = c, h
		}
	}
	slices.Sort(heights)
	median := heights[len(heights)/2]
	if !(height < flatShare*median) {
		return ""
	}
	x, y := m.Centroid(flattest)
	return fmt.Sprintf("cell %d at (%.10g, %.10g) is nearly flat: its height is %.3g, the median %.3g; steps are about "+
		"%.2g times shorter for it alone; mesh the domain again there", flattest, x, y, height, median,
		median/height)
}

// height is the shortest height of a cell.
func (m *Mesh) height(c int) float64 {
	return 2 * math.Abs(m.Area(c)) / max(m.EdgeLength(c, 0), m.EdgeLength(c, 1), m.EdgeLength(c, 2))
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
