package adaptation

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/isovalue"
	"github.com/atoll-hpc/atoll/mesh/medit"
	"github.com/atoll-hpc/atoll/mesh/vector"
)

// decodeLevel reads the level at which the mesh is cut: an expression, data of the mesh, or a Medit file.
func (m *method) decodeLevel(s *config.Section) {
	m.Isovalue = s.Number("isovalue", config.Any.Or(0))
	m.LevelFile = s.Text("level_file", "")
	keys := func(key func(*config.Spec)) {
		key(config.Phrase("mesh", &m.Level.Mesh, config.Required, "name of vertex or cell data of the mesh"))
	}
	if m.Cuts = s.Has("level") || m.LevelFile != ""; s.Has("level") && !s.Table("level", keys) {
		m.Level = s.Expression("level", config.Required)
	}
	if s.Has("level") && m.LevelFile != "" {
		s.Fail("level_file", "cannot be combined with level; give one of them")
	}
	if s.Has("isovalue") && !m.Cuts {
		s.Fail("isovalue", "is that of --level, or of the function in a Medit file (--sol)")
	}
}

// levelFlags is the flags of the command, of which Mmg's -ls makes --sol the file of the level. IN.sol is one too.
func levelFlags(in string, flag func(string) (string, bool)) func(string) (string, bool) {
	_, cuts := flag("isovalue")
	if _, given := flag("level"); given || !cuts {
		return flag
	}
	return func(name string) (string, bool) {
		switch name {
		case "sol":
			return "", false
		case levelFileFlag:
			if value, given := flag(name); given {
				return value, true
			}
			if value, given := flag("sol"); given {
				return value, true
			}
			base, _, _ := strings.Cut(in, ".mesh")
			for _, ext := range []string{".sol", ".solb"} {
				if _, err := os.Stat(base + ext); err == nil && base != in {
					return base + ext, true
				}
			}
		}
		return flag(name)
	}
}

// levelFileFlag is the flag of the file of a level.
const levelFileFlag = "level-sol"

// findLevel makes the function along whose level the mesh is cut, if it is.
func (s *session) findLevel() (err error) {
	m := &s.w.Method
	if !m.Cuts {
		return nil
	}
	var at func(p [3]float64) (float64, error)
	if m.LevelFile == "" {
		at, err = s.start.Function(&m.Level)
	} else {
		var values []float64
		if values, err = s.levelValues(); err == nil {
			at = s.start.Interpolant(values)
		}
	}
	if err != nil {
		return fmt.Errorf("--level: %w", err)
	}
	s.level = func(x, y, z float64) (float64, error) {
		value, err := at([3]float64{x, y, z})
		return value - m.Isovalue, err
	}
	return nil
}

// levelValues reads the values at vertices of the level's file.
func (s *session) levelValues() ([]float64, error) {
	path := s.c.Path(s.w.Method.LevelFile)
	f, err := medit.ReadSolution(path)
	if err != nil {
		return nil, err
	}
	if f = s.start.OfFile(f); f.Vertices != s.start.Vertices() || len(f.Fields) != 1 || f.Fields[0].Kind != medit.Scalar {
		return nil, fmt.Errorf("%s has %d fields at %d vertices: give a file with one number at each of the %d vertices of "+
			"the mesh", path, len(f.Fields), f.Vertices, s.start.Vertices())
	}
	return f.Fields[0].Values, nil
}

// cut cuts the mesh along the level, and makes an adapter of the result.
func (s *session) cut() (err error) {
	if s.solid != nil {
		to := s.adapter.Solid()
		if to, s.parts, err = isovalue.Tetrahedra(to, s.level); err == nil {
			s.adapter, err = adapt.Tetrahedra(to, s.options)
		}
	} else {
		to := s.adapter.Mesh()
		if to, s.parts, err = isovalue.Triangles(to, s.level); err == nil {
			s.adapter, err = adapt.Triangles(to, s.options)
		}
	}
	if err != nil {
		return fmt.Errorf("--level: %w", err)
	}
	return nil
}

// Level is what a cut along a level has given: the areas or volumes below and above it, and the length or area of the
// interface.
type Level struct{ Below, Above, Interface float64 }

// inPlane measures the cut of a mesh of triangles; nil if it was not cut.
func (s *session) inPlane(m *mesh.Mesh) *Level {
	if s.parts == nil {
		return nil
	}
	l := &Level{}
	for c, g := range m.CellGroup {
		l.add(s.parts.Below[g], m.Area(c))
	}
	for _, e := range m.Tagged {
		if e.Group == s.parts.Interface {
			l.Interface += math.Hypot(m.X[e.A]-m.X[e.B], m.Y[e.A]-m.Y[e.B])
		}
	}
	return l
}

// inSpace is inPlane for tetrahedra.
func (s *session) inSpace(m *mesh.Solid) *Level {
	if s.parts == nil {
		return nil
	}
	l := &Level{}
	for c, tag := range m.CellTag {
		l.add(s.parts.Below[tag], m.Volume(c))
	}
	for _, f := range m.Faces {
		if f.Tag == s.parts.Interface {
			a := m.At(f.V[0])
			l.Interface += vector.Length(vector.Cross(vector.Minus(m.At(f.V[1]), a), vector.Minus(m.At(f.V[2]), a))) / 2
		}
	}
	return l
}

func (l *Level) add(below bool, size float64) {
	if below {
		l.Below += size
	} else {
		l.Above += size
	}
}

// materialsBeforeCut returns the materials of cells as they were before the mesh was cut.
func (s *session) materialsBeforeCut(now []int32) []int32 {
	switch {
	case s.parts == nil:
		return now
	case s.materials() == nil:
		return nil
	}
	before := make([]int32, len(now))
	for c, m := range now {
		before[c] = m
		if whole, ok := s.parts.Whole[m]; ok {
			before[c] = whole
		}
	}
	return before
}
