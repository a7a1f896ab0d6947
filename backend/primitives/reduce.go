package primitives

import (
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
)

// Min returns the minimum of x: NaN if x has one; -0 is less than +0; the greatest value of the type if x is empty.
func Min[T Number](w *Workspace, x []T) (T, error) { return reduce(w, backend.Min, x) }

// Max returns the maximum of x: NaN if x has one; -0 is less than +0; the least value of the type if x is empty.
func Max[T Number](w *Workspace, x []T) (T, error) { return reduce(w, backend.Max, x) }

func reduce[T Number](w *Workspace, op backend.Op, x []T) (T, error) {
	if len(x) == 0 {
		return identity[T](op), nil
	}
	if w.accel != nil {
		if err := checkLength(op.String(), len(x)); err != nil {
			return 0, err
		}
		image, err := w.accel.Reduce(op, backend.KindOf[T](), addressOf(x), len(x))
		if err != nil {
			return 0, err
		}
		return fromImage[T](op, image), nil
	}
	l := valueOf[reduceLoop[T]](w)
	l.op, l.x, l.result = op, x, identity[T](op)
	w.dev.Run(l, 0, len(x))
	l.x = nil
	return canonicalNaN(l.result), nil
}

type reduceLoop[T Number] struct {
	op     backend.Op
	x      []T
	mu     sync.Mutex
	result T
}

func (l *reduceLoop[T]) Range(lo, hi int) {
	r := identity[T](l.op)
	if l.op == backend.Min {
		for _, v := range l.x[lo:hi] {
			r = min(r, v)
		}
	} else {
		for _, v := range l.x[lo:hi] {
			r = max(r, v)
		}
	}
	l.mu.Lock()
	l.result = combine(l.op, l.result, r)
	l.mu.Unlock()
}

func combine[T Number](op backend.Op, a, b T) T {
	switch op {
	case backend.Min:
		return min(a, b)
	case backend.Max:
		return max(a, b)
	}
	return a + b
}

// canonicalNaN replaces every NaN by math.NaN: the bits of a NaN that arithmetic produces differ between processors.
func canonicalNaN[T Number](v T) T {
	if v != v {
		nan := math.NaN()
		return T(nan)
	}
	return v
}

// identity returns the identity element of Min or Max, which is the result for an empty array.
func identity[T Number](op backend.Op) T {
	var v T
	isMax := op == backend.Max
	switch p := any(&v).(type) {
	case *int32:
		*p = math.MaxInt32
		if isMax {
			*p = math.MinInt32
		}
	case *int64:
		*p = math.MaxInt64
		if isMax {
			*p = math.MinInt64
		}
	case *uint32:
		if !isMax {
			*p = math.MaxUint32
		}
	case *uint64:
		if !isMax {
			*p = math.MaxUint64
		}
	case *float32:
		*p = float32(math.Inf(1))
		if isMax {
			*p = -*p
		}
	case *float64:
		*p = math.Inf(1)
		if isMax {
			*p = -*p
		}
	}
	return v
}

// fromImage returns the number that has the image: see backend.Kind.
func fromImage[T Number](op backend.Op, image uint64) T {
	var v T
	kind := backend.KindOf[T]()
	if (kind == backend.Float32 || kind == backend.Float64) && image == math.MaxUint64 {
		nan := math.NaN()
		return T(nan)
	}
	if op == backend.Min {
		image = ^image
	}
	const sign = 1 << 63
	bits := image ^ sign
	if image < sign { // a negative float
		bits = ^image
	}
	switch p := any(&v).(type) {
	case *int32:
		*p = int32(image ^ sign)
	case *int64:
		*p = int64(image ^ sign)
	case *uint32:
		*p = uint32(image)
	case *uint64:
		*p = image
	case *float32:
		*p = float32(math.Float64frombits(bits))
	case *float64:
		*p = math.Float64frombits(bits)
	}
	return v
}
