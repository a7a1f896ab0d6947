package mesh

import (
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh/vector"
)

// Check returns nil for a mesh that solvers can use. Otherwise its error gives, for each type of fault, the number of
// faults, the ids of the first few, and what to do. It looks for vertex ids out of range, coordinates that are not
// finite, inverted and flat cells, faces of more than two cells or with two cells on one side, tagged faces that no
// cell has, vertices in no cell, and vertices at the same position.
func (s *Solid) Check() error {
	_, err := s.CheckedSkin()
	return err
}

// CheckedSkin checks the mesh as Check does, and returns the result of Skin, which the check needs.
func (s *Solid) CheckedSkin() ([]SkinFace, error) {
	if err := s.CheckIDs(); err != nil {
		return nil, err
	}
	if err := s.checkShapes(); err != nil {
		return nil, err
	}
	return s.checkTopology(false)
}

// CheckTangled is Check for a tangled mesh: it accepts inverted and flat cells, and vertices inside the mesh at the
// position of another.
func (s *Solid) CheckTangled() error {
	if err := s.CheckIDs(); err != nil {
		return err
	}
	_, err := s.checkTopology(true)
	return err
}

// checkTopology looks for faults that do not depend on the shapes of cells, and returns the boundary.
func (s *Solid) checkTopology(tangled bool) ([]SkinFace, error) {
	skin, err := s.Skin()
	if err != nil {
		return nil, err
	}
	refused := func(int32) bool { return true }
	if tangled {
		outer := make([]bool, len(s.X))
		for _, f := range skin {
			outer[f.V[0]], outer[f.V[1]], outer[f.V[2]] = true, true, true
		}
		refused = func(v int32) bool { return outer[v] }
	}
	return skin, errors.Join(s.checkDangling(), s.checkPositions(refused), s.checkTagged(skin))
}

// maxSolidCells keeps the numbers of corners and neighbours within int32.
const maxSolidCells = math.MaxInt32 / 12

// CheckIDs refuses slices of the wrong length, ids out of range, cells with a repeated vertex and coordinates that are
// not finite. Other methods rely on it.
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
		return fmt.Errorf("the mesh has %d tetrahedra, but the tags of %d tetrahedra", len(s.Cells), len(s.CellTag))
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
	infinite := fault{what: "vertex with a coordinate that is not finite",
		many: "vertices with coordinates that are not finite", advice: "correct the coordinates"}
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

// flatSolid is the round-off tolerance of a volume, relative to the sum of the absolute values of its terms.
const flatSolid = 16 * 0x1p-53

// checkShapes refuses cells whose volume is not positive by more than round-off.
func (s *Solid) checkShapes() error {
	inverted := fault{what: "inverted tetrahedron", many: "inverted tetrahedra",
		advice: "orient them with atoll mesh convert --orient"}
	huge := fault{what: "tetrahedron whose volume overflows", many: "tetrahedra whose volumes overflow",
		advice: "scale the coordinates"}
	flat := fault{what: "flat tetrahedron", many: "flat tetrahedra", advice: "mesh the domain again"}
	for c, v := range s.Cells {
		a := s.At(v[0])
		b, d, e := vector.Minus(s.At(v[1]), a), vector.Minus(s.At(v[2]), a), vector.Minus(s.At(v[3]), a)
		volume, scale := vector.Dot(b, vector.Cross(d, e)), 0.0
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			scale += math.Abs(b[k]) * (math.Abs(d[i]*e[j]) + math.Abs(d[j]*e[i]))
		}
		describe := func() string {
			return fmt.Sprintf("tetrahedron %d (vertices %v) at %v of volume %g", c, v, a, volume/6)
		}
		switch {
		case !finite(scale):
			huge.add(describe)
		case volume < -flatSolid*scale:
			inverted.add(describe)
		case !(volume > flatSolid*scale):
			flat.add(describe)
		}
	}
	if inverted.count > 0 && overlapIfTurned(s) {
		inverted.advice = "turned, they overlap others; mesh the domain again"
	}
	return joinFaults(&inverted, &flat, &huge)
}

// checkDangling refuses vertices in no cell.
func (s *Solid) checkDangling() error {
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
	// Nearly all tagged faces are on the boundary. Interior faces are searched only if some are not.
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
				delete(missing, ascending(s.FaceOpposite(int32(c), k)))
			}
		}
	}
	stray := fault{what: "tagged face that no tetrahedron has", many: "tagged faces that no tetrahedron has",
		advice: "the file is damaged, or mixes two meshes"}
	for i, f := range s.Faces {
		if index, ok := missing[ascending(f.V)]; ok && index == i {
			stray.add(func() string { return fmt.Sprintf("tagged face %d (vertices %v)", i, f.V) })
		}
	}
	return joinFaults(&stray)
}
