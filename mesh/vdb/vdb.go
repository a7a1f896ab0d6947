// Package vdb writes scalar fields on uniform grids as OpenVDB files (version 224 of the format, without compression),
// which Houdini, Blender and OpenVDB's own tools read. Of a level set only the band near the interface is kept.
package vdb

import (
	"bufio"
	"fmt"
	"math"
	"os"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Grid is a field. Values that are the background's in size are not stored; those of the background's opposite tell
// where the inside of a level set is.
type Grid struct {
	Name       string
	N          [3]int     // voxels along each axis
	First      [3]float64 // centre of voxel (0, 0, 0)
	Spacing    [3]float64 // all positive
	Values     []float64  // x fastest
	Background float64    // what is far away: the width of a level set's band, or 0
	LevelSet   bool       // a signed distance, negative inside; else a density, of class fog volume
}

// check reports a grid that cannot be written.
func (g *Grid) check() error {
	most := 1
	for d, n := range g.N {
		if n < 1 || n > math.MaxInt32/2 || most > math.MaxInt/n {
			return fmt.Errorf("grid %q has %v voxels", g.Name, g.N)
		}
		most *= n
		if h := g.Spacing[d]; !(h > 0 && h < math.Inf(1)) || g.First[d]-g.First[d] != 0 {
			return fmt.Errorf("grid %q has voxels of the sides %v from %v on", g.Name, g.Spacing, g.First)
		}
	}
	if len(g.Values) != most {
		return fmt.Errorf("grid %q has %d values of %v voxels", g.Name, len(g.Values), g.N)
	}
	for i, v := range g.Values {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return fmt.Errorf("voxel %d of grid %q is %g, which a float32 cannot hold", i, g.Name, v)
		}
	}
	if g.LevelSet && !(g.Background > 0) {
		return fmt.Errorf("grid %q is a level set and has a band of %g", g.Name, g.Background)
	}
	return nil
}

// active tells whether a value is stored.
func (g *Grid) active(v float32) bool {
	if v < 0 {
		v = -v
	}
	if g.LevelSet {
		return v < float32(g.Background)
	}
	return v != float32(g.Background)
}

// Write writes grids, of different names, to a file. It appears under its name only when it is complete.
func Write(path string, grids ...Grid) error {
	names := map[string]bool{}
	for i := range grids {
		g := &grids[i]
		if err := g.check(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if names[g.Name] || g.Name == "" {
			return fmt.Errorf("%s: the name of grid %q is empty or taken", path, g.Name)
		}
		names[g.Name] = true
	}
	return atomicfile.Write(path, func(f *os.File) error {
		w := &writer{to: bufio.NewWriterSize(f, 1<<16)}
		w.header(len(grids))
		for i := range grids {
			w.grid(&grids[i])
		}
		if w.err != nil {
			return w.err
		}
		return w.to.Flush()
	})
}
