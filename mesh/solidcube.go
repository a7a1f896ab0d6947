package mesh

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh/lattice"
)

// maxCubeSide bounds the number of boxes along a side of a generated cube, maxCubeBoxes that of all boxes.
const (
	maxCubeSide  = 1 << 20
	maxCubeBoxes = 300 * 300 * 300
)

// Cube returns a mesh of the unit cube: nx × ny × nz boxes of six tetrahedra each (H. W. Kuhn, IBM J. Res. Dev. 4
// (1960) 518), which share the diagonal of the box from its corner nearest to the origin. Interior vertices are moved
// at random along all axes by up to shift times the spacing, those on the sides within the side, those on the edges
// along the edge. shift must be below 1/6, from where tetrahedra could be inverted. The sides x = 0, x = 1, y = 0, y =
// 1, z = 0 and z = 1 have the tags 1 to 6.
func Cube(nx, ny, nz int, shift float64, seed uint64) (*Solid, error) {
	if min(nx, ny, nz) < 1 || max(nx, ny, nz) > maxCubeSide || nx*ny > maxCubeBoxes || nx*ny*nz > maxCubeBoxes {
		return nil, fmt.Errorf("a cube of %d × %d × %d boxes: give at least 1 along each axis, and at most %d in all", nx,
			ny, nz, maxCubeBoxes)
	}
	if !(shift >= 0 && shift < 1./6) {
		return nil, fmt.Errorf("vertices are to move by %g times the spacing: give 0 or more and less than 1/6, from where "+
			"tetrahedra could be inverted", shift)
	}
	s := &Solid{}
	n := [3]int{nx, ny, nz}
	coordinates := [3][]float64{subdivide(0, 1, nx), subdivide(0, 1, ny), subdivide(0, 1, nz)}
	for k := range nz + 1 {
		for j := range ny + 1 {
			for i := range nx + 1 {
				id := uint64(len(s.X))
				var position [3]float64
				for axis, index := range [3]int{i, j, k} {
					position[axis] = coordinates[axis][index]
					if index > 0 && index < n[axis] {
						position[axis] += shift * lattice.Signed(lattice.Random(seed, 3*id+uint64(axis))) / float64(n[axis])
					}
				}
				s.X, s.Y, s.Z = append(s.X, position[0]), append(s.Y, position[1]), append(s.Z, position[2])
			}
		}
	}
	// Vertex ids increase with i fastest, so that a step along an axis adds a constant to the id.
	step := [3]int32{1, int32(nx + 1), int32((nx + 1) * (ny + 1))}
	for k := range nz {
		for j := range ny {
			for i := range nx {
				s.addBox(int32(i)+int32(j)*step[1]+int32(k)*step[2], step)
			}
		}
	}
	skin, err := s.Skin()
	if err != nil {
		return nil, err
	}
	for _, f := range skin {
		s.Faces = append(s.Faces, TaggedFace{f.V, s.side(f.V)})
	}
	return s, nil
}

// BoxCounts returns the numbers of boxes along each axis, roughly cubes, into which Box cuts the box from low to high
// for about the given number of tetrahedra, six a box.
func BoxCounts(low, high [3]float64, cells int) (n [3]int, err error) {
	volume := 1.0
	for k := range low {
		if !(low[k] < high[k]) || math.IsInf(high[k]-low[k], 0) {
			return n, fmt.Errorf("a box from %v to %v: each coordinate of the first corner must be less than that of the "+
				"second, and the difference finite", low, high)
		}
		volume *= high[k] - low[k]
	}
	side := math.Cbrt(6 * volume / float64(max(6, cells)))
	for k := range n {
		n[k] = int(min(max(1, math.Round((high[k]-low[k])/side)), maxCubeSide))
	}
	return n, nil
}

// Box returns a mesh of the box from low to high with about the given number of tetrahedra: a Cube with BoxCounts and
// a shift of 0.1, scaled to the box.
func Box(low, high [3]float64, cells int, seed uint64) (*Solid, error) {
	n, err := BoxCounts(low, high, cells)
	if err != nil {
		return nil, err
	}
	s, err := Cube(n[0], n[1], n[2], .1, seed)
	if err != nil {
		return nil, err
	}
	for k, x := range [3][]float64{s.X, s.Y, s.Z} {
		for v, u := range x {
			if x[v] = low[k] + u*(high[k]-low[k]); u == 1 {
				x[v] = high[k]
			}
		}
	}
	return s, nil
}

// addBox adds the six tetrahedra of a box whose first corner is given. Three edges of each tetrahedron lead along the
// axes, in one of six orders, from the first corner of the box to the opposite one.
func (s *Solid) addBox(corner int32, step [3]int32) {
	for _, order := range [6][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}} {
		b := corner + step[order[0]]
		c := b + step[order[1]]
		d := c + step[order[2]]
		if (order[1]+1)%3 == order[2] {
			s.Cells = append(s.Cells, [4]int32{corner, b, c, d})
		} else {
			s.Cells = append(s.Cells, [4]int32{corner, c, b, d})
		}
	}
}

// side returns the tag of the side of the unit cube on which a face lies.
func (s *Solid) side(v [3]int32) int32 {
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		for k, coordinate := range [2]float64{0, 1} {
			if x[v[0]] == coordinate && x[v[1]] == coordinate && x[v[2]] == coordinate {
				return int32(2*axis + k + 1)
			}
		}
	}
	return 0
}
