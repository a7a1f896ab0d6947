package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Matching is the iterative reconstruction of Francois, Lo and Sewell (ASME 2014) in the plane: the line n·x + ρ = 0
// with x from the middle of the cell, n the unit vector along the gradient, so that n·x + ρ ≥ 0 is the fluid, and ρ
// such that its polygon has the cell's volume.
//
//atoll:constant
type Matching[F num.Float] struct {
	Lattice
	H          [3]F     // sides of a cell
	Tolerance  F        // of the volume, as a part of the cell's
	Cases      []uint32 // the result of the function Cases
	F          []F
	DX, DY     []F     // its gradient
	Rho        []F     // of mixed cells
	Iterations []int32 // number of iterations for each mixed cell, -1 without a gradient; pure cells are not written
	All        bool    // pure cells with a gradient have a line too, through a corner: the gradient of each cell is read
}

// figure2 is the look-up table of the paper's Figure 2. A row has the number of vertices in the fluid, these vertices
// counterclockwise, and then the two edges that the line crosses, each as the pair of its vertices; -1 fills it up.
// Vertices are {lower left, lower right, upper left, upper right}. A row's number has the bits 1, 2, 4, 8 for vertices
// 0, 1, 3, 2. No line leads to rows 5 and 10.
var figure2 = [16][8]int32{
	{0, -1, -1, -1, -1, -1, -1, -1},
	{1, 0, 0, 1, 0, 2, -1, -1},
	{1, 1, 1, 3, 0, 1, -1, -1},
	{2, 0, 1, 1, 3, 0, 2, -1},
	{1, 3, 2, 3, 1, 3, -1, -1},
	{-1, -1, -1, -1, -1, -1, -1, -1},
	{2, 1, 3, 2, 3, 0, 1, -1},
	{3, 0, 1, 3, 2, 3, 0, 2},
	{1, 2, 0, 2, 2, 3, -1, -1},
	{2, 2, 0, 0, 1, 2, 3, -1},
	{-1, -1, -1, -1, -1, -1, -1, -1},
	{3, 2, 0, 1, 1, 3, 2, 3},
	{2, 3, 2, 0, 2, 1, 3, -1},
	{3, 3, 2, 0, 0, 1, 1, 3},
	{3, 1, 3, 2, 0, 2, 0, 1},
	{4, 0, 1, 3, 2, -1, -1, -1},
}

// Cases returns the look-up table of the paper's Figure 2, with each row packed into a number, its first entry in the
// lowest four bits.
func Cases() []uint32 {
	rows := make([]uint32, len(figure2))
	for r, row := range figure2 {
		for k, entry := range row {
			rows[r] |= uint32(entry&15) << (4 * k)
		}
	}
	return rows
}

// Match2 finds ρ of cell (i, j) if it is mixed.
//
//atoll:kernel
func Match2[F num.Float](i, j int, m *Matching[F]) {
	c := m.at(i, j, 0)
	if mixed(m.F[c], 0) || m.All && (m.DX[c] != 0 || m.DY[c] != 0) {
		m.match(c)
	}
}

// match finds ρ of the mixed cell at index c, between the lines through its corners. The area V(ρ) of the polygon is
// quadratic if one vertex, or all but one, is in the fluid, and linear if two are. Each iteration goes to the ρ at
// which V is right if the case does not change; once the case is right so is ρ, up to round-off.
func (m *Matching[F]) match(c int) {
	f := m.F[c]
	nx, ny := m.DX[c], m.DY[c]
	size := num.Sqrt(nx*nx + ny*ny)
	if size < geom.Faint {
		m.Iterations[c] = -1
		return
	}
	a, b := nx/size*m.H[0], ny/size*m.H[1] // how the distance from the line grows over the cell, along x and y
	steepness := 1 / (a*a + b*b)
	hi := (num.Abs(a) + num.Abs(b)) / 2 // all is fluid
	lo := -hi
	rho, turns := lo+f*(hi-lo), int32(0)
	for {
		p := m.polygon(a, b, rho)
		turns++
		miss := p.area - f
		if num.Abs(miss) <= m.Tolerance || turns == 100 {
			break
		}
		if miss < 0 {
			lo = rho
		} else {
			hi = rho
		}
		// The slope of V is the length of the line over the steepness of the distance.
		next := rho - p.excess(f)/(num.Abs(a*p.dy-b*p.dx)*steepness)
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if next == rho {
			break // no number is between lo and hi
		}
		rho = next
	}
	m.Rho[c], m.Iterations[c] = rho, turns
}

// polygon is the fluid in a cell, with the cell mapped to the unit square.
type polygon[F num.Float] struct {
	vertices int32 // of the cell that are in the fluid
	area     F
	dx, dy   F // along its side on the line
}

// excess returns by how much the area exceeds f, to first order in the distance in which it is exact: by the square
// root for a triangle.
func (p *polygon[F]) excess(f F) F {
	switch p.vertices {
	case 1:
		root := num.Sqrt(p.area)
		return 2 * root * (root - num.Sqrt(f))
	case 3:
		root := num.Sqrt(1 - p.area)
		return 2 * root * (num.Sqrt(1-f) - root)
	}
	return p.area - f
}

// corner returns a vertex of the unit square relative to its centre.
func corner[F num.Float](v uint32) (x, y F) { return F(int32(v&1)) - 0.5, F(int32(v>>1)) - 0.5 }

// crossing2 returns the point at which a·x + b·y + ρ = 0 crosses the edge between vertices u and v.
func crossing2[F num.Float](a, b, rho F, u, v uint32) (x, y F) {
	ux, uy := corner[F](u)
	vx, vy := corner[F](v)
	from, to := (a*ux+b*uy)+rho, (a*vx+b*vy)+rho // the very numbers whose signs gave the case
	t := from / (from - to)
	return ux + t*(vx-ux), uy + t*(vy-uy)
}

// polygon is the part of the unit square in a·x + b·y + ρ ≥ 0.
func (m *Matching[F]) polygon(a, b, rho F) polygon[F] {
	number := int32(0)
	rising, falling := (a+b)/2, (a-b)/2
	if rho-rising >= 0 {
		number |= 1
	}
	if rho+falling >= 0 {
		number |= 2
	}
	if rho+rising >= 0 {
		number |= 4
	}
	if rho-falling >= 0 {
		number |= 8
	}
	if number == 15 {
		return polygon[F]{vertices: 4, area: 1}
	}
	row := m.Cases[number]
	n := row & 15
	if n == 0 || n > 3 {
		return polygon[F]{}
	}
	edges := row >> (4 * (n + 1))
	px, py := crossing2(a, b, rho, edges&3, edges>>4&3)
	qx, qy := crossing2(a, b, rho, edges>>8&3, edges>>12&3)
	x0, y0 := corner[F](row >> 4 & 3)
	x, y, twice := F(0), F(0), F(0) // from the first vertex
	for k := uint32(1); k < n; k++ {
		vx, vy := corner[F](row >> (4 * (k + 1)) & 3)
		vx, vy = vx-x0, vy-y0
		twice += x*vy - vx*y
		x, y = vx, vy
	}
	twice += x*(py-y0) - (px-x0)*y
	twice += (px-x0)*(qy-y0) - (qx-x0)*(py-y0)
	return polygon[F]{int32(n), twice / 2, qx - px, qy - py}
}
