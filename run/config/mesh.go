package config

// Mesh is the section [mesh]: an unstructured mesh from a file or a generator, and how it is cut and numbered.
type Mesh struct {
	File string // a mesh file, relative to the case file; or empty, and then
	// "rectangle": Bounds filled with about Cells triangles; "delaunay": and edges turned to Delaunay's
	Generate  string
	Bounds    [4]float64 // x0, y0, x1, y1 in m
	Box       [6]float64 // of Generate "box", filled with about Cells tetrahedra: x0, y0, z0, x1, y1, z1
	Cells     int        // the nearest count that the generator can make is taken
	Seed      uint64     // of all that is random: generated vertices, random order and partition; 7
	Refine    int        // how often each triangle is cut into four; 0
	Order     string     // of the cells of a rank: natural, rcm, gps, hilbert or random; rcm
	Partition string     // of cells to ranks: hilbert, rcb, metis or random; hilbert
}

func decodeMesh(s *section) Mesh {
	return decodeMeshOf(s, []string{"rcm", "natural", "gps", "hilbert", "random"}, "rectangle", "delaunay")
}

// decodeMeshOf reads a mesh that can be numbered in the orders given, the usual one first, and made by the generators
// given.
func decodeMeshOf(s *section, orders []string, generators ...string) Mesh {
	m := Mesh{
		File:      s.text("file", ""),
		Generate:  s.choice("generate", "", generators...),
		Seed:      uint64(s.integer("seed", 7, 0, 1<<62)),
		Refine:    int(s.integer("refine", 0, 0, 15)),
		Order:     s.choice("order", orders[0], orders...),
		Partition: s.choice("partition", "hilbert", "hilbert", "rcb", "metis", "random"),
	}
	switch {
	case s.has("file") && s.has("generate"):
		s.fail("generate", "cannot be with file; leave one of them out")
	case s.has("file"):
		if m.File == "" {
			s.fail("file", "is empty")
		}
		for _, key := range []string{"bounds", "cells"} {
			if s.has(key) {
				s.fail(key, "belongs to generate, and this mesh comes from a file")
			}
		}
		s.know("bounds", "cells")
	case m.Generate == "box":
		s.box(&m)
	case s.has("generate"):
		if b := s.numbers("bounds", 4); b != nil {
			copy(m.Bounds[:], b)
			if !(b[0] < b[2] && b[1] < b[3]) {
				s.fail("bounds", "%v must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", b)
			}
		}
		m.Cells = int(s.integer("cells", needed, 2, maxCells))
		if m.Cells > maxCells>>(2*m.Refine) {
			s.fail("refine", "%d times makes more than %d cells of %d", m.Refine, maxCells, m.Cells)
		}
	default:
		s.fail("", `needs file = "…" or generate = "rectangle"`)
		s.know("bounds", "cells")
	}
	s.finish()
	return m
}

// box reads the generator of tetrahedra.
func (s *section) box(m *Mesh) {
	if b := s.numbers("bounds", 6); b != nil {
		copy(m.Box[:], b)
		if !(b[0] < b[3] && b[1] < b[4] && b[2] < b[5]) {
			s.fail("bounds", "%v must be [x0, y0, z0, x1, y1, z1] with x0 < x1, y0 < y1 and z0 < z1", b)
		}
	}
	m.Cells = int(s.integer("cells", needed, 6, maxTetrahedra))
	if m.Refine > 0 {
		s.fail("refine", "cuts triangles, and a box has tetrahedra")
	}
}

// maxTetrahedra is about what the generator of boxes makes.
const maxTetrahedra = 150_000_000

// maxCells is the largest number of cells whose ids fit an int32, with room for their 3 edges.
const maxCells = 1 << 29

func (m *Mesh) print(p *printer) {
	p.section("[mesh]")
	if m.File != "" {
		p.pair("file", m.File)
	} else {
		p.pair("generate", m.Generate)
		if m.Generate == "box" {
			p.pair("bounds", m.Box[:])
		} else {
			p.pair("bounds", m.Bounds[:])
		}
		p.pair("cells", m.Cells)
	}
	p.pair("seed", m.Seed)
	p.pair("refine", m.Refine)
	p.pair("order", m.Order)
	p.pair("partition", m.Partition)
}
