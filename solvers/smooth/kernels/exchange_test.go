package kernels_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend/cuda/cudatest"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	. "github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// TestExchangedTiles proves that vertices packed by one rank are unpacked at other indices, with the coordinate on
// the rail if they slide, and that nothing else changes; the translation gives the same bits.
func TestExchangedTiles(t *testing.T) {
	cudatest.Parity(t, ".", func(t *testing.T, l cudatest.Runner) {
		t.Run("float32", func(t *testing.T) { exchangeTiles[float32](t, l) })
		t.Run("float64", func(t *testing.T) { exchangeTiles[float64](t, l) })
	})
}

func exchangeTiles[F num.Float](t *testing.T, l cudatest.Runner) {
	const n, rails = 300, 40
	rng := rand.New(rand.NewPCG(5, 6))
	randomNumber := func() F { return F(rng.Float64()) }
	random := func() *TileVertices[F] {
		h := &TileVertices[F]{}
		for range n {
			h.Place = append(h.Place, Place[F]{X: randomNumber(), Y: randomNumber()})
			h.Row, h.M22 = append(h.Row, Row[F]{M11: randomNumber(), M12: randomNumber()}), append(h.M22, randomNumber())
		}
		for range rails {
			h.Along = append(h.Along, randomNumber())
		}
		return h
	}
	from, to := random(), random()
	var out, in []Exchanged
	places, others := rng.Perm(n), rng.Perm(n)
	for k := range n / 2 {
		a, b := Exchanged{int32(places[k]), -1}, Exchanged{int32(others[k]), -1}
		if k < rails {
			a.Rail = int32(rails - 1 - k)
			if k%2 == 0 { // for the others, the receiver does not store the coordinate
				b.Rail = int32(k)
			}
		}
		out, in = append(out, a), append(in, b)
	}
	message, translated := make([]Vertex[F], len(out)), make([]Vertex[F], len(out))
	NewPackTilesLoop(out, from, message).Range(0, len(out))
	l.Run(t, NewPackTilesLoop(out, from, translated), 0, len(out))
	kerneltest.Same(t, "message", message, translated, nil)
	want := &TileVertices[F]{slices.Clone(to.Place), slices.Clone(to.Row), slices.Clone(to.M22), slices.Clone(to.Along)}
	for k, b := range in {
		a := out[k]
		want.Place[b.Index], want.Row[b.Index], want.M22[b.Index] = from.Place[a.Index], from.Row[a.Index],
			from.M22[a.Index]
		if b.Rail >= 0 {
			want.Along[b.Rail] = from.Along[a.Rail]
		}
	}
	got := &TileVertices[F]{slices.Clone(to.Place), slices.Clone(to.Row), slices.Clone(to.M22), slices.Clone(to.Along)}
	NewUnpackTilesLoop(in, message, got).Range(0, len(in))
	l.Run(t, NewUnpackTilesLoop(in, message, to), 0, len(in))
	for _, h := range []*TileVertices[F]{got, to} {
		kerneltest.Same(t, "places", want.Place, h.Place, nil)
		kerneltest.Same(t, "metrics", want.Row, h.Row, nil)
		kerneltest.Same(t, "metrics", want.M22, h.M22, nil)
		kerneltest.Same(t, "rails", want.Along, h.Along, nil)
	}
}
