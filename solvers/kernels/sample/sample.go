// Package sample has a reduction of each kind, for tests.
package sample

//go:generate go run github.com/atoll-hpc/atoll/kernelgen/cmd/kernelgen

// Float is the type of the numbers.
type Float interface{ float32 | float64 }

// Found is what is found in an entity.
type Found struct {
	Sum, Squares float64 `reduce:"sum"`
	Negative     int64   `reduce:"count"`
	Least        float64 `reduce:"min"`
	Most         float64 `reduce:"max"`
	Broken       float64 `reduce:"first"`
}

// number measures a number.
//
//atoll:reduce Numbers Result
func number[F Float](i int, x []F) (f Found) {
	v := float64(x[i])
	f.Sum, f.Squares, f.Least, f.Most, f.Broken = v, v*v, v, v, v
	if v < 0 {
		f.Negative = 1
	}
	return f
}

// cell measures the number of a cell of a grid with the given strides.
//
//atoll:reduce Cells Result
func cell[F Float](i, j, k int, sy, sz int, x []F) Found { return number(i+sy*j+sz*k, x) }
