package config

// Mesh is the section [mesh]: an unstructured mesh from a file or a generator, its partition and its numbering.
// Defaults are given after a semicolon.
type Mesh struct {
	File string // relative to the case file; "" for a generated mesh
	// Generate is "rectangle" (Bounds filled with about Cells triangles), "delaunay" (the same with edges flipped to
	// a Delaunay triangulation) or "box".
	Generate  string
	Bounds    [4]float64 // of a rectangle: x0, y0, x1, y1 in m
	Box       [6]float64 // of a box, filled with about Cells tetrahedra: x0, y0, z0, x1, y1, z1 in m
	Cells     int        // approximate number of cells; the generator makes the nearest possible number
	Seed      uint64     // seed of everything random: generated vertices, random order and partition; 7
	Refine    int        // number of refinements, each of which cuts a triangle into four; 0
	Order     string     // of the cells of a rank: natural, rcm, gps, hilbert or random; rcm
	Partition string     // of cells to ranks: hilbert, rcb, metis or random; hilbert
}

// DecodeMesh reads the section [mesh] of a solver with unknowns in triangles.
func DecodeMesh(s *Section) Mesh {
	return DecodeMeshOf(s, []string{"rcm", "natural", "gps", "hilbert", "random"}, "rectangle", "delaunay")
}

// DecodeMeshOf reads the section for a solver that accepts the given orders of cells, the default first, and the
// given generators.
func DecodeMeshOf(s *Section, orders []string, generators ...string) Mesh {
	m := Mesh{
		File:      s.Text("file", ""),
		Generate:  s.Choice("generate", "", generators...),
		Seed:      uint64(s.Integer("seed", 7, 0, 1<<62)),
		Refine:    int(s.Integer("refine", 0, 0, 15)),
		Order:     s.Choice("order", orders[0], orders...),
		Partition: s.Choice("partition", "hilbert", "hilbert", "rcb", "metis", "random"),
	}
	switch {
	case s.Has("file") && s.Has("generate"):
		s.Fail("generate", "cannot be combined with file; leave one of them out")
	case s.Has("file"):
		if m.File == "" {
			s.Fail("file", "is empty")
		}
		for _, key := range []string{"bounds", "cells"} {
			if s.Has(key) {
				s.Fail(key, "belongs to generate, and this mesh comes from a file")
			}
		}
		s.Know("bounds", "cells")
	case m.Generate == "box":
		s.box(&m)
	case s.Has("generate"):
		if b := s.Numbers("bounds", 4); b != nil {
			copy(m.Bounds[:], b)
			if !(b[0] < b[2] && b[1] < b[3]) {
				s.Fail("bounds", "%v must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", b)
			}
		}
		m.Cells = int(s.Integer("cells", Needed, 2, maxCells))
		if m.Cells > maxCells>>(2*m.Refine) {
			s.Fail("refine", "%d refinements give more than %d cells from %d", m.Refine, maxCells, m.Cells)
		}
	default:
		s.Fail("", `needs file = "…" or generate = "rectangle"`)
		s.Know("bounds", "cells")
	}
	s.Finish()
	return m
}

// box reads the bounds and the number of tetrahedra of a box.
func (s *Section) box(m *Mesh) {
	if b := s.Numbers("bounds", 6); b != nil {
		copy(m.Box[:], b)
		if !(b[0] < b[3] && b[1] < b[4] && b[2] < b[5]) {
			s.Fail("bounds", "%v must be [x0, y0, z0, x1, y1, z1] with x0 < x1, y0 < y1 and z0 < z1", b)
		}
	}
	m.Cells = int(s.Integer("cells", Needed, 6, maxTetrahedra))
	if m.Refine > 0 {
		s.Fail("refine", "applies to triangles, and a box has tetrahedra")
	}
}

// maxTetrahedra is the largest number of tetrahedra that the generator of boxes can make, approximately.
const maxTetrahedra = 150_000_000

// maxCells is the largest number of triangles: the indices of their edges, 3 to a triangle, must fit an int32.
const maxCells = 1 << 29

// Print writes the section.
func (m *Mesh) Print(p *Printer) {
	p.Section("[mesh]")
	if m.File != "" {
		p.Pair("file", m.File)
	} else {
		p.Pair("generate", m.Generate)
		if m.Generate == "box" {
			p.Pair("bounds", m.Box[:])
		} else {
			p.Pair("bounds", m.Bounds[:])
		}
		p.Pair("cells", m.Cells)
	}
	p.Pair("seed", m.Seed)
	p.Pair("refine", m.Refine)
	p.Pair("order", m.Order)
	p.Pair("partition", m.Partition)
}
