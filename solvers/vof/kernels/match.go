package kernels

// Matching is the iterative reconstruction of Francois, Lo and Sewell (ASME 2014) in the plane: the line n·x + ρ = 0
// with x from the middle of the cell, n the unit vector along the gradient, so that n·x + ρ ≥ 0 is the fluid, and ρ
// such that its polygon has the cell's volume.
//
//atoll:constant
type Matching[F Float] struct {
	Lattice
	H         [3]F    // sides of a cell
	Tolerance F       // of the volume, as a part of the cell's
	Cases     []int32 // as by Cases
	F         []F
	DX, DY    []F     // its gradient
	Rho       []F     // of mixed cells
	Turns     []int32 // how many polygons it took, -1 where there is no gradient; a pure cell keeps what it has
}

// Cases is the look-up table of the paper's Figure 2. A row of 8 has the number of vertices in the fluid, these vertices
// counterclockwise, and then the two edges that the line crosses, each as the pair of its vertices; -1 fills it up.
// Vertices are {lower left, lower right, upper left, upper right}. A row's number has the bits 1, 2, 4, 8 for vertices
// 0, 1, 3, 2. No line leads to rows 5 and 10.
func Cases() []int32 {
	return []int32{
		0, -1, -1, -1, -1, -1, -1, -1,
		1, 0, 0, 1, 0, 2, -1, -1,
		1, 1, 1, 3, 0, 1, -1, -1,
		2, 0, 1, 1, 3, 0, 2, -1,
		1, 3, 2, 3, 1, 3, -1, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
		2, 1, 3, 2, 3, 0, 1, -1,
		3, 0, 1, 3, 2, 3, 0, 2,
		1, 2, 0, 2, 2, 3, -1, -1,
		2, 2, 0, 0, 1, 2, 3, -1,
		-1, -1, -1, -1, -1, -1, -1, -1,
		3, 2, 0, 1, 1, 3, 2, 3,
		2, 3, 2, 0, 2, 1, 3, -1,
		3, 3, 2, 0, 0, 1, 1, 3,
		3, 1, 3, 2, 0, 2, 0, 1,
		4, 0, 1, 3, 2, -1, -1, -1,
	}
}

// Match2 finds ρ of cell (i, j) if it is mixed, by false position (Illinois) between the lines through its corners.
//
//atoll:kernel
func Match2[F Float](i, j int, m *Matching[F]) {
	c := m.at(i, j, 0)
	if !pure(m.F[c]) {
		m.match(c)
	}
}

// MatchRows is how many cells MatchRows2 takes.
const MatchRows = 4

// MatchRows2 is Match2 for cells (i, 4j) to (i, 4j+3). It reads all of them before it looks: most are pure.
//
//atoll:kernel
func MatchRows2[F Float](i, j int, m *Matching[F]) {
	c, sy := m.at(i, MatchRows*j, 0), int(m.SY)
	f, g, h, l := m.F[c], m.F[c+sy], m.F[c+2*sy], m.F[c+3*sy]
	if pure(f) && pure(g) && pure(h) && pure(l) {
		return
	}
	for range MatchRows {
		if !pure(m.F[c]) {
			m.match(c)
		}
		c += sy
	}
}

func pure[F Float](f F) bool { return f <= 0 || f >= 1 }

// match finds ρ of the mixed cell at place c.
func (m *Matching[F]) match(c int) {
	f := m.F[c]
	nx, ny := m.DX[c], m.DY[c]
	size := sqrt(nx*nx + ny*ny)
	if size < faint {
		m.Turns[c] = -1
		return
	}
	nx, ny = nx/size, ny/size
	hi := (abs(nx)*m.H[0] + abs(ny)*m.H[1]) / 2 // all is fluid
	lo := -hi
	missLo, missHi := -f, 1-f
	rho, turns, last := F(0), int32(0), int32(0)
	for turns < 100 {
		rho = lo - missLo*(hi-lo)/(missHi-missLo)
		turns++
		miss := m.polygon(nx, ny, rho) - f
		if abs(miss) <= m.Tolerance {
			break
		}
		if miss < 0 {
			lo, missLo = rho, miss
			if last < 0 {
				missHi /= 2
			}
			last = -1
		} else {
			hi, missHi = rho, miss
			if last > 0 {
				missLo /= 2
			}
			last = 1
		}
	}
	m.Rho[c], m.Turns[c] = rho, turns
}

// corner is a vertex of the cell, from its middle.
func (m *Matching[F]) corner(v int32) (x, y F) {
	return (F(v&1) - 0.5) * m.H[0], (F(v>>1) - 0.5) * m.H[1]
}

// polygon is the part of the cell's area in n·x + ρ ≥ 0.
func (m *Matching[F]) polygon(nx, ny, rho F) F {
	row := int32(0)
	for bit := range int32(4) {
		v := bit
		if bit >= 2 {
			v = 5 - bit
		}
		x, y := m.corner(v)
		if nx*x+ny*y+rho >= 0 {
			row |= 1 << bit
		}
	}
	if row == 15 {
		return 1
	}
	n := m.Cases[8*row]
	if n <= 0 {
		return 0
	}
	x0, y0 := m.corner(m.Cases[8*row+1])
	x, y, twice := F(0), F(0), F(0) // from the first point
	for k := int32(1); k < n+2; k++ {
		px, py := F(0), F(0)
		if k < n {
			px, py = m.corner(m.Cases[8*row+1+k])
		} else {
			edge := 8*row + 1 + n + 2*(k-n)
			ax, ay := m.corner(m.Cases[edge])
			bx, by := m.corner(m.Cases[edge+1])
			a, b := nx*ax+ny*ay+rho, nx*bx+ny*by+rho
			t := a / (a - b)
			px, py = ax+t*(bx-ax), ay+t*(by-ay)
		}
		px, py = px-x0, py-y0
		twice += x*py - px*y
		x, y = px, py
	}
	return twice / 2 / (m.H[0] * m.H[1])
}
