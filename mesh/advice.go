package mesh

import (
	"maps"
	"slices"
)

// Advice about clockwise cells and vertices at the same position. They come from positions or from an order that are
// wrong, and a repair of one leaves the faults of the other. What is advised is what leaves none.
type advice struct{ orient, merge string }

var separately = advice{
	orient: "orient them with atoll mesh convert --orient",
	merge:  "merge them with atoll mesh convert --merge-duplicates",
}

// leavesFaults is advice about vertices at the same position of a mesh that has faults of which no repair is known.
const leavesFaults = "merge them with atoll mesh convert --merge-duplicates, which leaves other faults"

// advise returns the advice for a mesh with such faults, by trying the repairs on copies of it.
func (m *Mesh) advise() advice {
	switch {
	case m.repairedBy(false, true):
		return separately
	case m.repairedBy(true, false):
		return advice{"merge the vertices at the same position first", separately.merge}
	case m.repairedBy(true, true):
		both := "merge and orient them with atoll mesh convert --merge-duplicates --orient"
		return advice{both, both}
	case m.CheckTangled() == nil:
		return advice{"turned, they overlap others", "merged, they leave cells that overlap"}
	case m.overlapsIfTurned():
		return advice{"turned, they overlap others; mesh the domain again", leavesFaults}
	}
	return advice{separately.orient, leavesFaults}
}

// repairedBy reports whether the repairs of a mesh leave no faults.
func (m *Mesh) repairedBy(merge, orient bool) bool {
	repaired := m.copied()
	if merge {
		if _, _, err := repaired.MergeDuplicates(); err != nil {
			return false
		}
	}
	if orient {
		if _, err := repaired.Orient(); err != nil {
			return false
		}
	}
	repaired.Mend()
	_, _, err := repaired.examine(false, separately)
	return err == nil
}

// overlapsIfTurned reports whether cells overlap when clockwise ones are turned.
func (m *Mesh) overlapsIfTurned() bool {
	turned := m.copied()
	if _, err := turned.Orient(); err != nil {
		return true
	}
	nb, err := turned.Neighbours()
	return err != nil || turned.overlaps(nb).count > 0
}

// copied returns a mesh that repairs can change.
func (m *Mesh) copied() *Mesh {
	c := *m
	c.X, c.Y, c.Cells, c.CellGroup = slices.Clone(m.X), slices.Clone(m.Y), slices.Clone(m.Cells), slices.Clone(m.CellGroup)
	c.Groups, c.Tagged, c.Notes = slices.Clone(m.Groups), slices.Clone(m.Tagged), slices.Clone(m.Notes)
	c.CellData, c.VertexData = maps.Clone(m.CellData), maps.Clone(m.VertexData)
	if m.Marks != nil {
		marks := *m.Marks
		c.Marks = &marks
	}
	return &c
}

// overlapIfTurned reports whether cells of a mesh of tetrahedra overlap when inverted ones are turned.
func overlapIfTurned(s *Solid) bool {
	turned := *s
	turned.Cells = slices.Clone(s.Cells)
	_, err := turned.Orient()
	if err == nil {
		_, err = turned.Skin()
	}
	return err != nil
}
