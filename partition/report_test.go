package partition

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden transcripts; read the difference before committing it")

// The reports of a small fixed mesh, for each ordering and each partition method but METIS, equal a golden file. If
// this fails, run with -rewrite and review the difference: a changed ordering changes the speed of every run.
func TestGoldenReports(t *testing.T) {
	g, x, y := lattice(12, 10, 1).refined().dual(t)
	var out strings.Builder
	for _, ordering := range Orderings {
		_, r := order(t, ordering, g, x, y, 42)
		fmt.Fprintf(&out, "order %s\n%v\n", ordering, r)
	}
	for _, method := range []Method{HilbertCut, RCB, RandomCut} {
		partOf, err := Partition(method, g, [][]float64{x, y}, 7, 42)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReportParts(g, partOf, 7)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "partition %s\n%v\n", method, r)
	}
	holes := withHoles(t, 30, 20)
	for _, ordering := range []Ordering{RCM, GPS} {
		_, r := order(t, ordering, holes, nil, nil, 0)
		fmt.Fprintf(&out, "order %s of a grid with holes\n%v\n", ordering, r)
	}
	const file = "testdata/reports.txt"
	if *rewrite {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the reports differ from %s:\n%s", file, out.String())
	}
}

// withHoles is a grid without a third of its edges, so that degrees vary and there are many components.
func withHoles(t testing.TB, nx, ny int) Graph {
	full := grid(t, nx, ny)
	random := splitMix(6)
	var edges [][2]int32
	for v := range int32(full.N()) {
		for _, u := range full.Neighbours(v) {
			if u < v && random.below(3) > 0 {
				edges = append(edges, [2]int32{u, v})
			}
		}
	}
	return fromEdges(t, full.N(), edges)
}

func TestReportOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, edges := drawGraph(t)
		perm := shuffled(g.N(), rapid.Uint64().Draw(t, "order"))
		position := Inverse(perm)
		want := OrderReport{Cells: g.N(), Edges: len(edges)}
		sum := 0
		first := identity(g.N())
		for _, e := range edges {
			i, j := max(position[e[0]], position[e[1]]), min(position[e[0]], position[e[1]])
			want.Bandwidth = max(want.Bandwidth, int(i-j))
			sum += int(i - j)
			first[i] = min(first[i], j)
		}
		for i, j := range first {
			want.Profile += int64(i) - int64(j)
		}
		if len(edges) > 0 {
			want.Mean = float64(sum) / float64(len(edges))
		}
		got, err := ReportOrder(g, perm)
		if err != nil || got != want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
	g := grid(t, 3, 1)
	for _, perm := range [][]int32{{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 1, 2}} {
		if _, err := ReportOrder(g, perm); err == nil {
			t.Errorf("ReportOrder accepted %v as a permutation, want an error", perm)
		}
	}
}

func TestReportParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, partOf, n := drawPartition(t)
		r, err := ReportParts(g, partOf, n)
		if err != nil {
			t.Fatal(err)
		}
		split, _ := Split(partOf, n)
		cut := 0
		for part, cells := range split {
			_, boundary, err1 := Arrange(g, partOf, cells, Natural, nil, nil, 0)
			ghosts, err2 := Ghosts(g, partOf, cells, 1)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			halo := 0
			for _, neighbour := range ghosts {
				halo += len(neighbour.Cells)
			}
			if r.Cells[part] != len(cells) || r.Boundary[part] != len(boundary) || r.Halo[part] != halo ||
				r.Neighbours[part] != len(ghosts) {
				t.Fatalf("part %d: %+v, want %d cells, %d boundary, %d halo, %d neighbours", part, r, len(cells),
					len(boundary), halo, len(ghosts))
			}
			for _, v := range cells {
				for _, u := range g.Neighbours(v) {
					if v < u && partOf[u] != partOf[v] {
						cut++
					}
				}
			}
		}
		if r.EdgeCut != cut {
			t.Fatalf("edge cut %d, want %d", r.EdgeCut, cut)
		}

		// The table does not depend on the numbering of cells and parts.
		newID := shuffled(g.N(), 1)
		newPart := shuffled(n, 2)
		renamed := make([]int32, g.N())
		for v, part := range partOf {
			renamed[newID[v]] = newPart[part]
		}
		other, err := ReportParts(relabelled(t, g, newID), renamed, n)
		if err != nil || other.String() != r.String() {
			t.Fatalf("got\n%vand, with other numbers,\n%v, error %v", r, other, err)
		}
	})
	g := grid(t, 3, 1)
	for _, partOf := range [][]int32{{0, 1}, {0, 1, 2}, {0, -1, 1}} {
		if _, err := ReportParts(g, partOf, 2); err == nil {
			t.Errorf("ReportParts accepted %v as a partition of 3 cells into 2 parts, want an error", partOf)
		}
	}
}

func TestImbalance(t *testing.T) {
	for _, test := range []struct {
		cells []int
		want  float64
	}{{nil, 1}, {[]int{0, 0}, 1}, {[]int{5, 5}, 1}, {[]int{1, 3, 2}, 1.5}, {[]int{4, 0}, 2}} {
		if got := (PartReport{Cells: test.cells}).Imbalance(); got != test.want {
			t.Errorf("imbalance of %v is %v, want %v", test.cells, got, test.want)
		}
	}
}
