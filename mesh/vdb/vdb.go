// Package vdb writes scalar fields on uniform grids (Grid) as OpenVDB files, version 224 of the format without
// compression, which Houdini, Blender and the tools of OpenVDB read. Voxels with the background value are not active;
// of a level set only the band near the interface is active.
package vdb

import (
	"bufio"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Grid is a scalar field. The active voxels are those with another value than Background, or in a level set those with
// |value| < Background; other voxels of a level set keep only their sign, -Background inside.
type Grid struct {
	Name       string
	N          [3]int     // voxels along each axis
	First      [3]float64 // centre of voxel (0, 0, 0)
	Spacing    [3]float64 // all positive
	Values     []float64  // x fastest
	Background float64    // value of inactive voxels: for a level set the half-width of its band
	LevelSet   bool       // a signed distance, negative inside; otherwise a density, of class fog volume
}

// check refuses a grid that cannot be written.
func (g *Grid) check() error {
	voxels := 1
	for d, n := range g.N {
		// The indices of voxels, and of the nodes around them, have 32 bits.
		if n < 1 || n > math.MaxInt32/2 || voxels > math.MaxInt/n {
			return fmt.Errorf("grid %q has %v voxels; want 1 to %d along each axis", g.Name, g.N, math.MaxInt32/2)
		}
		voxels *= n
		notFinite := g.First[d]-g.First[d] != 0
		if h := g.Spacing[d]; !(h > 0 && h < math.Inf(1)) || notFinite {
			return fmt.Errorf("grid %q has the spacing %v and its first voxel at %v; want a positive spacing and finite numbers",
				g.Name, g.Spacing, g.First)
		}
	}
	if len(g.Values) != voxels {
		return fmt.Errorf("grid %q has %d values for %v voxels", g.Name, len(g.Values), g.N)
	}
	for i, v := range g.Values {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return fmt.Errorf("voxel %d of grid %q is %g, which a float32 cannot hold", i, g.Name, v)
		}
	}
	if g.LevelSet && !(g.Background > 0) {
		return fmt.Errorf("grid %q is a level set with the background %g; want a positive one", g.Name, g.Background)
	}
	return nil
}

// active reports whether a voxel with this value is active.
func (g *Grid) active(v float32) bool {
	if v < 0 {
		v = -v
	}
	if g.LevelSet {
		return v < float32(g.Background)
	}
	return v != float32(g.Background)
}

// Write writes grids of different names to a file, which appears under its name only when it is complete.
func Write(path string, grids ...Grid) error {
	names := map[string]bool{}
	for i := range grids {
		g := &grids[i]
		if err := g.check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if names[g.Name] || g.Name == "" {
			return fmt.Errorf("%s: the name of grid %q is empty or that of another grid", path, g.Name)
		}
		names[g.Name] = true
	}
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		w := &writer{out: bufio.NewWriterSize(f, 1<<16)}
		w.header(len(grids))
		for i := range grids {
			w.grid(&grids[i])
		}
		if w.err != nil {
			return w.err
		}
		return w.out.Flush()
	})
}
