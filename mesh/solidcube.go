package mesh

import "fmt"

// maxCubeSide bounds the tetrahedra of a generated cube.
const maxCubeSide = 300

// Cube returns the unit cube in n × n × n boxes of six tetrahedra each (H. W. Kuhn, IBM J. Res. Dev. 4 (1960) 518), all
// around the diagonals from the corner nearest to the origin. Vertices inside move along all axes by up to shift, a
// share of the spacing below 1/6, at which tetrahedra could turn over; those on the sides move in them, and those on
// the edges along these. The seed decides. The sides are tagged 1 to 6: x = 0, x = 1, y = 0, y = 1, z = 0, z = 1.
func Cube(n int, shift float64, seed uint64) (*Solid, error) {
	if n < 1 || n > maxCubeSide {
		return nil, fmt.Errorf("a cube of %d boxes a side: between 1 and %d can be made", n, maxCubeSide)
	}
	if !(shift >= 0 && shift < 1./6) {
		return nil, fmt.Errorf("vertices that move by %g of the spacing: tetrahedra keep their orientation from 0 to below 1/6",
			shift)
	}
	s := &Solid{}
	at := subdivide(0, 1, n)
	for k := range n + 1 {
		for j := range n + 1 {
			for i := range n + 1 {
				id := uint64(len(s.X))
				place := [3]float64{at[i], at[j], at[k]}
				for axis, index := range [3]int{i, j, k} {
					if index > 0 && index < n {
						place[axis] += shift * signed(draw(seed, 3*id+uint64(axis))) / float64(n)
					}
				}
				s.X, s.Y, s.Z = append(s.X, place[0]), append(s.Y, place[1]), append(s.Z, place[2])
			}
		}
	}
	// Vertices are numbered with i fastest, so that a step along an axis adds a constant.
	step := [3]int32{1, int32(n + 1), int32((n + 1) * (n + 1))}
	for k := range n {
		for j := range n {
			for i := range n {
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
