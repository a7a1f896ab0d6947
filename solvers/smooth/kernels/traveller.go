package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// Traveller is a vertex that goes from rank to rank: its place in Held, and its rail, -1 if it does not slide.
type Traveller struct{ Place, Rail int32 }

// PackTiles makes traveller k ready to go.
//
//atoll:kernel
func PackTiles[F num.Float](k int, who []Traveller, from *Held[F], wire []Vertex[F]) {
	t, p := who[k], &wire[k]
	p.X, p.Y = from.Place[t.Place].X, from.Place[t.Place].Y
	p.M11, p.M12, p.M22 = from.Row[t.Place].M11, from.Row[t.Place].M12, from.Rest[t.Place]
	if t.Rail >= 0 {
		p.S = from.Along[t.Rail]
	}
}

// UnpackTiles puts traveller k where it belongs.
//
//atoll:kernel
func UnpackTiles[F num.Float](k int, who []Traveller, wire []Vertex[F], to *Held[F]) {
	t, p := who[k], &wire[k]
	to.Place[t.Place].X, to.Place[t.Place].Y = p.X, p.Y
	to.Row[t.Place].M11, to.Row[t.Place].M12, to.Rest[t.Place] = p.M11, p.M12, p.M22
	if t.Rail >= 0 {
		to.Along[t.Rail] = p.S
	}
}
