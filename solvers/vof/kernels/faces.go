package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// nearlyPure is the difference of a volume fraction from 0 or 1 up to which a cell counts as empty or full for the size
// of the interface. A side of a body that lies so close to the sides of cells counts as those: the planes of such cells
// hardly have a size where they meet at an edge, or are tilted by more than they are thick.
const nearlyPure = 1e-3

func nearlyFull[F num.Float](f F) bool { return f >= 1-nearlyPure }

func nearlyEmpty[F num.Float](f F) bool { return f <= nearlyPure }

// IsFace reports whether the face between cells with the volume fractions f and g counts as interface: one of them is
// full and the other empty, or nearly so.
func IsFace[F num.Float](f, g F) bool {
	return nearlyFull(f) && nearlyEmpty(g) || nearlyEmpty(f) && nearlyFull(g)
}

// HasFaces reports whether faces of the mixed cell at index c count as interface instead of its plane. In the plane sz
// is 0.
func HasFaces[F num.Float](f []F, c, sy, sz int) bool {
	v := f[c]
	return IsFace(v, f[c-1]) || IsFace(v, f[c+1]) || IsFace(v, f[c-sy]) || IsFace(v, f[c+sy]) ||
		sz != 0 && (IsFace(v, f[c-sz]) || IsFace(v, f[c+sz]))
}
