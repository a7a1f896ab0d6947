package drive

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/atoll-hpc/atoll/solvers"
)

// request is what the driver asks for.
type request struct {
	Do    string   `json:"do"`
	Name  string   `json:"name"`
	Until *float64 `json:"until"`
	Steps int      `json:"steps"`
	Bytes int64    `json:"bytes"`

	values []float64
}

// reply answers a request.
type reply struct {
	Error string `json:"error,omitempty"`
	Bytes int64  `json:"bytes"`
	*Clock
	*about
	*gridReply
}

// Clock is the position of a run.
type Clock struct {
	Time  float64 `json:"time"`
	Steps int     `json:"steps"`
	Dt    float64 `json:"dt"`    // of the last step
	Ended bool    `json:"ended"` // whether the run has reached its end
}

// about describes the run.
type about struct {
	Solver    string     `json:"solver"`
	Unit      string     `json:"unit"` // of time
	End       float64    `json:"end"`
	Variables []variable `json:"variables"`
	Grids     []gridInfo `json:"grids"`
}

// variable describes a number of each entity.
type variable struct {
	Name     string `json:"name"`
	Unit     string `json:"unit"`
	Doc      string `json:"doc"`
	Grid     string `json:"grid"`
	Type     string `json:"type"` // float64, or float32 if the state has this precision
	Settable bool   `json:"settable"`

	field     int // in Solver.Fields
	component int
	saved     int // the saved field that is set, and its component; -1 for none
	part      int
	least     float64
	most      float64        // +Inf for fields
	input     *solvers.Input // of a variable of the grid scalar
}

// scalar is the grid of single numbers that the driver sets, such as the rain.
const scalar = "scalar"

// gridInfo describes a space.
type gridInfo struct {
	Name   string `json:"name"`
	Format string `json:"format"` // vtu: cells of a mesh; vti: a uniform grid; "" for scalar, a number
	Count  int64  `json:"count"`
}

// gridReply is the geometry of a space: the corners of each cell follow as bytes, three coordinates each; or nothing
// follows for a uniform grid.
type gridReply struct {
	Corners int       `json:"corners,omitempty"`
	Cells   []int     `json:"cells,omitempty"` // of a uniform grid along x, y, z
	Spacing []float64 `json:"spacing,omitempty"`
	Origin  []float64 `json:"origin,omitempty"`
}

// connection is that to the driver.
type connection struct {
	net.Conn
	in *bufio.Reader
}

// maxRequest bounds the numbers of a request.
const maxRequest = 1 << 40

// receive returns the next request. limit returns how many bytes may follow it.
func (c *connection) receive(limit func(r *request) int64) (*request, error) {
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	r := new(request)
	if err := json.Unmarshal(line, r); err != nil {
		return nil, fmt.Errorf("a request that is no JSON: %w", err)
	}
	if r.Bytes < 0 || r.Bytes > maxRequest || r.Bytes%8 != 0 {
		return nil, fmt.Errorf("a request with %d bytes", r.Bytes)
	}
	if r.Bytes > limit(r) { // refused later
		_, err := io.CopyN(io.Discard, c.in, r.Bytes)
		return r, err
	}
	r.values = make([]float64, r.Bytes/8)
	var word [8]byte
	for i := range r.values {
		if _, err := io.ReadFull(c.in, word[:]); err != nil {
			return nil, err
		}
		r.values[i] = math.Float64frombits(binary.LittleEndian.Uint64(word[:]))
	}
	return r, nil
}

// send sends a reply with numbers.
func (c *connection) send(r reply, values []float64) error {
	r.Bytes = int64(8 * len(values))
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(c.Conn, 1<<16)
	w.Write(append(line, '\n')) //nolint:errcheck // Flush returns the first error
	var word [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
		w.Write(word[:]) //nolint:errcheck // as above
	}
	return w.Flush()
}

// dialTimeout is how long the driver may take to accept the connection.
const dialTimeout = 10 * time.Second

// dial connects to the driver.
func dial(path string) (*connection, error) {
	c, err := net.DialTimeout("unix", path, dialTimeout)
	if err != nil {
		return nil, &solvers.BadInput{Err: fmt.Errorf("--drive: no driver listens: %w", err)}
	}
	return &connection{c, bufio.NewReaderSize(c, 1<<16)}, nil
}
