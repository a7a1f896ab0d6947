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

// share is a rank's share of a test mesh.
type share struct {
	part *mesh.Part
	plan *halo.Plan
}

// shares decomposes a mesh with groups and fields on cells and vertices.
func shares(t testing.TB, cells, ranks int) []share {
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
	d, err := New(m, Options{Ranks: ranks, Order: partition.Natural, Method: partition.HilbertCut})
	if err != nil {
		t.Fatal(err)
	}
	var all []share
	err = d.Each(func(_ int, part *mesh.Part, plan *halo.Plan) error {
		all = append(all, share{part, plan})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// encodeShare encodes a share; decodeShare decodes and checks it.
func encodeShare(part *mesh.Part, plan *halo.Plan) []byte { return encode(&MeshShare{part, plan}) }

func decodeShare(body []byte, rank, ranks int) (*mesh.Part, *halo.Plan, error) {
	var s MeshShare
	if err := decode(body, &s); err != nil {
		return nil, nil, err
	}
	return s.Part, s.Plan, s.Check(rank, ranks)
}

// TestRoundTrip proves that decoding an encoded share restores it, for random numbers of cells and ranks.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		ranks := rapid.IntRange(1, 6).Draw(r, "ranks")
		for rank, p := range shares(t, rapid.IntRange(20, 300).Draw(r, "cells"), ranks) {
			part, plan, err := decodeShare(encodeShare(p.part, p.plan), rank, ranks)
			if err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(part, p.part) || !reflect.DeepEqual(plan, p.plan) {
				r.Fatalf("rank %d of %d received a different part than was sent", rank, ranks)
			}
		}
	})
}

// TestEmptyRoundTrip is the round trip of a share without cells, fields, groups and peers.
func TestEmptyRoundTrip(t *testing.T) {
	part, plan, err := decodeShare(encodeShare(new(mesh.Part), new(halo.Plan)), 0, 1)
	if err != nil || !reflect.DeepEqual(part, new(mesh.Part)) || !reflect.DeepEqual(plan, new(halo.Plan)) {
		t.Errorf("%+v, %+v, %v", part, plan, err)
	}
}

