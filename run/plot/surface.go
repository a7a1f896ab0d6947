package plot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/surface"
)

// surfaceField is the field name of pictures of surfaces.
const surfaceField = "surface"

// drawSurfaces draws the chosen frames of a series of surfaces in space. Lines in the plane are drawn with the grid
// instead.
func (r *runner) drawSurfaces(path string, frames []vtk.Frame, chosen []int) error {
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	field := surfaceField
	if base, suffix, found := cutLast(name, "_"); found && suffix == "vtp" {
		name = base
	} else if found && r.hasSurface(base) {
		field = suffix
	}
	for _, i := range chosen {
		p, err := vtk.ReadPolyData(framePath(path, frames[i]))
		if err != nil {
			return err
		}
		v, found := surface.View(p, surface.ReadFull(framePath(path, frames[i])))
		if !found || p.Verts.Len() > 0 { // a series of points
			return nil
		}
		addUnique(&r.fields, field)
		if !wants(r.options.Fields, field) && (len(r.options.Fields) > 0 || r.options.Slice != nil) || r.options.Histogram {
			return nil
		}
		v.Page, v.Axes = r.options.Page, axes3D(axes(0, 1, true))
		time := (&frameData{}).timeText(frames[i].Time)
		v.Title = r.title(fmt.Sprintf("%s, %s", name, time), field, time)
		picture, err := v.Draw()
		if err != nil {
			return fmt.Errorf("%s: frame %d: %w", path, i, err)
		}
		if err := r.save(name+"-surface", i, picture); err != nil {
			return err
		}
	}
	return nil
}

// hasSurface reports whether a run has a series of surfaces in format vtp; name is the base name of its series.
func (r *runner) hasSurface(name string) bool {
	_, err := os.Stat(filepath.Join(r.dir, name+"_vtp.pvd"))
	return err == nil
}

// cutLast cuts s around the last occurrence of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
