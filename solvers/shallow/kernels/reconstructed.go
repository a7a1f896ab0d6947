package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Arms are the vectors from the centroids of an edge's cells to its middle, in metres. At the boundary both are the
// left cell's.
type Arms[F num.Float] struct{ Left, Right Vec2[F] }

// SlopedFlux does what EdgeFlux does, from the states that the slopes of its cells reconstruct at its
// middle.
//
//atoll:kernel lanes=PVM,OneLayer stages=32 scheme=PVM,IRRoe,Roe,OneLayer
func SlopedFlux[F num.Float](e int, scheme Scheme, p *Params[F], m *Mesh[F], clock *Clock[F],
	slopes []Slopes[F], lower, upper []Flux[F], n *Counters) {
	var f Face[F]
	f.ReconstructSides(scheme, m.EdgeCells[e], &m.Normals[e], &m.Arms[e], p, m.Beds,
		&slopes[m.SlopesAt[m.EdgeCells[e].Left]], &slopes[m.SlopesAt[m.EdgeCells[e].inner()]])
	f.Waves(scheme, p)
	f.Viscosity(scheme, p)
	f.WriteFluxes(scheme, m.EdgeCells[e], &m.Normals[e], p, &m.Boundary,
		m.Local.Across(m.EdgeCells[e].Left, m.EdgeCells[e].inner(), clock.Dt), m.EdgeCells[e].Left < m.Owned, m.FluxAt[e],
		lower, upper, n)
}

// inner returns the right cell, or the left one at the boundary.
func (e EdgeCells) inner() int32 { return inside(e.Right, int(e.Left)) }

// ReconstructSides does what LoadSides does, from the slopes l and r of both cells.
func (f *Face[F]) ReconstructSides(scheme Scheme, at EdgeCells, n *Normal[F], arms *Arms[F], p *Params[F],
	beds []Bed[F], l, r *Slopes[F]) {
	f.sloped = true
	f.l.reconstruct(&beds[at.Left], l, arms.Left, n.X, n.Y)
	f.r.reconstruct(&beds[at.inner()], r, arms.Right, n.X, n.Y)
	if scheme == OneLayer {
		f.l.z1, f.r.z1 = f.l.z2, f.r.z2
		if at.Right == Wall {
			f.r.mirror()
		}
		return
	}
	f.l.reconstructUpper(l, arms.Left, n.X, n.Y)
	f.r.reconstructUpper(r, arms.Right, n.X, n.Y)
	f.l.dropUpper(l.H1)
	f.r.dropUpper(r.H1)
	f.thin = f.l.thin(p.DryDepth) || f.r.thin(p.DryDepth)
	if at.Right == Wall {
		f.r.mirror()
	}
	//atoll:mostly
	if !f.thin {
		f.dz1, f.dz2 = f.r.z1-f.l.z1, f.r.z2-f.l.z2
		f.roeMean(p.Gravity)
		f.computeResidual(p.DensityRatio)
	}
}

// reconstruct computes the state at the end of a cell's arm, in the frame of the normal (nx, ny), without the upper
// layer. Levels and thicknesses are reconstructed separately: deriving one from the other would break rest in the
// last bit.
func (s *side[F]) reconstruct(bed *Bed[F], g *Slopes[F], arm Vec2[F], nx, ny F) {
	s.area, s.bed, s.mean2, s.share2 = bed.Area, bed.Depth, g.H2, g.Share2
	s.z2 = (g.H2 - bed.Depth) + g.Z2.dot(arm)
	s.depth = bed.Depth - g.Bed.dot(arm)
	s.h2 = num.Larger(g.H2+g.Z2.minus(g.Bed).dot(arm), 0)
	x, y := g.U2.X+g.U2x.dot(arm), g.U2.Y+g.U2y.dot(arm)
	s.u2, s.t2 = x*nx+y*ny, y*nx-x*ny
	s.q2, s.free2 = s.h2*s.u2, s.u2
}

// reconstructUpper does so for the upper layer.
func (s *side[F]) reconstructUpper(g *Slopes[F], arm Vec2[F], nx, ny F) {
	s.mean1, s.share1 = g.H1, g.Share1
	s.z1 = (g.H1 + (g.H2 - s.bed)) + g.Z1.dot(arm)
	s.h1 = num.Larger(g.H1+g.Z1.minus(g.Z2).dot(arm), 0)
	x, y := g.U1.X+g.U1x.dot(arm), g.U1.Y+g.U1y.dot(arm)
	s.u1, s.t1 = x*nx+y*ny, y*nx-x*ny
	s.q1, s.free1 = s.h1*s.u1, s.u1
}

// dropUpper removes the upper layer from a side whose cell has none: h1 is its thickness in the cell. It follows after
// both sides are read, so that a GPU waits for memory once.
func (s *side[F]) dropUpper(h1 F) {
	if h1 <= 0 {
		s.z1, s.h1, s.u1, s.t1, s.q1 = s.z2, 0, 0, 0, 0
	}
}
