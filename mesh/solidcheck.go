package mesh

import (
	"errors"
	"fmt"
	"math"
)

// Check returns nil for a mesh that solvers can use, or an error that tells, for each kind of fault, how many there
// are, the ids of the first few, and what to do. It looks for vertex ids out of range, coordinates that are not finite,
// cells that are inverted or flat, faces of more than two cells or with two cells on one side, tagged faces that no
// cell has, vertices in no cell, and vertices in the same position.
func (s *Solid) Check() error {
	if err := s.CheckIDs(); err != nil {
		return err
	}
	if err := s.checkShapes(); err != nil {
		return err
	}
	return s.checkJoints()
}

// CheckTangled is Check for a mesh whose cells may be inverted or flat, because vertices are out of place.
func (s *Solid) CheckTangled() error {
	if err := s.CheckIDs(); err != nil {
		return err
	}
	return s.checkJoints()
}

// checkJoints looks at how cells, vertices and tagged faces belong together.
func (s *Solid) checkJoints() error {
	skin, err := s.Skin()
	if err != nil {
		return err
	}
	return errors.Join(s.checkUsed(), s.checkPlaces(), s.checkTagged(skin))
}

// maxSolidCells keeps the numbers of corners and neighbours within int32.
const maxSolidCells = math.MaxInt32 / 12

// CheckIDs refuses what other methods could not look at.
func (s *Solid) CheckIDs() error {
	switch n := len(s.X); {
	case len(s.Cells) == 0:
		return errors.New("the mesh has no tetrahedra")
	case len(s.Cells) > maxSolidCells || n > math.MaxInt32:
		return fmt.Errorf("%d vertices and %d tetrahedra are more than the %d and %d that a mesh may have", n,
			len(s.Cells), math.MaxInt32, maxSolidCells)
	case len(s.Y) != n || len(s.Z) != n:
		return fmt.Errorf("the mesh has %d x, %d y and %d z coordinates", n, len(s.Y), len(s.Z))
	case s.CellTag != nil && len(s.CellTag) != len(s.Cells):
		return fmt.Errorf("the mesh has %d tetrahedra and the tags of %d", len(s.Cells), len(s.CellTag))
	}
	for name, f := range s.CellData {
		if len(f) != len(s.Cells) {
			return fmt.Errorf("the cell field %q has %d values for %d tetrahedra", name, len(f), len(s.Cells))
		}
	}
	for name, f := range s.VertexData {
		if len(f) != len(s.X) {
			return fmt.Errorf("the vertex field %q has %d values for %d vertices", name, len(f), len(s.X))
		}
	}
	damaged := fmt.Sprintf("the mesh has vertices 0 to %d; the file is damaged", len(s.X)-1)
	outside := fault{what: "tetrahedron with a vertex id out of range", many: "tetrahedra with vertex ids out of range",
		advice: damaged}
	repeated := fault{what: "tetrahedron that repeats a vertex", many: "tetrahedra that repeat a vertex",
		advice: "mesh the domain again"}
	faces := fault{what: "tagged face with a vertex id out of range", many: "tagged faces with vertex ids out of range",
		advice: damaged}
	infinite := fault{what: "vertex without a finite place", many: "vertices without a finite place",
		advice: "correct the coordinates"}
	for c, v := range s.Cells {
		if min(v[0], v[1], v[2], v[3]) < 0 || int(max(v[0], v[1], v[2], v[3])) >= len(s.X) {
			outside.add(func() string { return fmt.Sprintf("tetrahedron %d (vertices %v)", c, v) })
		} else if v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] || v[2] == v[3] {
			repeated.add(func() string { return fmt.Sprintf("tetrahedron %d (vertices %v)", c, v) })
		}
	}
	for i, f := range s.Faces {
		if min(f.V[0], f.V[1], f.V[2]) < 0 || int(max(f.V[0], f.V[1], f.V[2])) >= len(s.X) {
			faces.add(func() string { return fmt.Sprintf("tagged face %d (vertices %v)", i, f.V) })
		}
	}
	for v := range s.X {
		if !finite(s.X[v]) || !finite(s.Y[v]) || !finite(s.Z[v]) {
			infinite.add(func() string { return fmt.Sprintf("vertex %d at %v", v, s.At(int32(v))) })
		}
	}
	return joinFaults(&outside, &repeated, &faces, &infinite)
}

// flatSolid is what share of its products a cell's volume must exceed, not to come from rounding alone.
const flatSolid = 16 * 0x1p-53

// checkShapes refuses cells whose volume is not positive by more than rounding can bring about.
func (s *Solid) checkShapes() error {
	inverted := fault{what: "tetrahedron that is inverted", many: "tetrahedra that are inverted",
		advice: "turn them with atoll mesh convert --orient, or mesh the domain again"}
	huge := fault{what: "tetrahedron whose volume overflows", many: "tetrahedra whose volumes overflow",
		advice: "scale the coordinates"}
	flat := fault{what: "tetrahedron that is flat", many: "tetrahedra that are flat", advice: "mesh the domain again"}
	for c, v := range s.Cells {
		a := s.At(v[0])
		b, d, e := minus(s.At(v[1]), a), minus(s.At(v[2]), a), minus(s.At(v[3]), a)
		volume, scale := dot(b, cross(d, e)), 0.0
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			scale += math.Abs(b[k]) * (math.Abs(d[i]*e[j]) + math.Abs(d[j]*e[i]))
		}
		at := func() string {
			return fmt.Sprintf("tetrahedron %d (vertices %v) at %v of volume %g", c, v, a, volume/6)
		}
		switch {
		case !finite(scale):
			huge.add(at)
		case volume < -flatSolid*scale:
			inverted.add(at)
		case !(volume > flatSolid*scale):
			flat.add(at)
		}
	}
	return joinFaults(&inverted, &flat, &huge)
}

func (s *Solid) checkUsed() error {
	dangling := fault{what: "vertex in no tetrahedron", many: "vertices in no tetrahedron",
		advice: "remove them with atoll mesh convert --drop-dangling"}
	used := make([]bool, len(s.X))
	for _, c := range s.Cells {
		for _, v := range c {
			used[v] = true
		}
	}
	for v, u := range used {
		if !u {
			dangling.add(func() string { return fmt.Sprintf("vertex %d at %v", v, s.At(int32(v))) })
		}
	}
	return joinFaults(&dangling)
}

// checkTagged refuses tagged faces that no cell has.
func (s *Solid) checkTagged(skin []SkinFace) error {
	if len(s.Faces) == 0 {
		return nil
	}
	// Nearly all are on the boundary; the faces inside are gone through only for the others.
	missing := map[[3]int32]int{}
	for i, f := range s.Faces {
		missing[ascending(f.V)] = i
	}
	for _, f := range skin {
		delete(missing, ascending(f.V))
	}
	if len(missing) > 0 {
		for c := range s.Cells {
			for k := range 4 {
				delete(missing, ascending(s.Facing(int32(c), k)))
			}
		}
	}
	stray := fault{what: "tagged face that no tetrahedron has", many: "tagged faces that no tetrahedron has",
		advice: "the file is damaged, or mixes two meshes"}
	for i, f := range s.Faces {
		if at, ok := missing[ascending(f.V)]; ok && at == i {
			stray.add(func() string { return fmt.Sprintf("tagged face %d (vertices %v)", i, f.V) })
		}
	}
	return joinFaults(&stray)
}
