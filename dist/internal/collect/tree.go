package collect

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/atoll-hpc/atoll/dist"
)

// Tree makes the collectives of a rank by messages to the ranks next to it in a tree with rank 0 at its root: what the
// ranks contribute is combined on its way up, and the result comes down again. A subtree consists of consecutive ranks,
// the first of which is its root, so that ranks of one machine are close together. A rank has at most
// max(7, ⌈log₂ size⌉-1) children; of more than 64 ranks, each receives and sends at most 2⌈log₂ size⌉ messages for a
// collective. With up to 8 ranks, rank 0 is the parent of all others.
//
// All operations are exact and independent of order, so that results do not depend on the tree.
type Tree struct {
	rank     int
	parent   int // -1 for rank 0
	ranks    int // in this rank's subtree
	size     int
	children []branch

	up                []byte // the call, and what this rank's subtree contributes
	childRanks        []int
	parentRank        []int // the parent, if there is one
	withRoot, without []int // children whose subtree has the root of a call, and the others
}

// branch is the subtree of a child: the ranks from first on.
type branch struct{ first, ranks int }

func (b branch) has(rank int) bool { return rank >= b.first && rank < b.first+b.ranks }

// leastFan is the least number of children of a rank with a large subtree.
const leastFan = 7

// NewTree returns the place of a rank among size ranks.
func NewTree(rank, size int) *Tree {
	fan := max(leastFan, bits.Len(uint(size-1))-1)
	t := &Tree{rank: rank, parent: -1, size: size}
	at := branch{0, size}
	for at.first != rank {
		for _, b := range at.split(fan) {
			if b.has(rank) {
				t.parent, at = at.first, b
				break
			}
		}
	}
	t.ranks, t.children = at.ranks, at.split(fan)
	for _, b := range t.children {
		t.childRanks = append(t.childRanks, b.first)
	}
	if t.parent >= 0 {
		t.parentRank = []int{t.parent}
	}
	return t
}

// split returns the subtrees of the children of the subtree's root, of nearly equal sizes.
func (b branch) split(fan int) []branch {
	n := min(fan, b.ranks-1)
	children := make([]branch, n)
	for i, first := 0, b.first+1; i < n; i++ {
		ranks := (b.ranks-1)/n + (n-1-i+(b.ranks-1)%n)/n
		children[i] = branch{first, ranks}
		first += ranks
	}
	return children
}

// Parent returns the parent of the rank, and false for rank 0.
func (t *Tree) Parent() (rank int, exists bool) { return t.parent, t.parent >= 0 }

// Children returns the children of the rank, in ascending order.
func (t *Tree) Children() []int { return t.childRanks }

// Links carries the messages of a Tree. Messages from one rank to another do not overtake each other.
type Links interface {
	// Send sends a message to some ranks, and returns when it no longer reads its memory.
	Send(ctx context.Context, msg []byte, to []int) error
	// Receive returns the next message of each of some ranks, of any length that their subtrees can have. The messages
	// are valid until the next call.
	Receive(ctx context.Context, from []int) ([][]byte, error)
}

// Ranks returns the number of ranks whose contributions a message from a child, or to this rank, may have.
func (t *Tree) Ranks(from int) int {
	for _, b := range t.children {
		if b.first == from {
			return b.ranks
		}
	}
	return t.size
}

// Run makes a call to which this rank contributes data. The result of reductions and Bcast is that of the call; of
// gathers, what Parts reads, on ranks that get it. It is valid until the next call. An error that a rank has caused is
// a *dist.PeerError with it.
func (t *Tree) Run(ctx context.Context, links Links, call Call, data []byte) ([]byte, error) {
	received, err := links.Receive(ctx, t.childRanks)
	if err != nil {
		return nil, err
	}
	t.up = call.Append(t.up[:0])
	if err := t.combine(call, data, received); err != nil {
		return nil, err
	}
	result := t.up[CallBytes:]
	if t.parent >= 0 {
		if err := links.Send(ctx, t.up, t.parentRank); err != nil {
			return nil, err
		}
		answers, err := links.Receive(ctx, t.parentRank)
		if err != nil {
			return nil, err
		}
		if n, fixed := t.answerBytes(call); fixed && n != len(answers[0]) {
			return nil, &dist.PeerError{Rank: t.parent, Err: fmt.Errorf("sent %d bytes as the result of %v, want %d",
				len(answers[0]), call, n)}
		}
		if call.Kind != Bcast || !t.has(call.Root) { // otherwise it was on its way up here
			result = answers[0]
		}
	}
	return result, t.answer(ctx, links, call, result)
}

