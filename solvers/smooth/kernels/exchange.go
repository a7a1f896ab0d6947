package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Exchanged is a vertex that ranks exchange. Place is its index in the arrays of TileVertices, of which one, that of
// positions, is called Place as well. Rail is the index of its rail, -1 if it does not slide.
type Exchanged struct{ Place, Rail int32 }

// PackTiles writes exchanged vertex k to the message.
//
//atoll:kernel
func PackTiles[F num.Float](k int, exchanged []Exchanged, from *TileVertices[F], message []Vertex[F]) {
	t, p := exchanged[k], &message[k]
	p.X, p.Y = from.Place[t.Place].X, from.Place[t.Place].Y
	p.M11, p.M12, p.M22 = from.Row[t.Place].M11, from.Row[t.Place].M12, from.M22[t.Place]
	if t.Rail >= 0 {
		p.S = from.Along[t.Rail]
	}
}

// UnpackTiles reads exchanged vertex k from the message.
//
//atoll:kernel
func UnpackTiles[F num.Float](k int, exchanged []Exchanged, message []Vertex[F], to *TileVertices[F]) {
	t, p := exchanged[k], &message[k]
	to.Place[t.Place].X, to.Place[t.Place].Y = p.X, p.Y
	to.Row[t.Place].M11, to.Row[t.Place].M12, to.M22[t.Place] = p.M11, p.M12, p.M22
	if t.Rail >= 0 {
		to.Along[t.Rail] = p.S
	}
}
