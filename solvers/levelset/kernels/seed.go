package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Seeding holds the parameters of seeding.
//
//atoll:constant
type Seeding[F num.Float] struct {
	Lattice              Lattice[F]
	Domain               Domain
	Phi                  []F
	PerSign              int32 // particles of each sign in a cell
	Band                 F     // a dual cell is seeded if |φ| is smaller at one of its corners
	MinRadius, MaxRadius F     // limits of radii
	Reach                int32 // number of cells that attraction may move a particle along each axis
	Seedings             int64 // number of earlier seedings of the run
}

// cellNumber returns the number of a dual cell of a block, x fastest.
func (s *Seeding[F]) cellNumber(i, j, k int) int {
	d := &s.Domain
	nx, ny := int(d.Hi[0]-d.Lo[0]), int(d.Hi[1]-d.Lo[1])
	return i - int(d.Lo[0]) + nx*(j-int(d.Lo[1])+ny*(k-int(d.Lo[2])))
}

// inBand reports whether a dual cell is seeded.
func (s *Seeding[F]) inBand(i, j, k int) bool {
	l := &s.Lattice
	c := l.index(i, j, k)
	inside := false
	for corner := range 1 << l.Dim {
		inside = inside || num.Abs(s.Phi[c+corner&1+(corner>>1&1)*l.SY+corner>>2*l.SZ]) < s.Band
	}
	return inside
}

// CountSeeds computes the number of particles to seed in dual cell (i, j, k).
//
//atoll:kernel
func CountSeeds[F num.Float](i, j, k int, s *Seeding[F], count []int32) {
	n := int32(0)
	if s.inBand(i, j, k) {
		n = 2 * s.PerSign
	}
	count[s.cellNumber(i, j, k)] = n
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
	for n := range 2 * s.PerSign {
		slot := int(first[s.cellNumber(i, j, k)] + n)
		number := s.particleNumber(i, j, k, n)
		q := Particle[F]{R: s.MinRadius}
		if n >= s.PerSign {
			q.R = -s.MinRadius
		}
		p[slot] = s.attract(q, i, j, k, number)
		id[slot] = number
	}
}

// particleNumber returns a number for the n-th particle of a dual cell that is unique in the run.
func (s *Seeding[F]) particleNumber(i, j, k int, n int32) int64 {
	d := &s.Domain
	cell := int64(k + 1)
	cell = cell*int64(d.Cells[1]+1) + int64(j+1)
	cell = cell*int64(d.Cells[0]+1) + int64(i+1)
	all := int64(d.Cells[0]+1) * int64(d.Cells[1]+1) * int64(d.Cells[2]+1)
	return (s.Seedings*all+cell)*int64(2*s.PerSign) + int64(n)
}

// random returns the draw-th random number of a particle, in [0, 1), by SplitMix64's mixing of its number,
// independent of the order of particles and of ranks.
func random[F num.Float](number int64, draw uint64) F {
	x := mixed(mixed(uint64(number)) + draw)
	return F(int64(x>>40)) * 0x1p-24
}

func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// A particle moves toward its distance at most maxMoves times. A move that would lead too far is halved at most
// maxHalvings-1 times.
const (
	maxMoves    = 15
	maxHalvings = 4
)

// attract positions a particle of dual cell (i, j, k) at a random distance on its side, which is the sign of its R.
// A particle that does not get there is removed.
func (s *Seeding[F]) attract(q Particle[F], i, j, k int, number int64) Particle[F] {
	l := &s.Lattice
	q.X = F(i) + random[F](number, 0)
	q.Y = F(j) + random[F](number, 1)
	if l.Dim == 3 {
		q.Z = F(k) + random[F](number, 2)
	}
	if !s.isAllowed(q, i, j, k) {
		q.R = 0
		return q
	}
	target := s.MinRadius + (s.Band-s.MinRadius)*random[F](number, 3)
	if q.R < 0 {
		target = -target
	}
	for range maxMoves {
		phi, nx, ny, nz := s.normal(q)
		depth := phi
		if q.R < 0 {
			depth = -phi
		}
		if depth >= s.MinRadius && depth <= s.Band {
			q.R = s.radiusFor(q.R, phi)
			return q
		}
		shift := target - phi
		found := false
		for range maxHalvings {
			moved := Particle[F]{X: q.X + shift*nx/l.H[0], Y: q.Y + shift*ny/l.H[1], Z: q.Z + shift*nz/l.H[2], R: q.R}
			if !found && s.isAllowed(moved, i, j, k) {
				q = moved
				found = true
			}
			shift /= 2
		}
		if !found {
			break
		}
	}
	q.R = 0
	return q
}

// radiusFor returns the radius of a particle where the level set is phi, with the sign of r.
func (s *Seeding[F]) radiusFor(r, phi F) F {
	if r < 0 {
		return -num.Smaller(num.Larger(-phi, s.MinRadius), s.MaxRadius)
	}
	return num.Smaller(num.Larger(phi, s.MinRadius), s.MaxRadius)
}

// isAllowed reports whether a particle of dual cell (i, j, k) is in the domain and within reach of its cell.
func (s *Seeding[F]) isAllowed(q Particle[F], i, j, k int) bool {
	return s.isAllowedAlong(0, i, q.X) && s.isAllowedAlong(1, j, q.Y) && (s.Lattice.Dim == 2 || s.isAllowedAlong(2, k,
		q.Z))
}

func (s *Seeding[F]) isAllowedAlong(axis, cell int, x F) bool {
	d := &s.Domain
	if !d.Periodic[axis] && !(x >= -0.5 && x < F(d.Cells[axis])-0.5) {
		return false
	}
	return x >= F(cell-int(s.Reach)) && x < F(cell+int(s.Reach)+1)
}

// normal returns the level set at a particle, and its direction of ascent.
func (s *Seeding[F]) normal(q Particle[F]) (phi, nx, ny, nz F) {
	l := &s.Lattice
	i, x := splitCoordinate(q.X)
	j, y := splitCoordinate(q.Y)
	k, z := splitCoordinate(q.Z)
	c := l.index(i, j, k)
	f := s.Phi
	phi = l.interpolate(f, c, x, y, z)
	d := c + l.SZ
	a00, a10, a01, a11 := f[c], f[c+1], f[c+l.SY], f[c+l.SY+1]
	if l.Dim == 3 {
		b00, b10, b01, b11 := f[d], f[d+1], f[d+l.SY], f[d+l.SY+1]
		nz = (lerp(lerp(b00, b10, x), lerp(b01, b11, x), y) - lerp(lerp(a00, a10, x), lerp(a01, a11, x), y)) / l.H[2]
		a00, a10, a01, a11 = lerp(a00, b00, z), lerp(a10, b10, z), lerp(a01, b01, z), lerp(a11, b11, z)
	}
	nx = lerp(a10-a00, a11-a01, y) / l.H[0]
	ny = lerp(a01-a00, a11-a10, x) / l.H[1]
	length := num.Sqrt(nx*nx + ny*ny + nz*nz)
	if length > 0 {
		nx, ny, nz = nx/length, ny/length, nz/length
	}
	return phi, nx, ny, nz
}
