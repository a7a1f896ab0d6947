package grpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

// errOver means that the coordinator has ended the run; the verdict says why.
var errOver = errors.New("the run is over")

// enter copies the data of a rank into its next collective. If all ranks have entered it, enter returns the
// collective, and the caller must call sendResult.
func (c *coordinator) enter(state *rankState, call collect.Call, data []byte) (*collect.Collective, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	state.life.Beat()
	if c.verdict != nil {
		return nil, errOver
	}
	if err := call.Check(c.size); err != nil {
		c.decide(faultVerdict(uint32(state.rank), err.Error()))
		return nil, errOver
	}
	collective := c.collectives[state.entered&1]
	state.entered++
	full, err := collective.Arrive(state.rank, call, data)
	if err != nil {
		c.decide(faultVerdict(uint32(state.rank), errors.Unwrap(err).Error()))
		return nil, errOver
	}
	if full {
		return collective, nil
	}
	for _, o := range c.ranks {
		if o.left && o.entered < state.entered {
			c.decide(faultVerdict(uint32(o.rank), fmt.Sprintf("has left the run, while rank %d calls %v", state.rank, call)))
			return nil, errOver
		}
	}
	return nil, nil
}

// sendResult sends the result of a complete collective to all ranks. Errors are ignored: the stream Attend reports
// ranks that cannot be reached.
func (c *coordinator) sendResult(call collect.Call, collective *collect.Collective) {
	packed := packResult(call, collective)
	// The host is served last: it needs no network, and the others can continue meanwhile.
	for i := range c.ranks {
		r := (i + c.host + 1) % c.size
		state, reply := c.ranks[r], packed
		if call.Kind == collect.Barrier || call.Kind == collect.Gather && r != call.Root ||
			call.Kind == collect.Bcast && r == call.Root {
			reply = nil
		}
		if r == c.host {
			yieldToWriter()
		}
		state.replyLock.Lock()
		if state.reply != nil {
			state.reply(reply)
		}
		state.replyLock.Unlock()
	}
}

// packResult returns the result of a collective as bytes: for a gather, the length of each part in 8 bytes, then
// the parts.
func packResult(call collect.Call, collective *collect.Collective) []byte {
	if call.Kind != collect.Gather && call.Kind != collect.Allgather {
		return collective.Result
	}
	total := 8 * len(collective.Parts)
	for _, p := range collective.Parts {
		total += len(p)
	}
	b := make([]byte, 0, total)
	for _, p := range collective.Parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	for _, p := range collective.Parts {
		b = append(b, p...)
	}
	return b
}

// unpackResult returns copies of the parts that packResult has packed.
func unpackResult(b []byte, size int) ([][]byte, error) {
	if len(b) < 8*size {
		return nil, fmt.Errorf("dist/grpc: %d bytes are too short for %d parts", len(b), size)
	}
	lengths, rest := b[:8*size], slices.Clone(b[8*size:])
	parts := make([][]byte, size)
	for i := range parts {
		n := binary.LittleEndian.Uint64(lengths[8*i:])
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("dist/grpc: part %d has length %d, but only %d bytes remain", i, n, len(rest))
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("dist/grpc: %d bytes after the last part", len(rest))
	}
	return parts, nil
}
