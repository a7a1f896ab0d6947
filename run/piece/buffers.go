package piece

import "sync"

// Buffers are arrays for the numbers of frames, which use them one after the other: the system hands out new memory
// more slowly than a GPU fills it. The zero value is ready for use.
type Buffers struct {
	lock sync.Mutex
	free map[int][][]float64 // by length
}

// Lease are the arrays that one frame uses.
type Lease struct {
	of   *Buffers
	used [][]float64
}

// Lease returns a lease without arrays.
func (b *Buffers) Lease() *Lease { return &Lease{of: b} }

// Array returns an array of n numbers, with any contents. Any goroutine may call it.
func (l *Lease) Array(n int) []float64 {
	b := l.of
	b.lock.Lock()
	defer b.lock.Unlock()
	var a []float64
	if free := b.free[n]; len(free) > 0 {
		a = free[len(free)-1]
		b.free[n] = free[:len(free)-1]
	} else {
		a = make([]float64, n)
	}
	l.used = append(l.used, a)
	return a
}

// Drop lets go of the arrays that no lease uses.
func (b *Buffers) Drop() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.free = nil
}

// End ends the use of the arrays, if there are any.
func (l *Lease) End() {
	if l == nil {
		return
	}
	b := l.of
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.free == nil {
		b.free = map[int][][]float64{}
	}
	for _, a := range l.used {
		b.free[len(a)] = append(b.free[len(a)], a)
	}
	l.used = nil
}
