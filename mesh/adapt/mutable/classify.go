package mutable

import (
	"cmp"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/mesh/adapt/kernels"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// kinds numbers the kinds of facets or lines; number 0 is that of ordinary ones.
type kinds struct {
	list []Kind
	at   map[[3]int32]int32 // kind of a marked facet or line, by its vertices in ascending order
}

// gather joins what the input says of each facet or line.
func gather(list []Marked) kinds {
	k := kinds{list: []Kind{{}}, at: make(map[[3]int32]int32, len(list))}
	sorted := slices.Clone(list)
	for i := range sorted {
		v := &sorted[i].V
		if v[2] < 0 {
			v[0], v[1] = min(v[0], v[1]), max(v[0], v[1])
		} else {
			slices.Sort(v[:])
		}
	}
	slices.SortFunc(sorted, func(a, b Marked) int {
		return cmp.Or(slices.Compare(a.V[:], b.V[:]), cmp.Compare(a.Group, b.Group))
	})
	for from := 0; from < len(sorted); {
		to := from
		var kind Kind
		for ; to < len(sorted) && sorted[to].V == sorted[from].V; to++ {
			m := &sorted[to]
			kind.Ridge, kind.Required = kind.Ridge || m.ridge, kind.Required || m.Required
			if n := len(kind.Groups); m.Group != None && (n == 0 || kind.Groups[n-1] != m.Group) {
				kind.Groups = append(kind.Groups, m.Group)
			}
		}
		k.at[sorted[from].V] = k.number(kind)
		from = to
	}
	return k
}

// number returns the number of a kind, which it adds if it is new.
func (k *kinds) number(kind Kind) int32 {
	for i := 1; i < len(k.list); i++ {
		if o := &k.list[i]; o.Ridge == kind.Ridge && o.Required == kind.Required && slices.Equal(o.Groups, kind.Groups) {
			return int32(i)
		}
	}
	k.list = append(k.list, kind)
	return int32(len(k.list) - 1)
}

// sorted returns the kinds in an order that does not depend on the numbering of the mesh, and the new number of each.
func (k *kinds) sorted() (list []Kind, number []int32) {
	order := make([]int, len(k.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order[1:], func(a, b int) int { return k.list[a].compare(&k.list[b]) })
	number = make([]int32, len(order))
	for i, old := range order {
		list, number[old] = append(list, k.list[old]), int32(i)
	}
	return list, number
}

func (k *Kind) compare(o *Kind) int {
	flags := func(k *Kind) (n int) {
		if k.Required {
			n = 2
		}
		if k.Ridge {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(flags(k), flags(o)), slices.Compare(k.Groups, o.Groups))
}

// New classifies the vertices, lines and facets of a mesh. cosine is that of the angle from which the boundary
// has a ridge or a corner.
func New(in *Input, cosine float64) *Mesh {
	n := len(in.X)
	t := &Mesh{Common: Common{Dim: in.Dim, NextID: int64(n), Inputs: n}, Want: make([]measure.Tensor, n),
		Mesh: kernels.Mesh{X: in.X, M: make([]measure.Tensor, n), ID: in.ID, Freedom: make([]uint8, n),
			Lines: make([]kernels.Span, n)}}
	if t.ID == nil {
		t.ID = make([]int64, n)
		for v := range t.ID {
			t.ID[v] = int64(v)
		}
	}
	for v := range t.Freedom {
		t.Freedom[v] = uint8(in.Dim)
	}
	t.blocks.grow(&t.Mesh, n)
	facets := gather(in.Facets)
	on := make([]bool, n) // vertices of marked facets
	for _, m := range in.Facets {
		for _, v := range m.V[:in.Dim] {
			on[v] = true
		}
	}
	for c, v := range in.Cells {
		k := Cell{V: v, Ref: in.Ref[c]}
		for i := range in.Dim + 1 {
			k.Tag[i] = in.tagOf(c, i, on, &facets)
		}
		t.Arrange(&k)
		t.AddCell(k)
	}
	var number []int32
	t.Facets, number = facets.sorted()
	for k := range t.Cells {
		for i, tag := range t.Cells[k].Tag {
			t.Cells[k].Tag[i] = number[tag]
		}
	}
	t.Held = held(t.Facets)
	t.layLines(t.findLines(in, cosine), cosine)
	for _, v := range in.Corners {
		t.Freedom[v] = 0
	}
	t.makeCurves(t.lineVertices())
	return t
}

// findLines returns the lines, and sets their kinds.
func (t *Mesh) findLines(in *Input, cosine float64) []TaggedFacet {
	if in.Dim == 2 {
		t.LineKinds = t.Facets
		return t.TaggedFacets()
	}
	marks := gather(in.Lines)
	lines := t.ridges(&marks, cosine)
	var number []int32
	t.LineKinds, number = marks.sorted()
	for i := range lines {
		lines[i].tag = number[lines[i].tag]
	}
	return lines
}

// tagOf returns the kind of a facet of a cell.
func (in *Input) tagOf(c, opposite int, on []bool, facets *kinds) int32 {
	candidate := true
	for i, v := range in.Cells[c][:in.Dim+1] {
		candidate = candidate && (on[v] || i == opposite)
	}
	if candidate {
		if k, ok := facets.at[in.Facet(c, opposite)]; ok {
			return k
		}
	}
	if o := in.Across[c][opposite]; o < 0 || in.Ref[o] != in.Ref[c] {
		return facets.number(Kind{})
	}
	return 0
}

// TaggedFacet is a facet with a kind, with its vertices in the order of their ids.
type TaggedFacet struct {
	V   [3]int32
	tag int32
}

// TaggedFacets returns the facets with a kind, each once, in the order of their ids.
func (t *Mesh) TaggedFacets() (list []TaggedFacet) {
	for k := range t.Cells {
		c := &t.Cells[k]
		for i := range t.Dim + 1 {
			if c.Dead || c.Tag[i] == 0 {
				continue
			}
			f, n := TaggedFacet{V: [3]int32{-1, -1, -1}, tag: c.Tag[i]}, 0
			for j := range t.Dim + 1 {
				if j != i {
					f.V[n] = c.V[j]
					n++
				}
			}
			slices.SortFunc(f.V[:n], t.ByID)
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b TaggedFacet) int {
		for i := range t.Dim {
			if a.V[i] != b.V[i] {
				return t.ByID(a.V[i], b.V[i])
			}
		}
		return 0
	})
	return slices.Compact(list)
}

func (t *Mesh) ByID(a, b int32) int { return cmp.Compare(t.ID[a], t.ID[b]) }

// ridges returns the lines of a mesh of tetrahedra: marked edges, and those of tagged faces at which other than two
// faces meet, or two of different kinds, or required ones, or two at an angle. It adds their kinds to marks. Vertices
// of faces get the freedom of a surface.
func (t *Mesh) ridges(marks *kinds, cosine float64) (lines []TaggedFacet) {
	type side struct {
		edge   [2]int32
		normal measure.Vector // of the face, oriented by the edge and then the third vertex
		tag    int32
	}
	var sides []side
	for _, f := range t.TaggedFacets() {
		p, q := measure.Sub(&t.X[f.V[1]], &t.X[f.V[0]]), measure.Sub(&t.X[f.V[2]], &t.X[f.V[0]])
		n := measure.Cross(&p, &q)
		l := math.Sqrt(measure.Dot(&n, &n))
		n = measure.Vector{n[0] / l, n[1] / l, n[2] / l}
		sides = append(sides, side{[2]int32{f.V[0], f.V[1]}, n, f.tag}, side{[2]int32{f.V[1], f.V[2]}, n, f.tag},
			side{[2]int32{f.V[0], f.V[2]}, measure.Vector{-n[0], -n[1], -n[2]}, f.tag})
		for _, v := range f.V {
			t.Freedom[v] = 2
		}
	}
	slices.SortStableFunc(sides, func(a, b side) int {
		return cmp.Or(t.ByID(a.edge[0], b.edge[0]), t.ByID(a.edge[1], b.edge[1]))
	})
	ordinary := int32(-1)
	for from, to := 0, 0; from < len(sides); from = to {
		s := sides[from]
		required := false
		for ; to < len(sides) && sides[to].edge == s.edge; to++ {
			required = required || t.Facets[sides[to].tag].Required
		}
		tag, listed := marks.at[[3]int32{min(s.edge[0], s.edge[1]), max(s.edge[0], s.edge[1]), -1}]
		if !listed && !required && to-from == 2 && sides[from+1].tag == s.tag &&
			-measure.Dot(&s.normal, &sides[from+1].normal) >= cosine {
			continue
		}
		if !listed {
			tag = ordinary
		}
		if required {
			kind := Kind{Required: true}
			if listed {
				kind = marks.list[tag]
				kind.Required = true
			}
			tag = marks.number(kind)
		}
		if tag < 0 {
			ordinary = marks.number(Kind{})
			tag = ordinary
		}
		lines = append(lines, TaggedFacet{[3]int32{s.edge[0], s.edge[1], -1}, tag})
	}
	return append(lines, t.innerLines(marks, lines)...)
}

// innerLines returns the marked edges that are not on tagged faces.
func (t *Mesh) innerLines(marks *kinds, known []TaggedFacet) (lines []TaggedFacet) {
	if len(marks.at) == 0 {
		return nil
	}
	done := map[[2]int32]bool{}
	for _, l := range known {
		done[[2]int32{l.V[0], l.V[1]}] = true
	}
	for k := range t.Cells {
		t.EachEdge(&t.Cells[k], func(a, b int32) {
			if t.ID[a] > t.ID[b] {
				a, b = b, a
			}
			if tag, ok := marks.at[[3]int32{min(a, b), max(a, b), -1}]; ok && !done[[2]int32{a, b}] {
				done[[2]int32{a, b}] = true
				lines = append(lines, TaggedFacet{[3]int32{a, b, -1}, tag})
			}
		})
	}
	return lines
}

// layLines enters the lines at their vertices, and gives these the freedom of lines or of corners: where lines end,
// branch, change their kind, turn by more than the angle, or are required.
func (t *Mesh) layLines(lines []TaggedFacet, cosine float64) {
	at := map[int32][]LineEnd{}
	for _, l := range lines {
		a, b := l.V[0], l.V[1]
		at[a] = append(at[a], LineEnd{To: b, Curve: -1, Tag: l.tag})
		at[b] = append(at[b], LineEnd{To: a, Curve: -1, Tag: l.tag})
	}
	for v := range t.Lines {
		if ends := at[int32(v)]; ends != nil {
			t.SetLine(int32(v), ends...)
		}
	}
	for _, v := range t.lineVertices() {
		ends := t.Line(v)
		slices.SortFunc(ends, func(a, b LineEnd) int { return t.ByID(a.To, b.To) })
		t.Freedom[v] = 0
		if len(ends) != 2 || ends[0].Tag != ends[1].Tag || t.LineKinds[ends[0].Tag].Required {
			continue
		}
		p, q := measure.Sub(&t.X[v], &t.X[ends[0].To]), measure.Sub(&t.X[ends[1].To], &t.X[v])
		if measure.Dot(&p, &q) >= cosine*math.Sqrt(measure.Dot(&p, &p)*measure.Dot(&q, &q)) {
			t.Freedom[v] = 1
		}
	}
}

// lineVertices returns the vertices of lines in the order of their ids.
func (t *Mesh) lineVertices() (list []int32) {
	for v := range t.Lines {
		if t.Lines[v].N > 0 {
			list = append(list, int32(v))
		}
	}
	slices.SortFunc(list, t.ByID)
	return list
}
