// Package closed divides triangles, such as those of a file, into closed surfaces, and mends small faults of them.
package closed

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/disjoint"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// facets are triangles with numbered vertices.
type facets struct {
	ids      [][3]int32
	number   []int // of the triangles in the file, from 1
	vertices []vector.Vector
	sides    []side // of all triangles, sorted by edge; see edges
}

// side is a directed edge of a triangle.
type side struct {
	edge     [2]int32 // vertices, in ascending order
	triangle int32
	forward  bool // it runs from the lower to the higher vertex
}

// Parts divides triangles into closed surfaces, after it has dropped triangles that enclose nothing, and has joined
// vertices if that closes a gap. Each part is connected through edges. The notes say what was mended. A surface that
// is not closed is an error, which names an open edge.
func Parts[P ~[3]float64](triangles [][3]P) (parts [][][3]P, notes []string, err error) {
	f, err := numbered(triangles)
	if err != nil {
		return nil, nil, err
	}
	f.dropPairs()
	err = f.checkClosed()
	for _, tolerance := range gapTolerances {
		if err == nil || len(f.ids) == 0 {
			break
		}
		joined, count, most := f.joined(tolerance * f.size())
		joined.dropPairs()
		if joined.checkClosed() == nil {
			f, err = joined, nil
			notes = append(notes, fmt.Sprintf("%d vertices were joined with others up to %.2g m away, to close its surface",
				count, most))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(triangles) == 0:
		return nil, nil, fmt.Errorf("the surface has no triangles")
	case len(f.ids) == 0:
		return nil, nil, fmt.Errorf("the surface encloses a volume of 0: its triangles are lines, or cancel in pairs")
	}
	return connected[P](f), notes, nil
}

// gapTolerances are the distances, relative to the size of the body, within which vertices at gaps of the surface are
// joined. Coordinates of float32 have errors of 6e-8.
var gapTolerances = [...]float64{3e-7, 1e-6, 1e-5}

// numbered numbers vertices by their position, and drops triangles with equal corners: their edges cancel.
func numbered[P ~[3]float64](triangles [][3]P) (*facets, error) {
	f, number := &facets{}, map[vector.Vector]int32{}
	for t, corner := range triangles {
		var id [3]int32
		for v, q := range corner {
			p := vector.Vector(q)
			for d := range p {
				if p[d]-p[d] != 0 {
					return nil, fmt.Errorf("triangle %d: coordinate %v", t+1, p[d])
				}
				p[d] += 0 // -0 is 0
			}
			n, ok := number[p]
			if !ok {
				n = int32(len(number))
				number[p] = n
				f.vertices = append(f.vertices, p)
			}
			id[v] = n
		}
		f.add(id, t+1)
	}
	return f, nil
}

func (f *facets) add(id [3]int32, number int) {
	if id[0] != id[1] && id[1] != id[2] && id[2] != id[0] {
		f.ids, f.number = append(f.ids, id), append(f.number, number)
	}
}

// size is the diagonal of the bounding box of the vertices, or if it is larger the largest coordinate, to which their
// round-off is relative.
func (f *facets) size() float64 {
	lo, hi, most := f.vertices[0], f.vertices[0], 0.0
	for _, p := range f.vertices {
		for d := range p {
			lo[d], hi[d], most = min(lo[d], p[d]), max(hi[d], p[d]), max(most, math.Abs(p[d]))
		}
	}
	return max(most, vector.Length(vector.Minus(hi, lo)))
}

// dropPairs drops pairs of triangles with the same vertices and opposite orientation, where bodies touch, and copies
// of a triangle.
func (f *facets) dropPairs() {
	net := make(map[[3]int32]int, len(f.ids)) // of triangles whose least vertex is followed by the second least, or not
	dropped := false
	for _, id := range f.ids {
		key, sign := keyOf(id)
		if net[key]*sign != 0 {
			dropped = true
		}
		if net[key] += sign; net[key]*sign > 1 {
			net[key] = sign
		}
	}
	if !dropped {
		return
	}
	kept := &facets{vertices: f.vertices}
	for t, id := range f.ids {
		if key, sign := keyOf(id); net[key]*sign > 0 {
			kept.add(id, f.number[t])
			net[key] = 0
		}
	}
	f.ids, f.number, f.sides = kept.ids, kept.number, nil
}

// keyOf returns the vertices of a triangle in ascending order, and whether this order has its orientation (1, or -1).
func keyOf(id [3]int32) (key [3]int32, sign int) {
	key = id
	slices.Sort(key[:])
	if i := slices.Index(id[:], key[0]); id[(i+1)%3] == key[1] {
		return key, 1
	}
	return key, -1
}

// edges are the sides along each edge, in the order of triangles.
func (f *facets) edges() iter.Seq[[]side] {
	if f.sides == nil {
		for t, id := range f.ids {
			for v := range 3 {
				a, b := id[v], id[(v+1)%3]
				f.sides = append(f.sides, side{[2]int32{min(a, b), max(a, b)}, int32(t), a < b})
			}
		}
		slices.SortFunc(f.sides, func(a, b side) int {
			return cmp.Or(cmp.Compare(a.edge[0], b.edge[0]), cmp.Compare(a.edge[1], b.edge[1]),
				cmp.Compare(a.triangle, b.triangle))
		})
	}
	return func(yield func([]side) bool) {
		for first, n := 0, 1; n <= len(f.sides); n++ {
			if n == len(f.sides) || f.sides[n].edge != f.sides[first].edge {
				if !yield(f.sides[first:n]) {
					return
				}
				first = n
			}
		}
	}
}

// balance is the number of sides that run forward, less the others.
func balance(sides []side) (n int) {
	for _, s := range sides {
		if s.forward {
			n++
		} else {
			n--
		}
	}
	return n
}

// checkClosed refuses a surface with an edge along which more triangles run in one direction than in the other.
func (f *facets) checkClosed() error {
	var open []side // of the open edge with the least triangle
	wrong := 0
	for sides := range f.edges() {
		if balance(sides) != 0 {
			if wrong++; open == nil || sides[0].triangle < open[0].triangle {
				open = sides
			}
		}
	}
	if wrong == 0 {
		return nil
	}
	err := f.describe(open)
	if wrong > 1 {
		err = fmt.Errorf("%w (and %d more edges)", err, wrong-1)
	}
	return err
}

// describe says what is wrong at an edge.
func (f *facets) describe(sides []side) error {
	forward := balance(sides) > 0
	tooMany := slices.DeleteFunc(slices.Clone(sides), func(s side) bool { return s.forward != forward })
	a, b := f.vertices[sides[0].edge[0]], f.vertices[sides[0].edge[1]]
	if !forward {
		a, b = b, a
	}
	if len(tooMany) == 1 {
		return fmt.Errorf("the edge from %v to %v of triangle %d belongs to no other triangle: the surface is not closed",
			a, b, f.number[tooMany[0].triangle])
	}
	return fmt.Errorf("triangles %d and %d both run along the edge from %v to %v: one has the wrong orientation, or "+
		"more than two meet there", f.number[tooMany[0].triangle], f.number[tooMany[1].triangle], a, b)
}

// joined returns the facets with vertices at gaps joined to one, at their mean, if they are at most a distance apart;
// with the number of vertices that have moved, and how far vertices that were joined lay apart.
func (f *facets) joined(distance float64) (out *facets, count int, most float64) {
	atGap := map[int32]bool{}
	for sides := range f.edges() {
		if balance(sides) != 0 {
			atGap[sides[0].edge[0]], atGap[sides[0].edge[1]] = true, true
		}
	}
	loose := make([]int32, 0, len(atGap))
	for v := range atGap {
		loose = append(loose, v)
	}
	slices.Sort(loose)
	set := disjoint.New(len(f.vertices))
	bins := map[[3]int64][]int32{}
	binOf := func(p vector.Vector) (bin [3]int64) {
		for d := range p {
			bin[d] = int64(math.Floor(p[d] / distance))
		}
		return bin
	}
	for _, v := range loose {
		p := f.vertices[v]
		bin := binOf(p)
		for k := range 27 {
			near := [3]int64{bin[0] + int64(k%3) - 1, bin[1] + int64(k/3%3) - 1, bin[2] + int64(k/9) - 1}
			for _, w := range bins[near] {
				if d := vector.Length(vector.Minus(p, f.vertices[w])); d <= distance {
					set.Join(v, w)
					most = max(most, d)
				}
			}
		}
		bins[bin] = append(bins[bin], v)
	}
	out = &facets{vertices: slices.Clone(f.vertices)}
	sizes := make([]float64, len(f.vertices))
	for v, p := range f.vertices {
		root := set.Root(int32(v))
		if sizes[root] == 0 {
			out.vertices[root] = p
		} else { // the mean so far
			count++
			mean := out.vertices[root]
			out.vertices[root] = vector.Plus(mean, 1/(sizes[root]+1), vector.Minus(p, mean))
		}
		sizes[root]++
	}
	for t, id := range f.ids {
		out.add([3]int32{set.Root(id[0]), set.Root(id[1]), set.Root(id[2])}, f.number[t])
	}
	return out, count, most
}

// connected divides the facets into parts that are connected through edges. Where more than two triangles meet at an
// edge, those are connected between which the body lies.
func connected[P ~[3]float64](f *facets) (parts [][][3]P) {
	set := disjoint.New(len(f.ids))
	for sides := range f.edges() {
		if len(sides) == 2 {
			set.Join(sides[0].triangle, sides[1].triangle)
			continue
		}
		for _, pair := range f.pairs(sides) {
			set.Join(pair[0], pair[1])
		}
	}
	number := map[int32]int{}
	for t, id := range f.ids {
		root := set.Root(int32(t))
		n, ok := number[root]
		if !ok {
			n = len(parts)
			number[root] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], [3]P{P(f.vertices[id[0]]), P(f.vertices[id[1]]), P(f.vertices[id[2]])})
	}
	return parts
}

