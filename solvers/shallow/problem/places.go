package problem

import (
	"errors"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// Places returns what the case declares at places, for maps: groups of the boundary with a condition, structures, and
// lines that raise the bed. The error tells which could not be read; the others are returned.
func (w *Sections) Places(c *config.Case) (list []features.Feature, failed error) {
	sides, failed := w.sides(c)
	list = append(list, sides...)
	for k := range w.Structures {
		s := &w.Structures[k]
		corners := s.Line
		for _, end := range [][]float64{s.From, s.To} {
			if len(end) == 2 && end[0]-end[0] == 0 { // not NaN, which stands for none
				corners = append(slices.Clip(corners), end)
			}
		}
		list = append(list, features.Place(s.Name, features.Structure, corners))
	}
	for k := range w.Initial {
		for _, name := range w.Initial[k].Crests {
			file, err := features.Read(c.Path(name))
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			for _, f := range file.Features {
				list = append(list, features.Feature{Kind: features.Lines, Parts: f.Parts,
					Properties: map[string]any{"name": f.Name(), features.Role: features.Line}})
			}
		}
	}
	return list, failed
}

// sides returns the groups with a condition other than a wall, in the order of the mesh.
func (w *Sections) sides(c *config.Case) (list []features.Feature, err error) {
	conditional := func(group string) bool {
		_, given := w.Boundary.Given[group]
		return given || w.Boundary.Groups[group] == "open"
	}
	if !slices.ContainsFunc(w.Boundary.names(), conditional) {
		return nil, nil
	}
	if b := w.Mesh.Bounds; w.Mesh.File == "" {
		a := [4][]float64{{b[0], b[1]}, {b[2], b[1]}, {b[2], b[3]}, {b[0], b[3]}}
		for k, group := range []string{"bottom", "right", "top", "left"} {
			if conditional(group) {
				list = append(list, features.Place(group, features.Boundary, [][]float64{a[k], a[(k+1)%4]}))
			}
		}
		return list, nil
	}
	m, err := meshio.Read(c.Path(w.Mesh.File))
	if err != nil {
		return nil, err
	}
	parts := make([][][]features.Position, len(m.Groups))
	for _, e := range m.Tagged {
		parts[e.Group] = append(parts[e.Group], []features.Position{{X: m.X[e.A], Y: m.Y[e.A]}, {X: m.X[e.B], Y: m.Y[e.B]}})
	}
	for k, g := range m.Groups {
		if parts[k] != nil && conditional(g.Name) {
			list = append(list, features.Feature{Kind: features.Lines, Parts: parts[k],
				Properties: map[string]any{"name": g.Name, features.Role: features.Boundary}})
		}
	}
	return list, nil
}
