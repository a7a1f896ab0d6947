package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/geom"
	"github.com/atoll-hpc/atoll/solvers/common/num"
)

// Ball is a disk or a ball, with the parameters to compute its volume fractions.
//
//atoll:constant
type Ball[F num.Float] struct {
	Lattice
	First  [3]int32 // global index of the block's cell (0, 0, 0)
	Lo, H  [3]F     // corner of the grid, sides of a cell
	Centre [3]F
	Radius F
	Levels int32 // how often a cell is divided in two along each axis
	// the smallest parts are cut by the plane through the level set at their corners; else their centre decides
	Planes bool
}

// FillDisk2 computes the volume fraction of cell (i, j) by subdividing it where the circle may pass (Francois, Lo and
// Sewell, ASME 2014).
//
//atoll:kernel
func FillDisk2[F num.Float](i, j int, b *Ball[F], f []F) {
	x0 := b.Lo[0] + b.H[0]*F(i+int(b.First[0]))
	y0 := b.Lo[1] + b.H[1]*F(j+int(b.First[1]))
	f[b.at(i, j, 0)] = b.cell2(x0, y0)
}

// FillBall3 is FillDisk2 in three dimensions.
//
//atoll:kernel
func FillBall3[F num.Float](i, j, k int, b *Ball[F], f []F) {
	x0 := b.Lo[0] + b.H[0]*F(i+int(b.First[0]))
	y0 := b.Lo[1] + b.H[1]*F(j+int(b.First[1]))
	z0 := b.Lo[2] + b.H[2]*F(k+int(b.First[2]))
	f[b.at(i, j, k)] = b.part3(x0, y0, z0)
}

func (b *Ball[F]) distance(x, y, z F) F {
	x, y, z = x-b.Centre[0], y-b.Centre[1], z-b.Centre[2]
	return num.Sqrt(x*x+y*y+z*z) - b.Radius
}

// cell2 uses part2 only for cells near the circle, so that the others need no square root.
func (b *Ball[F]) cell2(x0, y0 F) F {
	v, pure := b.pure2(x0, y0, b.H[0], b.H[1])
	if pure {
		return v
	}
	return b.part2(x0, y0)
}

// pure2 reports whether a box is far from the circle, and if so its volume fraction.
func (b *Ball[F]) pure2(x0, y0, width, height F) (v F, pure bool) {
	x, y := x0+width/2-b.Centre[0], y0+height/2-b.Centre[1]
	margin := (width + height) / 2 // more than half of a diagonal
	square := x*x + y*y
	if far := b.Radius + margin; square > far*far {
		return 0, true
	}
	if near := b.Radius - margin; near > 0 && square < near*near {
		return 1, true
	}
	return 0, false
}

// part2 traverses the quadtree of a cell in Morton order. A part is pure if its corners agree, unless its centre is
// so near the circle that a sliver may enter between the corners.
func (b *Ball[F]) part2(x0, y0 F) F {
	z, sum := b.Centre[2], F(0)
	level := int32(0)
	end := int64(1) << (2 * b.Levels)
	for at := int64(0); at < end; {
		scale := 1 / F(int64(1)<<level)
		hx, hy := b.H[0]*scale, b.H[1]*scale
		n := at >> (2 * (b.Levels - level))
		x, y := x0+hx*F(deinterleave(n, 2)), y0+hy*F(deinterleave(n>>1, 2))
		sw, se := b.distance(x, y, z), b.distance(x+hx, y, z)
		nw, ne := b.distance(x, y+hy, z), b.distance(x+hx, y+hy, z)
		least := num.Smaller(num.Smaller(sw, se), num.Smaller(nw, ne))
		most := num.Larger(num.Larger(sw, se), num.Larger(nw, ne))
		middle := b.distance(x+hx/2, y+hy/2, z)
		mixed := least < 0 && most >= 0 || 4*middle*middle <= hx*hx+hy*hy
		if mixed && level < b.Levels {
			level++
			continue
		}
		v := F(0)
		if mixed && b.Planes {
			mx, my := (se+ne-sw-nw)/2, (nw+ne-sw-se)/2
			v = geom.Area(mx, my, (mx+my)/2-(sw+se+nw+ne)/4)
		} else if middle < 0 {
			v = 1
		}
		sum += v * scale * scale
		at += int64(1) << (2 * (b.Levels - level))
		for level > 0 && at&(int64(1)<<(2*(b.Levels-level+1))-1) == 0 {
			level--
		}
	}
	return sum
}

// part3 traverses the octree of a cell as part2 does.
func (b *Ball[F]) part3(x0, y0, z0 F) F {
	sum := F(0)
	level := int32(0)
	end := int64(1) << (3 * b.Levels)
	for at := int64(0); at < end; {
		scale := 1 / F(int64(1)<<level)
		hx, hy, hz := b.H[0]*scale, b.H[1]*scale, b.H[2]*scale
		n := at >> (3 * (b.Levels - level))
		x, y, z := x0+hx*F(deinterleave(n, 3)), y0+hy*F(deinterleave(n>>1, 3)), z0+hz*F(deinterleave(n>>2, 3))
		least, most := b.distance(x, y, z), b.distance(x, y, z)
		var total, mx, my, mz F
		for corner := range 8 {
			dx, dy, dz := F(corner&1), F(corner>>1&1), F(corner>>2)
			d := b.distance(x+hx*dx, y+hy*dy, z+hz*dz)
			least, most = num.Smaller(least, d), num.Larger(most, d)
			total += d
			mx += (2*dx - 1) * d
			my += (2*dy - 1) * d
			mz += (2*dz - 1) * d
		}
		middle := b.distance(x+hx/2, y+hy/2, z+hz/2)
		mixed := least < 0 && most >= 0 || 4*middle*middle <= hx*hx+hy*hy+hz*hz
		if mixed && level < b.Levels {
			level++
			continue
		}
		v := F(0)
		if mixed && b.Planes {
			mx, my, mz = mx/4, my/4, mz/4
			v = geom.Volume(mx, my, mz, (mx+my+mz)/2-total/8)
		} else if middle < 0 {
			v = 1
		}
		sum += v * scale * scale * scale
		at += int64(1) << (3 * (b.Levels - level))
		for level > 0 && at&(int64(1)<<(3*(b.Levels-level+1))-1) == 0 {
			level--
		}
	}
	return sum
}

// deinterleave collects each stride-th bit of n.
func deinterleave(n int64, stride int32) int64 {
	out := int64(0)
	for bit := int32(0); n != 0; bit++ {
		out |= (n & 1) << bit
		n >>= stride
	}
	return out
}