// pairs pairs triangles at an edge so that no pair is between the triangles of another one. Seen along the edge, the
// body lies clockwise of a triangle that runs forward.
func (f *facets) pairs(sides []side) (out [][2]int32) {
	edge := sides[0].edge
	a := f.vertices[edge[0]]
	along := vector.Minus(f.vertices[edge[1]], a)
	along = vector.Times(1/vector.Length(along), along)
	var u, w vector.Vector // axes normal to the edge
	angles := make([]float64, len(sides))
	for n, s := range sides {
		id := f.ids[s.triangle]
		third := id[0] + id[1] + id[2] - edge[0] - edge[1]
		d := vector.Minus(f.vertices[third], a)
		if n == 0 {
			u = vector.Plus(d, -vector.Dot(d, along), along)
			w = vector.Cross(along, u)
		}
		angles[n] = math.Atan2(vector.Dot(w, d), vector.Dot(u, d))
	}
	used := make([]bool, len(sides))
	for range len(sides) / 2 {
		bestF, bestB, least := -1, -1, math.Inf(1)
		for i, s := range sides {
			for j, r := range sides {
				if used[i] || used[j] || !s.forward || r.forward {
					continue
				}
				turn := angles[i] - angles[j]
				if turn < 1e-6 {
					turn += 2 * math.Pi
				}
				if !(turn >= least) {
					bestF, bestB, least = i, j, turn
				}
			}
		}
		used[bestF], used[bestB] = true, true
		out = append(out, [2]int32{sides[bestF].triangle, sides[bestB].triangle})
	}
	return out
}
