package grpc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/grpc"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
)

// BenchmarkProcesses measures messages between two processes over the transport and, for comparison, over a plain
// socket. cpu-µs/op is the processor time of one of the two processes, which other load on the machine hardly
// changes.
func BenchmarkProcesses(b *testing.B) {
	for _, transport := range []string{"grpc", "socket"} {
		for _, network := range []string{"unix", "tcp"} {
			for _, traffic := range []string{"pingpong", "exchange", "stream"} {
				for _, size := range []int{64, 8 << 10, 128 << 10, 2 << 20} {
					b.Run(fmt.Sprintf("%s/%s/%s/%d", transport, network, traffic, size), func(b *testing.B) {
						withPartner(b, transport, network, traffic, size)
					})
				}
			}
		}
	}
}

const (
	partnerJob     = "GRPC_BENCH_TRAFFIC"
	partnerAddress = "GRPC_BENCH_ADDRESS"
	partnerSize    = "GRPC_BENCH_SIZE"
)

// inFlight is the number of messages that the traffic "stream" keeps in flight in each direction.
const inFlight = 8

// wire is the interface of both transports of the benchmark.
type wire interface {
	exchange(out, in []byte, times int) error // sends and receives a message that many times, all in flight at once
	send(out []byte) error
	receive(in []byte) error
	io.Closer
}

func withPartner(b *testing.B, transport, network, traffic string, size int) {
	address := "unix:" + grpctest.SocketDir(b) + "/c.sock"
	if network == "tcp" {
		address = freeLoopback(b)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), partnerJob+"="+transport+" "+traffic, partnerAddress+"="+address,
		partnerSize+"="+strconv.Itoa(size))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	w, err := connect(transport, address, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	var count [8]byte
	buf := make([]byte, 2*size)
	runTimes := func(n int) {
		binary.LittleEndian.PutUint64(count[:], uint64(n))
		if err := w.send(count[:]); err != nil {
			b.Fatal(err)
		}
		for range n {
			if err := runTraffic(w, traffic, 0, buf); err != nil {
				b.Fatal(err)
			}
		}
	}
	runTimes(20)
	switch b.SetBytes(int64(size)); traffic { // bytes per operation in each direction; in a round trip, in both
	case "pingpong":
		b.SetBytes(int64(2 * size))
	case "stream":
		b.SetBytes(int64(inFlight * size))
	}
	before := processorTime()
	b.ResetTimer()
	runTimes(b.N)
	b.StopTimer()
	b.ReportMetric(float64((processorTime()-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
	if traffic == "pingpong" {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/2e3/float64(b.N), "µs/way")
	}
	runTimes(0)
}

// ranBenchmarkPartner runs the second process of a benchmark, and reports whether this process is one.
func ranBenchmarkPartner() bool {
	var transport, traffic string
	if n, _ := fmt.Sscan(os.Getenv(partnerJob), &transport, &traffic); n < 2 {
		return false
	}
	if err := serveBenchmark(transport, traffic); err != nil {
		fmt.Fprintln(os.Stderr, "the second process of the benchmark:", err)
		os.Exit(3)
	}
	return true
}

func serveBenchmark(transport, traffic string) error {
	size, err := strconv.Atoi(os.Getenv(partnerSize))
	if err != nil {
		return err
	}
	w, err := connect(transport, os.Getenv(partnerAddress), 1)
	if err != nil {
		return err
	}
	defer w.Close()
	buf := make([]byte, 2*size)
	var count [8]byte
	for {
		if err := w.receive(count[:]); err != nil {
			return err
		}
		n := binary.LittleEndian.Uint64(count[:])
		if n == 0 {
			return nil
		}
		for range n {
			if err := runTraffic(w, traffic, 1, buf); err != nil {
				return err
			}
		}
	}
}

func runTraffic(w wire, traffic string, rank int, buf []byte) error {
	out, in := buf[:len(buf)/2], buf[len(buf)/2:]
	switch traffic {
	case "exchange":
		return w.exchange(out, in, 1)
	case "stream":
		return w.exchange(out, in, inFlight)
	}
	if rank == 0 {
		return errors.Join(w.send(out), w.receive(in))
	}
	return errors.Join(w.receive(in), w.send(out))
}

func freeLoopback(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func connect(transport, address string, rank int) (wire, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if transport == "grpc" {
		c, err := grpc.Join(ctx, grpc.Config{Rank: rank, Size: 2, Coordinator: address})
		return &rankWire{ctx: context.Background(), c: c, reqs: make([]dist.Request, 1)}, err
	}
	network, path := "tcp", address
	if len(address) > 5 && address[:5] == "unix:" {
		network, path = "unix", address[5:]
	}
	if rank == 0 {
		l, err := net.Listen(network, path)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		c, err := l.Accept()
		return newSocketWire(c), err
	}
	for {
		c, err := net.Dial(network, path)
		if err == nil || ctx.Err() != nil {
			return newSocketWire(c), err
		}
		time.Sleep(time.Millisecond)
	}
}

type rankWire struct {
	ctx  context.Context
	c    dist.Comm
	reqs []dist.Request
}

func (r *rankWire) Close() error { return r.c.Close() }

func (r *rankWire) send(out []byte) (err error) {
	if r.reqs[0], err = r.c.Isend(r.ctx, 1-r.c.Rank(), 0, out); err != nil {
		return err
	}
	return r.c.Wait(r.ctx, r.reqs[:1])
}

func (r *rankWire) receive(in []byte) (err error) {
	if r.reqs[0], err = r.c.Irecv(r.ctx, 1-r.c.Rank(), 0, in); err != nil {
		return err
	}
	return r.c.Wait(r.ctx, r.reqs[:1])
}

func (r *rankWire) exchange(out, in []byte, times int) error {
	r.reqs = r.reqs[:0]
	for range times {
		req, err := r.c.Irecv(r.ctx, 1-r.c.Rank(), 0, in)
		if err != nil {
			return err
		}
		r.reqs = append(r.reqs, req)
	}
	for range times {
		req, err := r.c.Isend(r.ctx, 1-r.c.Rank(), 0, out)
		if err != nil {
			return err
		}
		r.reqs = append(r.reqs, req)
	}
	return r.c.Wait(r.ctx, r.reqs)
}

// socketWire writes from a separate goroutine while it reads.
type socketWire struct {
	net.Conn
	work chan []byte
	done chan error
}

func newSocketWire(c net.Conn) *socketWire {
	w := &socketWire{Conn: c, work: make(chan []byte, inFlight), done: make(chan error, inFlight)}
	go func() {
		for out := range w.work {
			_, err := w.Write(out)
			w.done <- err
		}
	}()
	return w
}

func (w *socketWire) Close() error {
	close(w.work)
	return w.Conn.Close()
}

func (w *socketWire) send(out []byte) error {
	_, err := w.Write(out)
	return err
}

func (w *socketWire) receive(in []byte) error {
	_, err := io.ReadFull(w.Conn, in)
	return err
}

func (w *socketWire) exchange(out, in []byte, times int) error {
	for range times {
		w.work <- out
	}
	for range times {
		if err := errors.Join(w.receive(in), <-w.done); err != nil {
			return err
		}
	}
	return nil
}
