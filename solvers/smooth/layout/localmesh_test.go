package layout

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/internal/smoothtest"
)

// TestLocalMeshRefuses proves that an error on one rank is returned on all ranks with its cause, and that options
// that need the whole mesh are refused.
func TestLocalMeshRefuses(t *testing.T) {
	m := smoothtest.Rectangle(t, 200, 1)
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(v % 2)
	}
	for name, change := range map[string]func(o *Options, rank int, p *LocalMesh){
		"deep":      func(o *Options, _ int, _ *LocalMesh) { o.Deep = true },
		"colouring": func(o *Options, _ int, _ *LocalMesh) { o.Colouring = "grey" },
		"boundary":  func(o *Options, _ int, _ *LocalMesh) { o.Boundary = "soft" },
		"order":     func(o *Options, _ int, _ *LocalMesh) { o.Order = "rcm" },
		"cell": func(_ *Options, rank int, p *LocalMesh) {
			if rank == 1 {
				p.Cells[3][0] = int32(len(p.Global))
			}
		},
	} {
		onLocalMeshes(t, m, owner, 2, func(comm dist.Comm, p *LocalMesh) {
			o := plainOptions()
			change(&o, comm.Rank(), p)
			_, _, err := p.Part(t.Context(), o, comm, 3)
			if err == nil {
				t.Errorf("%s: rank %d accepts it", name, comm.Rank())
			} else if name == "cell" && !strings.Contains(err.Error(), "cell 3") {
				t.Errorf("rank %d does not name the cell: %v", comm.Rank(), err)
			}
		})
	}
	if _, err := NewLocalMeshes(m, owner[1:], 2); err == nil {
		t.Error("too few owners are accepted")
	}
	if _, err := NewLocalMeshes(m, owner, 1); err == nil {
		t.Error("an owner that is no rank is accepted")
	}
}
