package weather

// reader reads records of values, one of them while steps are taken.
type reader[T any] struct {
	read    func(k int) ([]T, error)
	pending int // record that is being read, -1 for none
	result  chan reading[T]
}

type reading[T any] struct {
	values []T
	err    error
}

func newReader[T any](read func(k int) ([]T, error)) reader[T] {
	return reader[T]{read: read, pending: -1, result: make(chan reading[T], 1)}
}

// begin begins to read a record.
func (r *reader[T]) begin(k int) {
	if r.pending == k {
		return
	}
	r.wait()
	r.pending = k
	go func() {
		values, err := r.read(k)
		r.result <- reading[T]{values, err}
	}()
}

// take returns the values of a record, which may have been read. No two are read at a time.
func (r *reader[T]) take(k int) ([]T, error) {
	if r.pending == k {
		r.pending = -1
		result := <-r.result
		return result.values, result.err
	}
	r.wait()
	return r.read(k)
}

// wait waits until nothing is being read.
func (r *reader[T]) wait() {
	if r.pending >= 0 {
		<-r.result
		r.pending = -1
	}
}
