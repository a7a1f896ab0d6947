package grpc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/dist/internal/collect"
)

// errOver tells that the coordinator has ended the run; the verdict says why.
var errOver = errors.New("the run is over")

// enter brings data of a rank, which is copied, into its next collective. It returns the round when it is full: then
// the caller must call answer.
func (c *coordinator) enter(m *member, call collect.Call, data []byte) (*collect.Collective, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.life.Beat()
	if c.verdict != nil {
		return nil, errOver
	}
	if err := call.Check(c.size); err != nil {
		c.decide(fault(uint32(m.rank), err.Error()))
		return nil, errOver
	}
	round := c.collectives[m.entered&1]
	m.entered++
	full, err := round.Arrive(m.rank, call, data)
	if err != nil {
		c.decide(fault(uint32(m.rank), errors.Unwrap(err).Error()))
		return nil, errOver
	}
	if full {
		return round, nil
	}
	for _, o := range c.members {
		if o.left && o.entered < m.entered {
			c.decide(fault(uint32(o.rank), fmt.Sprintf("has left the run, while rank %d calls %v", m.rank, call)))
			return nil, errOver
		}
	}
	return nil, nil
}

// sendResult gives all ranks the result of a full round. A rank that cannot be reached is noticed elsewhere.
func (c *coordinator) sendResult(call collect.Call, round *collect.Collective) {
	blob := packResult(call, round)
	// The host comes last: it needs no network, and the others can work meanwhile.
	for i := range c.members {
		r := (i + c.host + 1) % c.size
		m, gets := c.members[r], blob
		if call.Kind == collect.Barrier || call.Kind == collect.Gather && r != call.Root ||
			call.Kind == collect.Bcast && r == call.Root {
			gets = nil
		}
		if r == c.host {
			yieldToWriter()
		}
		m.replyLock.Lock()
		if m.reply != nil {
			m.reply(gets)
		}
		m.replyLock.Unlock()
	}
}

// packResult is the result of a round as bytes: of a gather, the length of each part in 8 bytes, then the parts.
func packResult(call collect.Call, round *collect.Collective) []byte {
	if call.Kind != collect.Gather && call.Kind != collect.Allgather {
		return round.Result
	}
	total := 8 * len(round.Parts)
	for _, p := range round.Parts {
		total += len(p)
	}
	b := make([]byte, 0, total)
	for _, p := range round.Parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
	}
	for _, p := range round.Parts {
		b = append(b, p...)
	}
	return b
}

// unpackResult copies the parts out of what packed has made.
func unpackResult(b []byte, size int) ([][]byte, error) {
	if len(b) < 8*size {
		return nil, fmt.Errorf("dist/grpc: %d bytes hold no %d parts", len(b), size)
	}
	lengths, rest := b[:8*size], slices.Clone(b[8*size:])
	parts := make([][]byte, size)
	for i := range parts {
		n := binary.LittleEndian.Uint64(lengths[8*i:])
		if n > uint64(len(rest)) {
			return nil, fmt.Errorf("dist/grpc: part %d has %d bytes, %d are left", i, n, len(rest))
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("dist/grpc: %d bytes after the last part", len(rest))
	}
	return parts, nil
}