// TestCorruptedMessages proves that a truncated or extended message is refused, and that a message with any 8 bytes
// replaced by a huge number is refused or yields a valid part, without large allocations.
func TestCorruptedMessages(t *testing.T) {
	all := shares(t, 20, 2)
	body := encodeShare(all[1].part, all[1].plan)
	for n := range body {
		if _, _, err := decodeShare(body[:n], 1, 2); err == nil {
			t.Errorf("a message cut to %d of %d bytes was accepted", n, len(body))
		}
	}
	if _, _, err := decodeShare(append(slices.Clone(body), 0), 1, 2); err == nil {
		t.Error("a message with an extra byte was accepted")
	}
	var before, after runtime.MemStats
	for _, huge := range []uint64{1 << 20, 1 << 31, 1 << 32, 1<<61 + 1, 1 << 63, math.MaxUint64} {
		for at := range len(body) - 7 {
			changed := slices.Clone(body)
			w := wire{}
			w.moveWord(&huge)
			copy(changed[at:], w.bytes)
			runtime.ReadMemStats(&before)
			part, plan, err := decodeShare(changed, 1, 2)
			runtime.ReadMemStats(&after)
			if err == nil {
				accessAll(part, plan)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > uint64(10*len(body)+4096) {
				t.Fatalf("%d at byte %d: decoding allocated %d bytes for a message of %d", huge, at, taken, len(body))
			}
		}
	}
}

// accessAll accesses everything that a part refers to, and panics for an index that Check should have refused.
func accessAll(part *mesh.Part, plan *halo.Plan) (sum float64) {
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

// TestInconsistentParts proves that inconsistent counts and indices out of range are refused.
func TestInconsistentParts(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *mesh.Part, plan *halo.Plan)
		want  string
	}{
		"another rank":       {func(_ *mesh.Part, n *halo.Plan) { n.Rank = 0 }, "the share is for rank 0, this is rank 1"},
		"a plan with errors": {func(_ *mesh.Part, n *halo.Plan) { n.Peers[0].Rank = 7 }, "has rank 7 for a peer"},
		"core":               {func(p *mesh.Part, _ *halo.Plan) { p.Core = p.Owned + 1 }, "core cells"},
		"negative core":      {func(p *mesh.Part, _ *halo.Plan) { p.Core = -1 }, "-1 core cells"},
		"owned":              {func(p *mesh.Part, _ *halo.Plan) { p.Owned-- }, "core cells"},
		"cells":              {func(p *mesh.Part, _ *halo.Plan) { p.Cells = p.Cells[1:] }, "cells in all"},
		"x":                  {func(p *mesh.Part, _ *halo.Plan) { p.X = p.X[1:] }, "coordinates"},
		"y":                  {func(p *mesh.Part, _ *halo.Plan) { p.Y = nil }, "and 0 y coordinates"},
		"ids":                {func(p *mesh.Part, _ *halo.Plan) { p.Global = p.Global[1:] }, "ids and"},
		"an id":              {func(p *mesh.Part, _ *halo.Plan) { p.Global[2] = -1 }, "cell 2 has the id -1"},
		"neighbours":         {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour = p.Neighbour[1:] }, "lists of neighbours"},
		"a vertex":           {func(p *mesh.Part, _ *halo.Plan) { p.Cells[3][1] = 1 << 30 }, "cell 3 has vertex 1073741824"},
		"a negative vertex":  {func(p *mesh.Part, _ *halo.Plan) { p.Cells[3][1] = -1 }, "cell 3 has vertex -1"},
		"a neighbour":        {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[1][0] = 1 << 30 }, "cell 1 has neighbour"},
		"a ghost at core":    {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[0][0] = int32(p.Owned) }, "cell 0 has"},
		"a group":            {func(p *mesh.Part, _ *halo.Plan) { p.Neighbour[1][0] = math.MinInt32 }, "cell 1 has"},
		"a field of cells":   {func(p *mesh.Part, _ *halo.Plan) { p.CellData["depth"] = nil }, `field "depth" has 0 values`},
		"a field of corners": {func(p *mesh.Part, _ *halo.Plan) { p.VertexData["z"] = p.X[1:] }, `field "z" has`},
	} {
		p := shares(t, 60, 2)[1]
		c.spoil(p.part, p.plan)
		if _, _, err := decodeShare(encodeShare(p.part, p.plan), 1, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestFieldsInOrder proves that fields given twice or unsorted are refused, so that a part has one encoding.
func TestFieldsInOrder(t *testing.T) {
	for _, names := range [][]string{{"b", "a"}, {"a", "a"}} {
		type field struct {
			Name   string
			Values []float64
		}
		var list []field // encoded in the given order, unlike a map
		for _, name := range names {
			list = append(list, field{name, []float64{1}})
		}
		got := map[string][]float64{}
		if err := decode(encode(&list), &got); err == nil {
			t.Errorf("fields %q were accepted: %v", names, got)
		}
	}
}

// FuzzPart proves that a message is refused, or decodes to a valid part with this encoding.
func FuzzPart(f *testing.F) {
	for rank, p := range shares(f, 24, 3) {
		f.Add(encodeShare(p.part, p.plan), rank, 3)
	}
	f.Add(encodeShare(new(mesh.Part), new(halo.Plan)), 0, 1)
	f.Fuzz(func(t *testing.T, body []byte, rank, ranks int) {
		part, plan, err := decodeShare(body, rank, ranks)
		if err != nil {
			return
		}
		accessAll(part, plan)
		if again := encodeShare(part, plan); !bytes.Equal(again, body) {
			t.Errorf("a message of %d bytes decodes to a part that encodes as %d other bytes", len(body), len(again))
		}
	})
}

// allKinds has a field of each kind that can be encoded.
type allKinds struct {
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

// TestRoundTripOfAllKinds is the round trip of all kinds of values; invalid booleans and numbers out of range are
// refused.
func TestRoundTripOfAllKinds(t *testing.T) {
	v := allKinds{Yes: true, Small: -3, Number: math.Copysign(0, -1), Count: math.MaxUint64, Name: "å",
		Parts:  []Nested{{[]string{"", "b"}, 1}, {}},
		Truths: []bool{true, false}, Shorts: []struct{ A, B int16 }{{1, -2}}, There: &Nested{At: -5},
		Pair: [2][]float32{nil, {1, 2}}, Nested: Nested{Deep: []string{"x"}}}
	var got allKinds
	if err := decode(encode(&v), &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v, error %v", got, err)
	}
	var truths []bool
	if err := decode(encode(&[]int8{0, 1, 2}), &truths); err == nil {
		t.Errorf("the byte 2 was accepted as a boolean: %v", truths)
	}
	var small int8
	large := 1000
	if err := decode(encode(&large), &small); err == nil {
		t.Errorf("%d was decoded from %d", small, large)
	}
}

// TestLostFieldsPanic proves that encoding an unexported field panics: it would be lost.
func TestLostFieldsPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("encoding an unexported field did not panic")
		}
	}()
	encode(&struct{ hidden int }{1})
}
