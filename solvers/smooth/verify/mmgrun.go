package verify

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/run/verify"
)

// mmg is the Mmg program for two or three dimensions.
type mmg string

// findMmg finds the program for a number of dimensions; nil if none is installed.
func findMmg(dim int) *mmg {
	for _, name := range []string{"mmg%dd_O3", "mmg%dd"} {
		if path, err := exec.LookPath(fmt.Sprintf(name, dim)); err == nil {
			program := mmg(path)
			return &program
		}
	}
	return nil
}

// version returns the version that the program prints.
func (m *mmg) version(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, string(*m), "-h").CombinedOutput() // it may exit with an error
	if _, after, found := strings.Cut(string(out), "Release "); found {
		return strings.TrimRight(strings.Fields(after)[0], ",")
	}
	return "of unknown version"
}

// best returns the best mean and the best worst quality that the program reaches in four ways by moving vertices,
// with sizes scaled like a metric of the given factor.
func (m *mmg) best(ctx context.Context, p *verify.Page, k *metricKind, s *testMesh, scale float64) (best meanAndWorst,
	err error) {
	for _, graded := range [][]string{nil, {"-hgrad", "-1"}} {
		now := *s
		for n := range 10 {
			if now, err = m.run(ctx, k, &now, scale, graded); err != nil {
				return best, err
			}
			if n > 0 && n < 9 {
				continue
			}
			d, _, _, err := k.smooth(ctx, p, &now, false)
			if err != nil {
				return best, err
			}
			best = meanAndWorst{max(best.mean, d.QualityMean), max(best.worst, d.QualityMin)}
		}
	}
	return best, nil
}

// run runs the program once to move the vertices of a mesh.
func (m *mmg) run(ctx context.Context, k *metricKind, s *testMesh, scale float64, graded []string) (to testMesh,
	err error) {
	dir, err := os.MkdirTemp("", "atoll-mmg-")
	if err != nil {
		return to, err
	}
	defer os.RemoveAll(dir)
	in, sizes, out := filepath.Join(dir, "in.mesh"), filepath.Join(dir, "sizes.sol"), filepath.Join(dir, "out.mesh")
	if s.solid != nil {
		err = meshio.WriteSolid(in, s.solid)
	} else {
		err = meshio.Write(in, s.plane)
	}
	if err != nil {
		return to, err
	}
	if err := medit.WriteSolution(sizes, k.solution(s, scale)); err != nil {
		return to, err
	}
	args := append([]string{"-noinsert", "-noswap", "-v", "0", "-sol", sizes}, graded...)
	if text, err := exec.CommandContext(ctx, string(*m), append(args, in, out)...).CombinedOutput(); err != nil {
		return to, fmt.Errorf("%s %s: %w\n%s", *m, strings.Join(args, " "), err, text)
	}
	to.name = s.name
	to.plane, to.solid, err = meshio.ReadAny(out)
	return to, err
}

// solution returns the sizes at the vertices of a mesh, or tensors if they differ along the axes.
func (k *metricKind) solution(s *testMesh, scale float64) *medit.Solution {
	var f medit.SolutionField
	f.Kind = medit.Scalar
	for v := range s.vertices() {
		var h [3]float64
		if s.solid != nil {
			at := s.solid.At(int32(v))
			h = k.sizes(at[0], at[1], at[2])
		} else {
			h = k.sizes(s.plane.X[v], s.plane.Y[v], 0)
		}
		m := [3]float64{scale / (h[0] * h[0]), scale / (h[1] * h[1]), scale / (h[2] * h[2])}
		switch {
		case !k.stretched:
			f.Values = append(f.Values, h[0]/math.Sqrt(scale))
		case k.dim == 2:
			f.Kind, f.Values = medit.Symmetric, append(f.Values, m[0], 0, m[1])
		default:
			f.Kind, f.Values = medit.Symmetric, append(f.Values, m[0], 0, m[1], 0, 0, m[2])
		}
	}
	return &medit.Solution{Dim: k.dim, Vertices: s.vertices(), Fields: []medit.SolutionField{f}}
}
