package cuda

import (
	"errors"
	"slices"
	"time"
)

// Span is an operation on one of the device's streams: compute, copy or link. Start and End count from the start of the
// trace.
type Span struct {
	Name, Stream string
	Start, End   time.Duration
}

// trace collects the spans of the queued operations.
type trace struct {
	begin *Event
	spans []tracedSpan
}

type tracedSpan struct {
	name       string
	stream     *Stream
	start, end *Event
}

func noop() {}

// traceSpan marks the start of an operation on a stream in the trace, and returns a function that marks its end.
func (d *Device) traceSpan(name string, s *Stream) func() {
	if d.trace == nil || d.capturing {
		return noop
	}
	start, err1 := d.NewEvent()
	end, err2 := d.NewEvent()
	if err1 != nil || err2 != nil {
		return noop
	}
	s.Record(start)
	return func() {
		s.Record(end)
		d.trace.spans = append(d.trace.spans, tracedSpan{name, s, start, end})
	}
}

// Trace runs f and returns the kernels, copies and messages that it queued, in the order of their starts. The events of
// a trace take a few microseconds each.
func (d *Device) Trace(f func() error) ([]Span, error) {
	if err := d.Sync(); err != nil {
		return nil, err
	}
	t := &trace{}
	var err error
	if t.begin, err = d.NewEvent(); err != nil {
		return nil, err
	}
	defer t.begin.Close()
	if err := d.compute.Record(t.begin); err != nil {
		return nil, err
	}
	d.trace = t
	err = f()
	d.trace = nil
	var spans []Span
	for _, s := range t.spans {
		start, end, e := t.times(s)
		err = errors.Join(err, e)
		spans = append(spans, Span{s.name, nameOf(s.stream, d.compute, d.copyStream), start, end})
		s.start.Close()
		s.end.Close()
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return int(a.Start - b.Start) })
	return spans, errors.Join(err, d.Sync())
}

func (t *trace) times(s tracedSpan) (start, end time.Duration, err error) {
	if err := s.end.Sync(); err != nil {
		return 0, 0, err
	}
	start, err1 := s.start.Since(t.begin)
	end, err2 := s.end.Since(t.begin)
	return start, end, errors.Join(err1, err2)
}

func nameOf(s, compute, copier *Stream) string {
	switch s {
	case compute:
		return "compute"
	case copier:
		return "copy"
	}
	return "link" // the stream of a device communicator
}
