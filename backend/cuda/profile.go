package cuda

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// profile times every kernel in debug mode.
type profile struct {
	out         io.Writer
	start, stop *Event
	rows        map[string]*row
}

// row is a line of the table: the times of one kernel.
type row struct {
	kernel string
	calls  int
	total  time.Duration
	worst  time.Duration
}

func newProfile(d *Device, out io.Writer) (*profile, error) {
	p := &profile{out: out, rows: map[string]*row{}}
	var err error
	if p.start, err = d.NewEvent(); err != nil {
		return nil, err
	}
	p.stop, err = d.NewEvent()
	return p, err
}

func (p *profile) begin(d *Device) { d.compute.Record(p.start) }

// end waits for the kernel, so that an error can only be this kernel's.
func (p *profile) end(d *Device, kernel string) {
	d.compute.Record(p.stop)
	if d.err != nil {
		return
	}
	if err := d.callNoAlloc(cuEventSynchronize, [maxArgs]uintptr{p.stop.handle}); err != nil {
		d.fail(withSubject(err, "kernel "+kernel))
		return
	}
	if took, err := p.stop.Since(p.start); err == nil {
		p.add(kernel, took)
	}
}

func (p *profile) add(kernel string, took time.Duration) {
	r := p.rows[kernel]
	if r == nil {
		r = &row{kernel: kernel}
		p.rows[kernel] = r
	}
	r.calls++
	r.total += took
	r.worst = max(r.worst, took)
}

// print writes the table, the most expensive kernel first.
func (p *profile) print() {
	var rows []*row
	var sum time.Duration
	for _, r := range p.rows {
		rows = append(rows, r)
		sum += r.total
	}
	slices.SortFunc(rows, func(a, b *row) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.kernel, b.kernel))
	})
	fmt.Fprintf(p.out, "%-28s %9s %12s %6s %12s %12s\n", "kernel", "calls", "total ms", "%", "mean µs", "worst µs")
	for _, r := range rows {
		fmt.Fprintf(p.out, "%-28s %9d %12.3f %6.1f %12.2f %12.2f\n", r.kernel, r.calls, 1e3*r.total.Seconds(),
			100*r.total.Seconds()/max(sum.Seconds(), 1e-9), 1e6*r.total.Seconds()/float64(r.calls), 1e6*r.worst.Seconds())
	}
}

func (p *profile) close() {
	if p != nil {
		p.start.Close()
		p.stop.Close()
	}
}
