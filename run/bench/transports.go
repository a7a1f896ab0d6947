package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/atoll-hpc/atoll/dist"
)

// TransportOptions configure Transport.
type TransportOptions struct {
	Sizes   []int   // message sizes in bytes
	Seconds float64 // shortest duration of each measurement
}

// Transport measures messages between ranks 0 and 1, and reductions over all ranks, with communicator c. All ranks call
// it; rank 0 prints the table to w. "One way" is half a ping-pong; "two way" is an exchange in which both ranks send at
// the same time, with the rate of each direction. Each figure is the best of several passes.
func Transport(ctx context.Context, w io.Writer, c dist.Comm, o TransportOptions) error {
	if c.Size() < 2 {
		return errors.New("bench: measuring messages needs at least 2 ranks")
	}
	t := &transportTest{ctx: ctx, comm: c, seconds: o.Seconds, reqs: make([]dist.Request, 2)}
	if c.Rank() != 0 {
		w = io.Discard
	}
	fmt.Fprintf(w, "%9s %12s %12s %12s %12s\n", "bytes", "one way µs", "GB/s", "two way µs", "GB/s each")
	for _, size := range o.Sizes {
		t.out, t.in = make([]byte, size), make([]byte, size)
		oneWay, err := t.bestTime(t.pingPong)
		if err != nil {
			return err
		}
		twoWay, err := t.bestTime(t.exchange)
		if err != nil {
			return err
		}
		oneWay /= 2
		fmt.Fprintf(w, "%9d %12.2f %12.3f %12.2f %12.3f\n", size, oneWay*1e6, float64(size)/oneWay/1e9, twoWay*1e6,
			float64(size)/twoWay/1e9)
	}
	reduction, err := t.bestTime(func() error { return c.AllreduceFloat64(ctx, dist.Min, t.value[:]) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "minimum of one number over %d ranks: %.2f µs\n", c.Size(), reduction*1e6)
	return nil
}

// transportTest holds the buffers and settings of a rank.
type transportTest struct {
	ctx     context.Context
	comm    dist.Comm
	seconds float64
	out, in []byte
	reqs    []dist.Request
	value   [1]float64
}

// bestTime returns the seconds per call of f, which all ranks call equally often. Only the result of rank 0 is
// meaningful.
func (t *transportTest) bestTime(f func() error) (float64, error) {
	const passes = 5
	best, calls, completed := 0.0, uint64(8), 0
	for {
		// Rank 0 decides how often the next pass calls f; 0 ends the measurement.
		var message [8]byte
		binary.LittleEndian.PutUint64(message[:], calls)
		if err := t.comm.Bcast(t.ctx, 0, message[:]); err != nil {
			return 0, err
		}
		calls = binary.LittleEndian.Uint64(message[:])
		if calls == 0 {
			return best, nil
		}
		begin := time.Now()
		for range calls {
			if err := f(); err != nil {
				return 0, err
			}
		}
		if t.comm.Rank() > 0 {
			continue
		}
		took := time.Since(begin).Seconds()
		if took < t.seconds/passes {
			calls *= 2
			continue
		}
		if perCall := took / float64(calls); completed == 0 || perCall < best {
			best = perCall
		}
		if completed++; completed == passes {
			calls = 0
		}
	}
}

func (t *transportTest) pingPong() error {
	switch t.comm.Rank() {
	case 0:
		return errors.Join(t.send(), t.receive())
	case 1:
		return errors.Join(t.receive(), t.send())
	}
	return nil
}

func (t *transportTest) send() (err error) {
	if t.reqs[0], err = t.comm.Isend(t.ctx, 1-t.comm.Rank(), 0, t.out); err != nil {
		return err
	}
	return t.comm.Wait(t.ctx, t.reqs[:1])
}

func (t *transportTest) receive() (err error) {
	if t.reqs[0], err = t.comm.Irecv(t.ctx, 1-t.comm.Rank(), 0, t.in); err != nil {
		return err
	}
	return t.comm.Wait(t.ctx, t.reqs[:1])
}

func (t *transportTest) exchange() (err error) {
	if t.comm.Rank() > 1 {
		return nil
	}
	if t.reqs[0], err = t.comm.Irecv(t.ctx, 1-t.comm.Rank(), 0, t.in); err != nil {
		return err
	}
	if t.reqs[1], err = t.comm.Isend(t.ctx, 1-t.comm.Rank(), 0, t.out); err != nil {
		return err
	}
	return t.comm.Wait(t.ctx, t.reqs)
}
