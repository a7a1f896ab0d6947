package primitives

import (
	"math"
	"sync"

	"github.com/atoll-hpc/atoll/backend"
)

// SumInto adds the exact sum of x to words, whose layout [backend.SumWords] defines; all zeros are the empty sum. All
// limbs except the last one lie in [0, 2^32) afterwards. The result does not depend on the order or the device.
func SumInto[T Float](w *Workspace, words *[backend.SumWords]int64, x []T) error {
	// Each number adds less than 2^32 to a word, so that maxNumbers of them cannot overflow an int64.
	const maxNumbers = 1 << 30
	for len(x) > 0 {
		part := x[:min(len(x), maxNumbers)]
		x = x[len(part):]
		if w.accel != nil {
			if err := w.accel.Sum(backend.KindOf[T](), addressOf(part), len(part), words); err != nil {
				return err
			}
		} else {
			l := valueOf[sumLoop[T]](w)
			l.x, l.words = part, words
			w.dev.Run(l, 0, len(part))
			l.x, l.words = nil, nil
		}
		carry(words)
	}
	return nil
}

type sumLoop[T Float] struct {
	x     []T
	mu    sync.Mutex
	words *[backend.SumWords]int64
}

func (l *sumLoop[T]) Range(lo, hi int) {
	var sum [backend.SumWords]int64
	for _, v := range l.x[lo:hi] {
		addExact(&sum, float64(v))
	}
	l.mu.Lock()
	for i, v := range sum {
		l.words[i] += v
	}
	l.mu.Unlock()
}

// addExact adds a number to the words. Afterwards they may be negative or exceed 32 bits: see carry.
func addExact(words *[backend.SumWords]int64, x float64) {
	b := math.Float64bits(x)
	exponent, mantissa := uint(b>>52)&0x7ff, b&(1<<52-1)
	switch {
	case exponent == 0x7ff && mantissa != 0:
		words[backend.SumLimbs]++
		return
	case exponent == 0x7ff:
		words[backend.SumLimbs+1+int(b>>63)]++
		return
	case exponent == 0:
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	first, shift := (exponent-1)/32, (exponent-1)%32
	lo, hi := mantissa<<shift, mantissa>>(64-shift)
	sign := int64(b) >> 63 // 0 or -1: (v^sign)-sign is v or -v
	w := words[first : first+3]
	w[0] += (int64(lo&math.MaxUint32) ^ sign) - sign
	w[1] += (int64(lo>>32) ^ sign) - sign
	w[2] += (int64(hi) ^ sign) - sign
}

// carry brings all limbs except the last one into [0, 2^32).
func carry(words *[backend.SumWords]int64) {
	var c int64
	for i := range backend.SumLimbs - 1 {
		v := words[i] + c
		words[i] = v & math.MaxUint32
		c = v >> 32
	}
	words[backend.SumLimbs-1] += c
}
