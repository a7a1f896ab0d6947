package mesh

import (
	"fmt"
	"math"
)

// maxCubeSide bounds the boxes along a side of a generated cube, and maxCubeBoxes all of them.
const (
	maxCubeSide  = 1 << 20
	maxCubeBoxes = 300 * 300 * 300
)

// Cube returns the unit cube in nx × ny × nz boxes of six tetrahedra each (H. W. Kuhn, IBM J. Res. Dev. 4 (1960) 518),
// all around the diagonals from the corner nearest to the origin. Vertices inside move along all axes by up to shift, a
// share of the spacing below 1/6, at which tetrahedra could turn over; those on the sides move in them, and those on
// the edges along these. The seed decides. The sides are tagged 1 to 6: x = 0, x = 1, y = 0, y = 1, z = 0, z = 1.
func Cube(nx, ny, nz int, shift float64, seed uint64) (*Solid, error) {
	if min(nx, ny, nz) < 1 || max(nx, ny, nz) > maxCubeSide || nx*ny > maxCubeBoxes || nx*ny*nz > maxCubeBoxes {
		return nil, fmt.Errorf("a cube of %d × %d × %d boxes: at least one a side, and up to %d in all, can be made", nx,
			ny, nz, maxCubeBoxes)
	}
	if !(shift >= 0 && shift < 1./6) {
		return nil, fmt.Errorf("vertices that move by %g of the spacing: tetrahedra keep their orientation from 0 to "+
			"below 1/6",
			shift)
	}
	s := &Solid{}
	n := [3]int{nx, ny, nz}
	at := [3][]float64{subdivide(0, 1, nx), subdivide(0, 1, ny), subdivide(0, 1, nz)}
	for k := range nz + 1 {
		for j := range ny + 1 {
			for i := range nx + 1 {
				id := uint64(len(s.X))
				var place [3]float64
				for axis, index := range [3]int{i, j, k} {
					place[axis] = at[axis][index]
					if index > 0 && index < n[axis] {
						place[axis] += shift * signed(draw(seed, 3*id+uint64(axis))) / float64(n[axis])
					}
				}
				s.X, s.Y, s.Z = append(s.X, place[0]), append(s.Y, place[1]), append(s.Z, place[2])
			}
		}
	}
	// Vertices are numbered with i fastest, so that a step along an axis adds a constant.
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

// BoxCounts is how many boxes along each axis, about cubes, a box is cut into for about so many tetrahedra, of which
// each of them gives six.
func BoxCounts(low, high [3]float64, cells int) (n [3]int, err error) {
	volume := 1.0
	for k := range low {
		if !(low[k] < high[k]) || math.IsInf(high[k]-low[k], 0) {
			return n, fmt.Errorf("a box from %v to %v has no room", low, high)
		}
		volume *= high[k] - low[k]
	}
	side := math.Cbrt(6 * volume / float64(max(6, cells)))
	for k := range n {
		n[k] = int(min(max(1, math.Round((high[k]-low[k])/side)), maxCubeSide))
	}
	return n, nil
}

// Box returns a box with about so many tetrahedra: a Cube of boxes by BoxCounts, drawn out, with a shift of a tenth.
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

// addBox adds the tetrahedra of a box: each goes from its first corner to its last along the axes in one of six orders.
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

// side is the tag of a face of the unit cube.
func (s *Solid) side(v [3]int32) int32 {
	for axis, x := range [3][]float64{s.X, s.Y, s.Z} {
		for k, at := range [2]float64{0, 1} {
			if x[v[0]] == at && x[v[1]] == at && x[v[2]] == at {
				return int32(2*axis + k + 1)
			}
		}
	}
	return 0
}
