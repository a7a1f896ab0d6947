// Package collect implements collective operations without communication: a Call describes one, and a Collective
// checks that all ranks make the same call and combines their data in any order of arrival, for ranks that share memory
// (local). A Tree makes collectives by messages along a tree of ranks (grpc); mpi uses the pairwise Combine.
package collect

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
)

// Kind is a collective operation.
type Kind uint8

const (
	Barrier Kind = 1 + iota
	ReduceFloat64
	ReduceInt64
	Bcast
	Gather
	Allgather
)

var kindNames = [...]string{"", "Barrier", "AllreduceFloat64", "AllreduceInt64", "Bcast", "Gatherv", "Allgatherv"}
var opNames = [...]string{"min", "max", "sum", "or"}

// Call describes a collective call; it must be equal on all ranks.
type Call struct {
	Kind Kind
	Op   dist.Op // of reductions
	Root int     // of Bcast and Gather
	Len  int     // in bytes, of reductions and Bcast
}

func (c Call) String() string {
	switch c.Kind {
	case ReduceFloat64, ReduceInt64:
		return fmt.Sprintf("%s(%s, %d elements)", kindNames[c.Kind], opNames[c.Op], c.Len/8)
	case Bcast:
		return fmt.Sprintf("Bcast(root %d, %d bytes)", c.Root, c.Len)
	case Gather:
		return fmt.Sprintf("Gatherv(root %d)", c.Root)
	}
	return kindNames[c.Kind]
}

// Check returns an error if the call is invalid. Its fields may come from the network.
func (c Call) Check(size int) error {
	switch {
	case c.Kind < Barrier || c.Kind > Allgather:
		return fmt.Errorf("dist: no collective has number %d", c.Kind)
	case c.Op > dist.Or:
		return fmt.Errorf("dist: no reduction has number %d", c.Op)
	case c.Root < 0 || c.Root >= size:
		return fmt.Errorf("dist: root %d does not exist among %d ranks", c.Root, size)
	case c.Kind == ReduceFloat64 && c.Op > dist.Max:
		return fmt.Errorf("dist: the %s of float64 is refused: a sum depends on the order, use Accumulator",
			opNames[c.Op])
	case (c.Kind == ReduceFloat64 || c.Kind == ReduceInt64) && c.Len%8 != 0 || c.Len < 0:
		return fmt.Errorf("dist: %d bytes are not a multiple of 8, the size of an element", c.Len)
	}
	return nil
}

// Contributes returns how many bytes the rank contributes, and whether that is fixed by the call.
func (c Call) Contributes(rank int) (n int, fixed bool) {
	switch c.Kind {
	case Barrier:
		return 0, true
	case Bcast:
		if rank != c.Root {
			return 0, true
		}
		return c.Len, true
	case Gather, Allgather:
		return 0, false
	}
	return c.Len, true
}

// CallBytes is the length of a Call in a message.
const CallBytes = 16

// Append appends the call to a message.
func (c Call) Append(b []byte) []byte {
	b = append(b, byte(c.Kind), byte(c.Op), 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Root))
	return binary.LittleEndian.AppendUint64(b, uint64(c.Len))
}

// ReadCall reads the call that Append has written, from the first CallBytes of a message. It may be invalid.
func ReadCall(b []byte) Call {
	return Call{Kind: Kind(b[0]), Op: dist.Op(b[1]), Root: int(binary.LittleEndian.Uint32(b[4:])),
		Len: int(binary.LittleEndian.Uint64(b[8:]))}
}

// Bytes returns the memory of s.
func Bytes[T float64 | int64](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*8)
}
