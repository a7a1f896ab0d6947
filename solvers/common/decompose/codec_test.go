package decompose

import (
	"bytes"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
)

// piece is what a rank gets.
type piece struct {
	part *mesh.Part
	plan *halo.Plan
}

// pieces cuts a mesh that has groups, and fields of cells and vertices.
func pieces(t testing.TB, cells, ranks int) []piece {
	t.Helper()
	m, err := mesh.Rectangle(0, 0, 2, 1, cells, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.Groups = append(m.Groups, mesh.Group{Dim: 2, Tag: -4, Name: "water"}, mesh.Group{Dim: 1})
	m.CellData = map[string][]float64{"depth": make([]float64, len(m.Cells)), "": make([]float64, len(m.Cells))}
	m.VertexData = map[string][]float64{"z": slices.Clone(m.X)}
	for i := range m.CellData["depth"] {
		m.CellData["depth"][i] = math.Sqrt(float64(i))
	}
	d, err := New(m, Options{Ranks: ranks, Order: partition.Natural, Cut: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	var all []piece
	err = d.Each(func(_ int, part *mesh.Part, plan *halo.Plan) error {
		all = append(all, piece{part, plan})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sent and received are the two ends of a part's journey.
func sent(part *mesh.Part, plan *halo.Plan) []byte { return encode(&MeshShare{part, plan}) }

func received(body []byte, rank, ranks int) (*mesh.Part, *halo.Plan, error) {
	var s MeshShare
	if err := decode(body, &s); err != nil {
		return nil, nil, err
	}
	return s.Part, s.Plan, s.Check(rank, ranks)
}

// TestPartsComeBack: of any number of cells and ranks, each part is the same after its journey.
func TestPartsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ranks := rapid.IntRange(1, 6).Draw(r, "ranks")
		for rank, p := range pieces(t, rapid.IntRange(20, 300).Draw(r, "cells"), ranks) {
			part, plan, err := received(sent(p.part, p.plan), rank, ranks)
			if err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(part, p.part) || !reflect.DeepEqual(plan, p.plan) {
				r.Fatalf("rank %d of %d got another part than it was sent", rank, ranks)
			}
		}
	})
}

// TestPartsOfNothingComeBack: neither fields, nor groups, nor peers.
func TestPartsOfNothingComeBack(t *testing.T) {
	part, plan, err := received(sent(new(mesh.Part), new(halo.Plan)), 0, 1)
	if err != nil || !reflect.DeepEqual(part, new(mesh.Part)) || !reflect.DeepEqual(plan, new(halo.Plan)) {
		t.Errorf("%+v, %+v, %v", part, plan, err)
	}
}

// TestCutAndChangedParts: a message that ends too early, anywhere, or is too long is refused; with any 8 bytes replaced
// by a huge number it is refused or a part that can be used, and takes no memory for what is not there.
func TestCutAndChangedParts(t *testing.T) {
	all := pieces(t, 20, 2)
	body := sent(all[1].part, all[1].plan)
	for n := range body {
		if _, _, err := received(body[:n], 1, 2); err == nil {
			t.Errorf("%d bytes of %d were taken", n, len(body))
		}
	}
	if _, _, err := received(append(slices.Clone(body), 0), 1, 2); err == nil {
		t.Error("a byte too many was taken")
	}
	var before, after runtime.MemStats
	for _, huge := range []uint64{1 << 20, 1 << 31, 1 << 32, 1<<61 + 1, 1 << 63, math.MaxUint64} {
		for at := range len(body) - 7 {
			changed := slices.Clone(body)
			w := wire{}
			w.word(&huge)
			copy(changed[at:], w.bytes)
			runtime.ReadMemStats(&before)
			part, plan, err := received(changed, 1, 2)
			runtime.ReadMemStats(&after)
			if err == nil {
				use(part, plan)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(10*len(body)+4096) {
				t.Fatalf("%d at byte %d: %d bytes of memory for a message of %d", huge, at, taken, len(body))
			}
		}
	}
}

// use looks at all that a part points to, as its solver would: a part that passes no check panics here.
func use(part *mesh.Part, plan *halo.Plan) (sum float64) {
	for i := range part.Cells {
		sum += part.Area(i) + float64(part.Global[i])
		for _, values := range part.CellData {
			sum += values[i]
		}
		for _, v := range part.Cells[i] {
			for _, values := range part.VertexData {
				sum += values[v]
			}
		}
	}
	cells := make([]bool, plan.Owned+plan.Ghosts)
	for i := range part.Owned {
		for _, n := range part.Neighbour[i] {
			if n >= 0 {
				sum += part.Area(int(n))
			} else if g := mesh.OutsideGroup(n); g >= 0 {
				sum += float64(part.Groups[g].Tag)
			}
		}
	}
	for _, p := range plan.Peers {
		for _, i := range p.Send {
			cells[i] = true
		}
		clear(cells[p.Lo:p.Hi])
	}
	return sum
}

// TestPartsThatDoNotHoldTogether: counts that differ and numbers that point nowhere are told.
func TestPartsThatDoNotHoldTogether(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *mesh.Part, plan *halo.Plan)
		want  string
	}{
		"another rank":       {func(_ *mesh.Part, n *halo.Plan) { n.Rank = 0 }, "it is that of rank 0, this is rank 1"},
		"a plan of its own":  {func(_ *mesh.Part, n *halo.Plan) { n.Peers[0].Rank = 7 }, "has rank 7 for a peer"},
		"core":               {func(p *mesh.Part, _ *halo.Plan) { p.Core = p.Owned + 1 }, "core cells"},
		"negative core":      {func(p *mesh.Part, _ *halo.Plan) { p.Core = -1 }, "-1 core cells"},
		"owned":              {func(p *mesh.Part, _ *halo.Plan) { p.Owned-- }, "core cells"},
		"cells":              {func(p *mesh.Part, _ *halo.Plan) { p.Cells = p.Cells[1:] }, "cells in all"},
		"x":                  {func(p *mesh.Part, _ *halo.Plan) { p.X = p.X[1:] }, "coordinates"},
		"y":                  {func(p *mesh.Part, _ *halo.Plan) { p.Y = nil }, "and 0 coordinates"},
		"ids":                {func(p *mesh.Part, _ *halo.Plan) { p.Global = p.Global[1:] }, "ids of"},
		"an id":              {func(p *mesh.Part, _ *halo.Plan) { p.Global[2] = -1 }, "cell 2 has the id -1"},
		"neighbours":         {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour = p.Neighbour[1:] }, "neighbours of"},
		"a vertex":           {func(p *mesh.Part, _ *halo.Plan) { p.Cells[3][1] = 1 << 30 }, "cell 3 has vertex 1073741824"},
		"a negative vertex":  {func(p *mesh.Part, _ *halo.Plan) { p.Cells[3][1] = -1 }, "cell 3 has vertex -1"},
		"a neighbour":        {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[1][0] = 1 << 30 }, "cell 1 has neighbour"},
		"a ghost at core":    {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[0][0] = int32(p.Owned) }, "cell 0 has"},
		"a group":            {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[1][0] = math.MinInt32 }, "cell 1 has"},
		"a field of cells":   {func(p *mesh.Part, _ *halo.Plan) { p.CellData["depth"] = nil }, `field "depth" has 0 values`},
		"a field of corners": {func(p *mesh.Part, _ *halo.Plan) { p.VertexData["z"] = p.X[1:] }, `field "z" has`},
	} {
		p := pieces(t, 60, 2)[1]
		c.spoil(p.part, p.plan)
		if _, _, err := received(sent(p.part, p.plan), 1, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestFieldsInOrder: a part has one form as bytes, so that fields twice, or in disorder, are refused.
func TestFieldsInOrder(t *testing.T) {
	for _, names := range [][]string{{"b", "a"}, {"a", "a"}} {
		type field struct {
			Name   string
			Values []float64
		}
		var list []field // which goes as a map does
		for _, name := range names {
			list = append(list, field{name, []float64{1}})
		}
		got := map[string][]float64{}
		if err := decode(encode(&list), &got); err == nil {
			t.Errorf("fields %q were taken: %v", names, got)
		}
	}
}

// FuzzPart: any message is refused, or is a part that can be used and has these bytes.
func FuzzPart(f *testing.F) {
	for rank, p := range pieces(f, 24, 3) {
		f.Add(sent(p.part, p.plan), rank, 3)
	}
	f.Add(sent(new(mesh.Part), new(halo.Plan)), 0, 1)
	f.Fuzz(func(t *testing.T, body []byte, rank, ranks int) {
		part, plan, err := received(body, rank, ranks)
		if err != nil {
			return
		}
		use(part, plan)
		if again := sent(part, plan); !bytes.Equal(again, body) {
			t.Errorf("%d bytes make a part that %d other bytes stand for", len(body), len(again))
		}
	})
}

// every is of each kind of value that can be sent.
type every struct {
	Yes     bool
	Small   int8
	Number  float64
	Count   uint64
	Name    Named
	Parts   []Nested
	Truths  []bool
	Shorts  []struct{ A, B int16 }
	Missing *Nested
	There   *Nested
	Pair    [2][]float32
	Nested
}

type (
	Named  string
	Nested struct {
		Deep []string
		At   int32
	}
)

// TestAllKindsComeBack: values of every kind are the same after their journey; a truth that is neither is refused, and
// so is a number that its type cannot hold.
func TestAllKindsComeBack(t *testing.T) {
	v := every{Yes: true, Small: -3, Number: math.Copysign(0, -1), Count: math.MaxUint64, Name: "å", Parts: []Nested{{[]string{"", "b"}, 1}, {}},
		Truths: []bool{true, false}, Shorts: []struct{ A, B int16 }{{1, -2}}, There: &Nested{At: -5},
		Pair: [2][]float32{nil, {1, 2}}, Nested: Nested{Deep: []string{"x"}}}
	var got every
	if err := decode(encode(&v), &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, error %v", got, err)
	}
	var truths []bool
	if err := decode(encode(&[]int8{0, 1, 2}), &truths); err == nil {
		t.Errorf("%v was taken", truths)
	}
	var small int8
	large := 1000
	if err := decode(encode(&large), &small); err == nil {
		t.Errorf("%d was taken for %d", small, large)
	}
}

// TestLostFieldsPanic: a field that would not travel is a mistake of the program.
func TestLostFieldsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a field that is not exported is left behind")
		}
	}()
	encode(&struct{ hidden int }{1})
}
