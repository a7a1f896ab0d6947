package language

import "github.com/atoll-hpc/atoll/kernelgen/internal/language/parts"

// Setting is a struct of constants with fields of a type from another package.
//
//atoll:constant
type Setting[F Float] struct {
	Low, High parts.Vector[F]
	Most      int64
}

// Imported uses another package's types and functions, generic ones for numbers and for structs.
//
//atoll:kernel
func Imported[F Float](i int, s *Setting[F], v []parts.Vector[F], whole []int64, out []parts.Vector[F]) {
	turned, length := parts.Turned(v[i])
	e := parts.Either[parts.Vector[F]]{One: turned, Other: s.Low, First: parts.Odd(whole[i])}
	w := parts.Choose(e)
	w.Scale(parts.Half)
	w.X = parts.Within(w.X, s.Low.X, s.High.X)
	n := parts.Within[int64](whole[i], -s.Most, s.Most)
	short := parts.Within(int32(n), -7, 7)
	w.Y += F(n) + F(short)*length*w.Dot(parts.Vector[F]{X: 1, Y: 2})
	out[i] = w
}

// Way is a constant parameter of Chosen.
type Way int32

// The values of Way.
const (
	Plain Way = iota + 3
	Twice
	Turned
)

// Chosen has two constant parameters, and so a variant for each pair of their values.
//
//atoll:kernel max way=Plain,Twice,Turned last=false,true
func Chosen[F Float](i int, way Way, v []parts.Vector[F], last bool, out []F) F {
	x := v[i].X
	switch way {
	case Twice:
		x *= 2
	case Turned:
		w, _ := parts.Turned(v[i])
		x = w.X
	}
	if last {
		x -= v[i].Y
	}
	out[i] = x
	return x
}

// Shared has variants with different numbers of resident blocks, 4 and any.
//
//atoll:kernel tile steps=1,2 blocks=4,0
func Shared[F Float](t, steps int, x, out []F, page *[Stretch]F) {
	first := Stretch * t
	n := min(Stretch, len(x)-first)
	for k := range n {
		page[k] = x[first+k]
	}
	for k := range n {
		out[first+k] = page[n-1-k] * F(steps)
	}
}
