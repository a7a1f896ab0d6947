package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Seeding holds the parameters of seeding.
//
//atoll:constant
type Seeding[F num.Float] struct {
	Lattice     Lattice[F]
	Domain      Domain
	Phi         []F
	Each        int32 // particles of each sign a cell
	Band        F     // of dual cells with a corner that is nearer to the interface
	Least, Most F     // of radii
	Reach       int32 // how many cells attraction may lead away, along each axis
	Event       int64 // the number of the seeding
}

// cell returns the number of a dual cell of a block, x fastest.
func (s *Seeding[F]) cell(i, j, k int) int {
	d := &s.Domain
	nx, ny := int(d.Hi[0]-d.Lo[0]), int(d.Hi[1]-d.Lo[1])
	return i - int(d.Lo[0]) + nx*(j-int(d.Lo[1])+ny*(k-int(d.Lo[2])))
}

// inBand reports whether a dual cell is seeded.
func (s *Seeding[F]) inBand(i, j, k int) bool {
	l := &s.Lattice
	c := l.at(i, j, k)
	near := false
	for corner := range 1 << l.Dim {
		near = near || num.Abs(s.Phi[c+corner&1+(corner>>1&1)*l.SY+corner>>2*l.SZ]) < s.Band
	}
	return near
}

// CountSeeds computes the number of particles to seed in dual cell (i, j, k).
//
//atoll:kernel
func CountSeeds[F num.Float](i, j, k int, s *Seeding[F], count []int32) {
	n := int32(0)
	if s.inBand(i, j, k) {
		n = 2 * s.Each
	}
	count[s.cell(i, j, k)] = n
}

// Seed seeds the particles of dual cell (i, j, k), the first half of them outside. Each starts at a random position
// in the cell and is attracted to a random distance on its side (Enright, Fedkiw, Ferziger and Mitchell, J. Comput.
// Phys. 183, 2002). One that does not reach it, or starts beyond a wall, is dropped with a radius of 0.
//
//atoll:kernel grain=64
func Seed[F num.Float](i, j, k int, s *Seeding[F], first []int32, p []Particle[F], id []int64) {
	if !s.inBand(i, j, k) {
		return
	}
	for n := range 2 * s.Each {
		at := int(first[s.cell(i, j, k)] + n)
		number := s.number(i, j, k, n)
		q := Particle[F]{R: s.Least}
		if n >= s.Each {
			q.R = -s.Least
		}
		p[at] = s.attract(q, i, j, k, number)
		id[at] = number
	}
}

// number returns a number for a particle that is unique over all time.
func (s *Seeding[F]) number(i, j, k int, n int32) int64 {
	d := &s.Domain
	cell := int64(k + 1)
	cell = cell*int64(d.Cells[1]+1) + int64(j+1)
	cell = cell*int64(d.Cells[0]+1) + int64(i+1)
	all := int64(d.Cells[0]+1) * int64(d.Cells[1]+1) * int64(d.Cells[2]+1)
	return (s.Event*all+cell)*int64(2*s.Each) + int64(n)
}

// random returns the draw-th random number of a particle, in [0, 1), by SplitMix64's mixing of its number,
// independent of order and ranks.
func random[F num.Float](number int64, draw uint64) F {
	x := hashed(hashed(uint64(number)) + draw)
	return F(int64(x>>40)) * 0x1p-24
}

func hashed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// attraction is the maximum number of moves of a particle toward its distance.
const (
	attractions = 15
	halvings    = 4
)

// attract positions a particle of dual cell (i, j, k) whose side is the sign of its R.
func (s *Seeding[F]) attract(q Particle[F], i, j, k int, number int64) Particle[F] {
	l := &s.Lattice
	q.X = F(i) + random[F](number, 0)
	q.Y = F(j) + random[F](number, 1)
	if l.Dim == 3 {
		q.Z = F(k) + random[F](number, 2)
	}
	if !s.inside(q, i, j, k) {
		q.R = 0
		return q
	}
	goal := s.Least + (s.Band-s.Least)*random[F](number, 3)
	if q.R < 0 {
		goal = -goal
	}
	for range attractions {
		phi, nx, ny, nz := s.normal(q)
		signed := phi
		if q.R < 0 {
			signed = -phi
		}
		if signed >= s.Least && signed <= s.Band {
			q.R = s.radiusFor(q.R, phi)
			return q
		}
		way := goal - phi
		moved := false
		for range halvings {
			to := Particle[F]{X: q.X + way*nx/l.H[0], Y: q.Y + way*ny/l.H[1], Z: q.Z + way*nz/l.H[2], R: q.R}
			if !moved && s.inside(to, i, j, k) {
				q = to
				moved = true
			}
			way /= 2
		}
		if !moved {
			break
		}
	}
	q.R = 0
	return q
}

// radiusFor returns the radius of a particle at a level set of phi.
func (s *Seeding[F]) radiusFor(r, phi F) F {
	if r < 0 {
		return -num.Smaller(num.Larger(-phi, s.Least), s.Most)
	}
	return num.Smaller(num.Larger(phi, s.Least), s.Most)
}

// inside reports whether a particle of dual cell (i, j, k) is in the domain and within reach.
func (s *Seeding[F]) inside(q Particle[F], i, j, k int) bool {
	return s.allowed(0, i, q.X) && s.allowed(1, j, q.Y) && (s.Lattice.Dim == 2 || s.allowed(2, k, q.Z))
}

func (s *Seeding[F]) allowed(axis, from int, x F) bool {
	d := &s.Domain
	if !d.Periodic[axis] && !(x >= -0.5 && x < F(d.Cells[axis])-0.5) {
		return false
	}
	return x >= F(from-int(s.Reach)) && x < F(from+int(s.Reach)+1)
}

// normal returns the level set at a particle, and its direction of ascent.
func (s *Seeding[F]) normal(q Particle[F]) (phi, nx, ny, nz F) {
	l := &s.Lattice
	i, x := splitCoordinate(q.X)
	j, y := splitCoordinate(q.Y)
	k, z := splitCoordinate(q.Z)
	c := l.at(i, j, k)
	f := s.Phi
	phi = l.linear(f, c, x, y, z)
	d := c + l.SZ
	a00, a10, a01, a11 := f[c], f[c+1], f[c+l.SY], f[c+l.SY+1]
	if l.Dim == 3 {
		b00, b10, b01, b11 := f[d], f[d+1], f[d+l.SY], f[d+l.SY+1]
		nz = (lerp(lerp(b00, b10, x), lerp(b01, b11, x), y) - lerp(lerp(a00, a10, x), lerp(a01, a11, x), y)) / l.H[2]
		a00, a10, a01, a11 = lerp(a00, b00, z), lerp(a10, b10, z), lerp(a01, b01, z), lerp(a11, b11, z)
	}
	nx = lerp(a10-a00, a11-a01, y) / l.H[0]
	ny = lerp(a01-a00, a11-a10, x) / l.H[1]
	size := num.Sqrt(nx*nx + ny*ny + nz*nz)
	if size > 0 {
		nx, ny, nz = nx/size, ny/size, nz/size
	}
	return phi, nx, ny, nz
}
