package pending

// Queue holds operations in the order in which they were pushed. It allocates nothing; an Op is in one queue at most.
// The caller locks.
type Queue struct{ head, tail *Op }

// Push appends o.
func (q *Queue) Push(o *Op) {
	o.next, o.queue = nil, q
	if q.tail == nil {
		q.head = o
	} else {
		q.tail.next = o
	}
	q.tail = o
}

// Match removes and returns the first operation with the tag, or nil.
func (q *Queue) Match(tag int) *Op { return q.removeFirst(func(o *Op) bool { return o.Tag == tag }) }

// MatchID removes and returns the operation with the transport's id, or nil.
func (q *Queue) MatchID(id uint64) *Op { return q.removeFirst(func(o *Op) bool { return o.ID == id }) }

// removeFirst removes and returns the first operation for which matches is true, or nil.
func (q *Queue) removeFirst(matches func(o *Op) bool) *Op {
	var prev *Op
	for o := q.head; o != nil; prev, o = o, o.next {
		if matches(o) {
			q.unlink(prev, o)
			return o
		}
	}
	return nil
}

// Empty reports whether nothing is in the queue.
func (q *Queue) Empty() bool { return q.head == nil }

// Pop removes and returns the first operation, or nil.
func (q *Queue) Pop() *Op {
	o := q.head
	if o != nil {
		q.unlink(nil, o)
	}
	return o
}

// Remove removes o and reports whether it was in this queue.
func (q *Queue) Remove(o *Op) bool {
	if o.queue != q {
		return false
	}
	var prev *Op
	for p := q.head; p != o; p = p.next {
		prev = p
	}
	q.unlink(prev, o)
	return true
}

func (q *Queue) unlink(prev, o *Op) {
	if prev == nil {
		q.head = o.next
	} else {
		prev.next = o.next
	}
	if q.tail == o {
		q.tail = prev
	}
	o.next, o.queue = nil, nil
}
