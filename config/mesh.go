package config

// Mesh is the section [mesh]: an unstructured mesh from a file or a generator, its partition and its numbering.
type Mesh struct {
	File string // relative to the case file; "" for a generated mesh
	// Generate is "rectangle" (Bounds filled with about Cells triangles), "delaunay" (the same with edges flipped to
	// a Delaunay triangulation) or "box".
	Generate  string
	Bounds    [4]float64 // of a rectangle: x0, y0, x1, y1 in m
	Box       [6]float64 // of a box, filled with about Cells tetrahedra: x0, y0, z0, x1, y1, z1 in m
	Cells     int        // approximate number of cells; the generator makes the nearest possible number
	Seed      uint64     // of everything random: generated vertices, random order and partition
	Refine    int        // number of refinements, each of which cuts a triangle into four
	Order     string     // of the cells of a rank: natural, rcm, gps, hilbert or random
	Partition string     // of cells to ranks: hilbert, rcb, metis or random
}

// DecodeMesh reads the section [mesh] of a solver with unknowns in triangles.
func DecodeMesh(s *Section) Mesh {
	return DecodeMeshOf(s, []string{"rcm", "natural", "gps", "hilbert", "random"}, "rectangle", "delaunay")
}

// DecodeMeshOf reads the section for a solver that accepts the given orders of cells, the default first, and the
// given generators.
func DecodeMeshOf(s *Section, orders []string, generators ...string) Mesh {
	var m Mesh
	m.keys(orders, generators, s.Read)
	switch {
	case s.Has("file") && s.Has("generate"):
		s.Fail("generate", "cannot be combined with file; leave one of them out")
	case s.Has("file") && m.File == "":
		s.Fail("file", "is empty")
	case s.Has("file"):
	case m.Generate == "box" && m.Refine > 0:
		s.Fail("refine", "applies to triangles, and a box has tetrahedra")
	case !s.Has("generate"):
		s.Fail("", `needs file = "…" or generate = "rectangle"`)
	case m.Generate != "box" && m.Cells > maxCells>>(2*m.Refine):
		s.Fail("refine", "%d refinements give more than %d cells from %d", m.Refine, maxCells, m.Cells)
	}
	s.Finish()
	return m
}

// keys declares the keys of the section.
func (m *Mesh) keys(orders, generators []string, key func(*Spec)) {
	const needs = "belongs to generate, and this mesh comes from a file"
	key(Phrase("file", &m.File, "", "a mesh: `.msh` (Gmsh 2.2 or 4.1, text or binary), `.vtu`, `.mesh` and `.meshb` "+
		"(Medit), `.slf` and `.sel` (Telemac's SELAFIN, two-dimensional, single or double precision: its variables at the "+
		"last time become vertex fields such as `BOTTOM`; it has no groups), `.2dm` (SMS, with node strings as groups "+
		"`ns1`, `ns2`), `.14`, `.grd` and `.gr3` (ADCIRC and SCHISM: boundaries are groups `open1`, `land1`, depths the "+
		"vertex field `depth`, positive downward), `.mesh` of MIKE (boundaries are groups `land` and, by their code, "+
		"`code2`, `code3`; heights the vertex field `z`), `.nc` (UGRID, such as Delft3D FM's: numbers at nodes and faces, "+
		"the last of those over time, "+
		"are fields, and there are no groups). Quadrangles of SMS and those after it are divided into triangles").
		IfSet().Otherwise("either this or `generate`"))
	key(OneWord("generate", &m.Generate, "", generators, "`\"rectangle\"`: an irregular triangulation of `bounds`; the "+
		"sides are the groups left, right, bottom and top; `\"delaunay\"`: the Delaunay triangulation of the same points; "+
		"for smoothing also `\"box\"`, of [tetrahedra](smoothing-solids.md)").IfSet().Otherwise(" "))
	key(Special(Key{Name: "bounds", Doc: "`[x0, y0, x1, y1]` in m; of a box `[x0, y0, z0, x1, y1, z1]`", Required: true,
		Default: "with `generate`"}, m.readBounds, m.printedBounds).When(m.Generate != "", needs))
	least, most := int64(2), int64(maxCells)
	if m.Generate == "box" {
		least, most = 6, maxTetrahedra
	}
	key(Whole("cells", &m.Cells, Needed, least, most, "number of triangles or tetrahedra, approximately").
		Otherwise("with `generate`").Range(" ").When(m.Generate != "", needs))
	key(Whole("seed", &m.Seed, 7, 0, 1<<62, "of all random numbers"))
	key(Whole("refine", &m.Refine, 0, 0, 15, "number of refinements, each of which divides every triangle into four"))
	key(OneWord("order", &m.Order, orders[0], orders, "order of a rank's cells in memory: natural (as in the file), rcm "+
		"(reverse Cuthill–McKee), gps (Gibbs–Poole–Stockmeyer), hilbert (along a Hilbert curve), random; smoothing: "+
		"hilbert, natural, random").Otherwise("rcm; smoothing: hilbert"))
	key(OneWord("partition", &m.Partition, "hilbert", []string{"hilbert", "rcb", "metis", "random"}, "method that "+
		"distributes the cells over ranks: hilbert (pieces of a Hilbert curve), rcb (recursive coordinate bisection), metis "+
		"(needs libmetis), random"))
}

// readBounds reads the corners of a rectangle or a box.
func (m *Mesh) readBounds(s *Section) {
	if m.Generate == "box" {
		b := s.Numbers("bounds", 6)
		if copy(m.Box[:], b); b != nil && !(b[0] < b[3] && b[1] < b[4] && b[2] < b[5]) {
			s.Fail("bounds", "%v must be [x0, y0, z0, x1, y1, z1] with x0 < x1, y0 < y1 and z0 < z1", b)
		}
		return
	}
	b := s.Numbers("bounds", 4)
	if copy(m.Bounds[:], b); b != nil && !(b[0] < b[2] && b[1] < b[3]) {
		s.Fail("bounds", "%v must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", b)
	}
}

func (m *Mesh) printedBounds() any {
	if m.Generate == "box" {
		return m.Box[:]
	}
	return m.Bounds[:]
}

// maxTetrahedra is the largest number of tetrahedra that the generator of boxes can make, approximately.
const maxTetrahedra = 150_000_000

// maxCells is the largest number of triangles: the indices of their edges, 3 to a triangle, must fit an int32.
const maxCells = 1 << 29

// Print writes the section.
func (m *Mesh) Print(p *Printer) {
	p.Section("[mesh]")
	m.keys([]string{m.Order}, nil, p.Print)
}
