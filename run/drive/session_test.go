package drive

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"net"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/solvers"
)

// TestOrders: an order is done after its steps or at its time, whichever comes first, and before the first one.
func TestOrders(t *testing.T) {
	var none order
	if !none.isDone(solvers.Clock{}) {
		t.Error("steps are taken without an order")
	}
	o := order{until: 2, toStep: 5}
	for _, c := range []struct {
		now  solvers.Clock
		done bool
	}{{solvers.Clock{Time: 1, Steps: 4}, false}, {solvers.Clock{Time: 1, Steps: 5}, true},
		{solvers.Clock{Time: 2, Steps: 1}, true}, {solvers.Clock{Time: math.Nextafter(2, 0), Steps: 1}, false}} {
		if o.isDone(c.now) != c.done {
			t.Errorf("at %+v the order is done: %v, want %v", c.now, !c.done, c.done)
		}
	}
	var r *Rank
	if until, steps := r.Limit(3, 4); until != 3 || steps != 4 {
		t.Errorf("without a driver steps are limited to %g, %d", until, steps)
	}
}

// pipe returns the two ends of a connection.
func pipe(t *testing.T) (run *connection, driver net.Conn) {
	a, b := net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	return &connection{a, bufio.NewReader(a)}, b
}

// TestRequests: requests are received with their numbers bit by bit. Numbers beyond the limit are skipped; what is no
// request is an error, before memory is allocated.
func TestRequests(t *testing.T) {
	values := []float64{1, -0.1, math.Inf(1), math.NaN(), 5e-324}
	data := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(data[8*i:], math.Float64bits(v))
	}
	run, driver := pipe(t)
	go func() {
		for range 2 {
			io.WriteString(driver, `{"do":"set","name":"h","bytes":40}`+"\n"+string(data)) //nolint:errcheck // a test
		}
		io.WriteString(driver, `{"do":"advance","until":2.5}`+"\n") //nolint:errcheck // a test
		driver.Close()
	}()
	for _, limit := range []int64{40, 39} {
		q, err := run.receive(func(*request) int64 { return limit })
		if err != nil || q.Do != "set" || q.Name != "h" {
			t.Fatalf("got %+v, %v", q, err)
		}
		same := slices.EqualFunc(q.values, values, func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b)
		})
		if same != (limit >= 40) {
			t.Errorf("with a limit of %d bytes: numbers %v", limit, q.values)
		}
	}
	if q, err := run.receive(func(*request) int64 { return 0 }); err != nil || *q.Until != 2.5 {
		t.Errorf("got %+v, %v", q, err)
	}
	if _, err := run.receive(func(*request) int64 { return 0 }); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	for _, wrong := range []string{"hello", "{}}", `{"bytes":-8}`, `{"bytes":9}`, `{"bytes":9e15}`,
		`{"bytes":9223372036854775800}`} {
		run, driver := pipe(t)
		go io.WriteString(driver, wrong+"\n") //nolint:errcheck // a test
		if q, err := run.receive(func(*request) int64 { return 1 << 60 }); err == nil {
			t.Errorf("%s: got %+v", wrong, q)
		}
	}
}

// TestReplies: a reply is a line of JSON with the number of bytes that follow.
func TestReplies(t *testing.T) {
	run, driver := pipe(t)
	go run.send(reply{Clock: &Clock{Time: 2, Steps: 3, Dt: .5}}, []float64{1, 2}) //nolint:errcheck // a test
	in := bufio.NewReader(driver)
	line, err := in.ReadString('\n')
	const want = `{"bytes":16,"time":2,"steps":3,"dt":0.5,"ended":false}` + "\n"
	if err != nil || line != want {
		t.Errorf("got %s, want %s (%v)", line, want, err)
	}
	if _, err := io.ReadFull(in, make([]byte, 16)); err != nil {
		t.Error(err)
	}
}