func (t *Tree) has(rank int) bool { return branch{t.rank, t.ranks}.has(rank) }

// combine appends to t.up what this rank and its children contribute.
func (t *Tree) combine(call Call, data []byte, received [][]byte) error {
	switch call.Kind {
	case ReduceFloat64, ReduceInt64:
		t.up = append(t.up, data...)
		call.Prepare(t.up[CallBytes:])
	case Bcast:
		if t.rank == call.Root {
			t.up = append(t.up, data...)
		}
	case Gather, Allgather:
		t.up = appendPart(t.up, data)
	}
	for i, b := range t.children {
		msg := received[i]
		if len(msg) < CallBytes {
			return &dist.PeerError{Rank: b.first, Err: fmt.Errorf("contributes a message of %d bytes", len(msg))}
		}
		if other := ReadCall(msg); other != call {
			if err := other.Check(t.size); err != nil {
				return &dist.PeerError{Rank: b.first, Err: err}
			}
			return other.MismatchError(b.first, call, t.rank)
		}
		part := msg[CallBytes:]
		want := 0
		switch {
		case call.Kind == Gather || call.Kind == Allgather:
			if _, err := Parts(part, b.ranks); err != nil {
				return &dist.PeerError{Rank: b.first, Err: err}
			}
			t.up = append(t.up, part...)
			continue
		case call.Kind == Bcast && b.has(call.Root), call.Kind == ReduceFloat64, call.Kind == ReduceInt64:
			want = call.Len
		}
		if len(part) != want {
			return &dist.PeerError{Rank: b.first, Err: fmt.Errorf("contributes %d bytes to %v", len(part), call)}
		}
		if call.Kind == Bcast {
			t.up = append(t.up, part...)
		} else {
			call.Combine(t.up[CallBytes:], part)
		}
	}
	return nil
}

// answerBytes returns the length of the parent's answer, and whether the call fixes it.
func (t *Tree) answerBytes(call Call) (n int, fixed bool) {
	switch call.Kind {
	case Bcast:
		if t.has(call.Root) {
			return 0, true
		}
	case Gather:
		return 0, !t.has(call.Root)
	case Allgather:
		return 0, false
	}
	return call.Len, true
}

// answer sends the result to the children that need it, and an empty message to the others.
func (t *Tree) answer(ctx context.Context, links Links, call Call, result []byte) error {
	full, empty := t.childRanks, []int(nil)
	switch call.Kind {
	case Barrier:
		result = nil
	case Gather, Bcast:
		t.withRoot, t.without = t.withRoot[:0], t.without[:0]
		for _, b := range t.children {
			if b.has(call.Root) {
				t.withRoot = append(t.withRoot, b.first)
			} else {
				t.without = append(t.without, b.first)
			}
		}
		if full, empty = t.withRoot, t.without; call.Kind == Bcast {
			full, empty = empty, full
		}
	}
	if err := links.Send(ctx, nil, empty); err != nil {
		return err
	}
	return links.Send(ctx, result, full)
}

// appendPart appends what one rank contributes to a gather: its length in 8 bytes, then the bytes.
func appendPart(b, part []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...)
}

// Parts returns the parts of so many ranks in the result of a gather, without copying them.
func Parts(b []byte, ranks int) ([][]byte, error) {
	parts := make([][]byte, ranks)
	for i := range parts {
		if len(b) < 8 {
			return nil, fmt.Errorf("dist: %d bytes of a gather remain for the length of part %d of %d", len(b), i, ranks)
		}
		n := binary.LittleEndian.Uint64(b)
		if b = b[8:]; n > uint64(len(b)) {
			return nil, fmt.Errorf("dist: part %d of a gather has length %d, but only %d bytes remain", i, n, len(b))
		}
		parts[i], b = b[:n:n], b[n:]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("dist: %d bytes after the last part of a gather", len(b))
	}
	return parts, nil
}
