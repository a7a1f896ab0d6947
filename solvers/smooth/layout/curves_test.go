package layout

import (
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestCurvesOfLocalMeshes proves that ranks that make their parts from local meshes find the rails of a layout of
// the whole mesh.
func TestCurvesOfLocalMeshes(t *testing.T) {
	m := smoothtest.Disc(t, 400, 5)
	for v := range m.X { // the lower half becomes a square with rounded corners, in part straight
		if y := m.Y[v]; y < 0 {
			m.Y[v] = max(-.5, y) + .2*min(0, y+.5)
		}
	}
	o := plainOptions()
	o.Ridge = 45
	l, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	bent, limited := 0, 0
	for _, r := range l.rails {
		if r.Bx != 0 || r.By != 0 {
			bent++
		} else if !math.IsInf(r.Low, -1) || !math.IsInf(r.High, 1) {
			limited++
		}
	}
	if bent < 20 || bent > 70 {
		t.Errorf("%d vertices of the boundary slide on curves, %d on straight rails that end", bent, limited)
	}
	const ranks = 3
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(colouring.Hash(int32(v)) % ranks)
	}
	found := make([]int, ranks)
	onLocalMeshes(t, m, owner, ranks, func(comm dist.Comm, p *LocalMesh) {
		part, _, err := p.Part(t.Context(), o, comm, 3)
		if err != nil {
			t.Error(err)
			return
		}
		for _, s := range append(append([]Span{}, part.Sent...), part.Unsent...) {
			for i := s.FirstSliding; i < s.Hi; i++ {
				if got, want := part.Rails[i-s.FirstSliding+s.FirstRail], l.rails[part.Global[i]]; got != want {
					t.Errorf("vertex %d: rail %+v, want %+v", part.Global[i], got, want)
				}
				found[comm.Rank()]++
			}
		}
	})
	if n := found[0] + found[1] + found[2]; n != len(l.rails) {
		t.Errorf("%d rails, want %d", n, len(l.rails))
	}
}
