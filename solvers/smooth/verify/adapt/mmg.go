package adapt

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/meshio"
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

// passes adapts the mesh of a task in several passes, each with the metric evaluated at the vertices of the mesh of the
// one before.
func (m *mmg) passes(ctx context.Context, k *task) (r result, err error) {
	now := task{name: k.name, metric: k.metric}
	if k.solid != nil {
		s, err := k.solid()
		if err != nil {
			return r, err
		}
		now.solid = func() (*mesh.Solid, error) { return s, nil }
	} else {
		p, err := k.plane()
		if err != nil {
			return r, err
		}
		now.plane = func() (*mesh.Mesh, error) { return p, nil }
	}
	seconds := 0.0
	for range k.passes {
		took, err := m.pass(ctx, &now, k.hausdorff)
		if err != nil {
			return r, err
		}
		seconds += took
	}
	a, err := now.adapter(1)
	if err != nil {
		return r, err
	}
	s := a.Measure(k.metric)
	return resultOf(&s, seconds), nil
}

// pass replaces the mesh of a task by the one that the program makes of it, and returns the CPU seconds.
func (m *mmg) pass(ctx context.Context, k *task, hausdorff float64) (seconds float64, err error) {
	dir, err := os.MkdirTemp("", "atoll-mmg-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	in, sizes, out := filepath.Join(dir, "in.mesh"), filepath.Join(dir, "sizes.sol"), filepath.Join(dir, "out.mesh")
	solution := &medit.Solution{Dim: k.dim(), Fields: []medit.SolutionField{{Kind: medit.Symmetric}}}
	add := func(x measure.Vector) {
		t := k.metric(x)
		solution.Vertices++
		solution.Fields[0].Values = append(solution.Fields[0].Values, t[:k.dim()*(k.dim()+1)/2]...)
	}
	if k.solid != nil {
		s, _ := k.solid()
		for v := range s.X {
			add(s.At(int32(v)))
		}
		err = meshio.WriteSolid(in, s)
	} else {
		p, _ := k.plane()
		for v := range p.X {
			add(measure.Vector{p.X[v], p.Y[v]})
		}
		err = meshio.Write(in, p)
	}
	if err != nil {
		return 0, err
	}
	if err := medit.WriteSolution(sizes, solution); err != nil {
		return 0, err
	}
	args := []string{"-in", in, "-sol", sizes, "-out", out, "-hgrad", "-1", "-hgradreq", "-1", "-v", "0"}
	if hausdorff > 0 {
		args = append(args, "-hausd", strconv.FormatFloat(hausdorff, 'g', -1, 64))
	}
	c := exec.CommandContext(ctx, string(*m), args...)
	if text, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", *m, err, text)
	}
	plane, solid, err := meshio.ReadAny(out)
	if solid != nil {
		solid.Mend()
		k.solid = func() (*mesh.Solid, error) { return solid, nil }
	} else if plane != nil {
		plane.Mend()
		k.plane = func() (*mesh.Mesh, error) { return plane, nil }
	}
	return c.ProcessState.UserTime().Seconds(), err
}
