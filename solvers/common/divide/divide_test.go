package divide

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/gmsh"
	"github.com/atoll-hpc/atoll/mesh/sliced"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers/common/decompose"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// onRanks calls f on as many ranks at the same time.
func onRanks(t testing.TB, ranks int, f func(comm dist.Comm) error) {
	t.Helper()
	comms := local.New(ranks)
	errs := make([]error, ranks)
	var wait sync.WaitGroup
	for rank, comm := range comms {
		wait.Go(func() { errs[rank] = f(comm) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, comm := range comms {
		if err := comm.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// divided returns the shares of a layout on some ranks, or the doubt that all of them have.
func divided(t testing.TB, l *sliced.Layout, ranks int, o decompose.Options) (shares []*decompose.MeshShare,
	doubt string) {
	t.Helper()
	shares = make([]*decompose.MeshShare, ranks)
	doubts := make([]string, ranks)
	o.Ranks = ranks
	onRanks(t, ranks, func(comm dist.Comm) error {
		r, err := sliced.Open(l)
		if err != nil {
			return err
		}
		defer r.Close()
		shares[comm.Rank()], err = Mesh(context.Background(), comm, r, o, false)
		var d *Doubt
		if errors.As(err, &d) {
			doubts[comm.Rank()] = d.About
			return nil
		}
		if err == nil {
			err = shares[comm.Rank()].Check(comm.Rank(), ranks)
		}
		return err
	})
	for _, d := range doubts {
		if d != doubts[0] {
			t.Fatalf("ranks have the doubts %q", doubts)
		}
	}
	return shares, doubts[0]
}

// whole returns the shares that decompose.New makes of the whole mesh.
func whole(t testing.TB, path string, ranks int, o decompose.Options) (shares []*decompose.MeshShare, err error) {
	t.Helper()
	m, err := gmsh.Read(path)
	if err != nil {
		return nil, err
	}
	m.Mend()
	o.Ranks = ranks
	d, err := decompose.New(m, o)
	if err != nil {
		return nil, err
	}
	err = d.Each(func(rank int, part *mesh.Part, plan *halo.Plan) error {
		if rank == 0 {
			part.Notes = d.Notes
		}
		shares = append(shares, &decompose.MeshShare{Part: part, Plan: plan})
		return nil
	})
	return shares, err
}

// compare refuses shares that differ.
func compare(got, want []*decompose.MeshShare) error {
	for rank := range want {
		a, b := reflect.ValueOf(*got[rank].Part), reflect.ValueOf(*want[rank].Part)
		for k := range a.NumField() {
			x, y := a.Field(k), b.Field(k)
			if x.Kind() != reflect.Int && x.Kind() != reflect.Bool && x.Len() == 0 && y.Len() == 0 {
				continue // nil and empty
			}
			if !reflect.DeepEqual(x.Interface(), y.Interface()) {
				return fmt.Errorf("rank %d: %s differs: %.300v, want %.300v", rank, a.Type().Field(k).Name, x, y)
			}
		}
		if x, y := got[rank].Plan.String(), want[rank].Plan.String(); x != y {
			return fmt.Errorf("rank %d: plan %s, want %s", rank, x, y)
		}
	}
	return nil
}

// random returns a mesh with groups and fields of which cells and vertices have a random order, or nearly that of a
// generator; with holes, vertices in no cell, and cells that run clockwise.
func random(t *testing.T, rng *rand.Rand) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Rectangle(-1, 2, 1+3*rng.Float64(), 4, 40+rng.IntN(600), rng.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	m.Groups = append(m.Groups, mesh.Group{Dim: 1, Tag: 9, Name: "inside"}, mesh.Group{Dim: 2, Tag: 4, Name: "land"})
	m.CellGroup = make([]int32, len(m.Cells))
	for c := range m.Cells {
		if m.CellGroup[c] = -1; rng.IntN(2) == 0 {
			m.CellGroup[c] = 5
		}
		outer := func(v int32) bool {
			return m.X[v] == m.X[0] || m.Y[v] == m.Y[0] || m.X[v] == m.X[len(m.X)-1] || m.Y[v] == m.Y[len(m.X)-1]
		}
		if rng.IntN(40) == 0 && !(outer(m.Cells[c][1]) && outer(m.Cells[c][2])) {
			m.Tagged = append(m.Tagged, mesh.TaggedEdge{A: m.Cells[c][1], B: m.Cells[c][2], Group: 4})
		}
	}
	if rng.IntN(2) == 0 { // holes
		hole := rng.IntN(len(m.Cells))
		m.Cells = slices.Delete(m.Cells, hole, min(len(m.Cells), hole+1+rng.IntN(5)))
		m.CellGroup = m.CellGroup[:len(m.Cells)]
	}
	shuffle(m, rng)
	if rng.IntN(3) == 0 {
		for c := range m.Cells {
			if v := &m.Cells[c]; rng.IntN(3) > 0 {
				v[0], v[1] = v[1], v[0]
			}
		}
	}
	for _, name := range []string{"depth", "b"}[:rng.IntN(3)] {
		mesh.SetField(&m.VertexData, name, numbers(len(m.X), rng))
	}
	if rng.IntN(3) == 0 {
		mesh.SetField(&m.VertexData, mesh.Heights, numbers(len(m.X), rng))
	}
	for _, name := range []string{"a", "roughness"}[:rng.IntN(3)] {
		mesh.SetField(&m.CellData, name, numbers(len(m.Cells), rng))
	}
	return m
}

func numbers(n int, rng *rand.Rand) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = rng.Float64()
	}
	return out
}

// shuffle changes the order of some vertices and cells.
func shuffle(m *mesh.Mesh, rng *rand.Rand) {
	to := make([]int32, len(m.X))
	for v := range to {
		to[v] = int32(v)
	}
	rng.Shuffle(rng.IntN(2)*len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	x, y := slices.Clone(m.X), slices.Clone(m.Y)
	for v := range to {
		m.X[to[v]], m.Y[to[v]] = x[v], y[v]
	}
	for c := range m.Cells {
		for k := range m.Cells[c] {
			m.Cells[c][k] = to[m.Cells[c][k]]
		}
	}
	for i := range m.Tagged {
		m.Tagged[i].A, m.Tagged[i].B = to[m.Tagged[i].A], to[m.Tagged[i].B]
	}
	rng.Shuffle(rng.IntN(2)*len(m.Cells), func(i, j int) {
		m.Cells[i], m.Cells[j] = m.Cells[j], m.Cells[i]
		m.CellGroup[i], m.CellGroup[j] = m.CellGroup[j], m.CellGroup[i]
	})
}

// TestSameAsWhole: ranks that read slices of a file have the same parts, plans and notes as when rank 0 reads, orders
// and divides the whole mesh.
func TestSameAsWhole(t *testing.T) {
	dir, notes := t.TempDir(), map[string]bool{}
	for seed := range uint64(25) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := random(t, rng)
		path := filepath.Join(dir, fmt.Sprintf("%d.msh", seed))
		writeBlocks(t, path, m, rng)
		o := decompose.Options{Order: partition.Orderings[seed%5], Method: partition.HilbertCut, Seed: seed,
			Conditions: []string{"left"}}
		layout, err := gmsh.Layout(path, 1<<18)
		if err != nil {
			t.Fatal(seed, err)
		}
		for _, ranks := range []int{1, 2, 3, 5, 8} {
			want, err := whole(t, path, ranks, o)
			got, doubt := divided(t, layout, ranks, o)
			if m.VertexData[mesh.Heights] != nil && strings.HasPrefix(doubt, "third") && slices.ContainsFunc(want[0].Part.Notes,
				func(n string) bool { return strings.HasPrefix(n, "turned") }) {
				continue // whether neighbours overlap in the plane needs the whole mesh
			}
			if err != nil || doubt != "" {
				t.Fatalf("seed %d, %d ranks: doubt %q, and of the whole: %v", seed, ranks, doubt, err)
			}
			if err := compare(got, want); err != nil {
				t.Fatalf("seed %d, %d ranks: %v", seed, ranks, err)
			}
			for _, n := range want[0].Part.Notes {
				notes[n[:6]] = true
			}
		}
	}
	if len(notes) < 2 {
		t.Errorf("the meshes had only notes about %q", slices.Collect(maps.Keys(notes)))
	}
}
