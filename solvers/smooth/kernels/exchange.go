package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Exchanged is a vertex that ranks exchange. Index is its index in the arrays of TileVertices, except Along; Rail is
// its index in Along, -1 if it does not slide.
type Exchanged struct{ Index, Rail int32 }

// PackTiles writes exchanged vertex k to the message.
//
//atoll:kernel
func PackTiles[F num.Float](k int, exchanged []Exchanged, from *TileVertices[F], message []Vertex[F]) {
	t, p := exchanged[k], &message[k]
	p.X, p.Y = from.Place[t.Index].X, from.Place[t.Index].Y
	p.M11, p.M12, p.M22 = from.Row[t.Index].M11, from.Row[t.Index].M12, from.M22[t.Index]
	if t.Rail >= 0 {
		p.S = from.Along[t.Rail]
	}
}

// UnpackTiles reads exchanged vertex k from the message.
//
//atoll:kernel
func UnpackTiles[F num.Float](k int, exchanged []Exchanged, message []Vertex[F], to *TileVertices[F]) {
	t, p := exchanged[k], &message[k]
	to.Place[t.Index].X, to.Place[t.Index].Y = p.X, p.Y
	to.Row[t.Index].M11, to.Row[t.Index].M12, to.M22[t.Index] = p.M11, p.M12, p.M22
	if t.Rail >= 0 {
		to.Along[t.Rail] = p.S
	}
}
