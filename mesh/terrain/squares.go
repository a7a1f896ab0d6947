package terrain

import "math"

// square is one of equal squares that fill the plane.
type square struct{ column, row int }

// squares finds what is near to positions, by squares.
type squares[T any] struct {
	side float64
	in   map[square][]T
}

func newSquares[T any](side float64) squares[T] { return squares[T]{side, map[square][]T{}} }

func (s *squares[T]) of(x, y float64) square {
	return square{int(math.Floor(x / s.side)), int(math.Floor(y / s.side))}
}

// at returns what is in the square of a position.
func (s *squares[T]) at(x, y float64) []T { return s.in[s.of(x, y)] }

// each calls a function for each square that has a part of a box.
func (s *squares[T]) each(x0, y0, x1, y1 float64, visit func(q square)) {
	low, high := s.of(x0, y0), s.of(x1, y1)
	for column := low.column; column <= high.column; column++ {
		for row := low.row; row <= high.row; row++ {
			visit(square{column, row})
		}
	}
}
