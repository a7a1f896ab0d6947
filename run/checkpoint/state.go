package checkpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/solvers"
)

// State is the state in a checkpoint, for a run that continues from it. Rank 0 reads the index. Each rank reads a share
// of the blocks, as many bytes as others up to a block, in a few pieces: the file is read once. Ranks then send each
// other what they own. It is a solvers.Source.
type State struct {
	Path string
	// Reads and Bytes count what this rank has read of the file.
	Reads, Bytes int64

	outline
	comm dist.Comm
	held []heldBlock // in the order of the file
}

// outline is what all ranks know of an index.
type outline struct {
	Info   Info    `json:"info"`
	Spaces []space `json:"spaces"`
	Counts []int64 `json:"counts"` // of entities in each space
}

// heldBlock is a block of this rank's share. first is the number of entities of its space in earlier ones.
type heldBlock struct {
	block
	first  int
	keys   []byte // encoded
	fields [][]byte
}

// Tags of messages, which no others have during a restart.
const (
	tagBlocks = 0x0690 + iota
	tagSelect
	tagRuns
	tagSegments
	tagOrder
	tagNumbers
)

// counter counts what is read of a file.
type counter struct {
	of           io.ReaderAt
	reads, bytes *int64
}

func (c counter) ReadAt(b []byte, offset int64) (int, error) {
	atomic.AddInt64(c.reads, 1)
	atomic.AddInt64(c.bytes, int64(len(b)))
	return c.of.ReadAt(b, offset)
}

// OpenState opens a checkpoint and tells each rank its share of the blocks, which it does not read yet. All ranks call
// it, and get the same error.
func OpenState(ctx context.Context, comm dist.Comm, path string) (*State, error) {
	s := &State{Path: path, comm: comm}
	var text []byte
	var parcels []dist.Parcel
	var err error
	if comm.Rank() == 0 {
		text, parcels, err = s.plan()
	}
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	shared, err := dist.TextOf(ctx, comm, 0, string(text))
	if err != nil {
		return nil, err
	}
	parcels, err = dist.Route(ctx, comm, tagBlocks, parcels)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(shared), &s.outline); err != nil {
		return nil, err
	}
	var blocks []block
	for _, p := range parcels {
		if err := json.Unmarshal(p.Bytes, &blocks); err != nil {
			return nil, err
		}
	}
	s.hold(blocks)
	return s, nil
}

// hold makes blocks this rank's share.
func (s *State) hold(blocks []block) {
	first := make([]int, len(s.Spaces))
	for _, b := range blocks {
		s.held = append(s.held, heldBlock{block: b, first: first[b.Space]})
		first[b.Space] += b.Count
	}
}

// plan reads the index and returns, in JSON, its outline and the blocks of each rank.
func (s *State) plan() (text []byte, parcels []dist.Parcel, err error) {
	f, err := openCounted(s.Path, &s.Reads, &s.Bytes)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Close(); err != nil {
		return nil, nil, err
	}
	o := outline{Info: f.index.Info, Spaces: f.Spaces, Counts: make([]int64, len(f.Spaces))}
	for k := range f.Blocks {
		o.Counts[f.Blocks[k].Space] += int64(f.Blocks[k].Count)
	}
	for rank, blocks := range shares(f.Blocks, s.comm.Size()) {
		if len(blocks) == 0 {
			continue
		}
		b, err := json.Marshal(blocks)
		if err != nil {
			return nil, nil, err
		}
		parcels = append(parcels, dist.Parcel{Rank: rank, Bytes: b})
	}
	text, err = json.Marshal(o)
	return text, parcels, err
}

// size returns the number of bytes of a block.
func (b *block) size() int64 {
	n := b.Keys.Len
	for k := range b.Fields {
		n += b.Fields[k].Len
	}
	return n
}

// shares divides blocks, in their order, into shares of ranks that differ by the bytes of a block: a block belongs to
// the share in which its middle is.
func shares(blocks []block, ranks int) [][]block {
	total := int64(0)
	for k := range blocks {
		total += blocks[k].size()
	}
	list := make([][]block, ranks)
	before, k := int64(0), 0
	for rank := range list {
		first := k
		for k < len(blocks) {
			n := blocks[k].size()
			if rank+1 < ranks && float64(before)+float64(n)/2 >= float64(total)*float64(rank+1)/float64(ranks) {
				break
			}
			before += n
			k++
		}
		list[rank] = blocks[first:k]
	}
	return list
}

// maxPieces is the number of pieces, up to one, in which a rank reads its share. A piece has at least minPieceBytes.
const maxPieces, minPieceBytes = 32, 4 << 20

// Read reads this rank's share and checks its checksums and keys. It returns the sums of digests of its entities, for
// CheckHash. It is not collective.
func (s *State) Read(ctx context.Context) (sums []solvers.Digests, err error) {
	if len(s.held) == 0 {
		return nil, nil
	}
	file, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return s.readFrom(ctx, counter{file, &s.Reads, &s.Bytes})
}

func (s *State) readFrom(ctx context.Context, r io.ReaderAt) (sums []solvers.Digests, err error) {
	total := int64(0)
	for k := range s.held {
		total += s.held[k].size()
	}
	var pieces [][]heldBlock
	for first, k, bytes := 0, 0, int64(0); k < len(s.held); {
		bytes += s.held[k].size()
		if k++; k == len(s.held) || bytes >= max(minPieceBytes, total/maxPieces) {
			pieces = append(pieces, s.held[first:k])
			first, bytes = k, 0
		}
	}
	sumsOf := make([][]solvers.Digests, len(pieces))
	err = parallel.Each(ctx, "", len(pieces), 1, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			var err error
			if sumsOf[k], err = s.readPiece(r, pieces[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, n := digestsOf(s.Spaces)
	sums = make([]solvers.Digests, n)
	for _, of := range sumsOf {
		for k := range of {
			sums[k].Add(&of[k])
		}
	}
	return sums, nil
}

// readPiece reads successive blocks, which follow each other in the file.
func (s *State) readPiece(r io.ReaderAt, blocks []heldBlock) ([]solvers.Digests, error) {
	begin, length := blocks[0].Keys.Offset, int64(0)
	for k := range blocks {
		length += blocks[k].size()
	}
	bytes := make([]byte, length)
	if err := readAt(r, bytes, begin); err != nil {
		return nil, &DamagedError{s.Path, err}
	}
	v := newVerifier(s.Path, s.Spaces)
	for k := range blocks {
		b := &blocks[k]
		cut := func(of blob) []byte { return bytes[of.Offset-begin:][:of.Len:of.Len] }
		b.keys = cut(b.Keys)
		for i := range b.Fields {
			b.fields = append(b.fields, cut(b.Fields[i]))
		}
		if err := v.check(&b.block, b.keys, b.fields); err != nil {
			return nil, err
		}
	}
	return v.sums, nil
}

// CheckHash compares the hash of the state with the sums that Read has returned on each rank. All ranks call it, and
// get the same error.
func (s *State) CheckHash(ctx context.Context, own []solvers.Digests) error {
	if s.Info.HashVersion != solvers.HashVersion {
		return nil // of another definition
	}
	_, n := digestsOf(s.Spaces)
	sums := make([]solvers.Digests, n)
	copy(sums, own)
	hash, err := solvers.SumHash(ctx, s.comm, sums)
	if err != nil {
		return err
	}
	if err := checkHash(s.Path, &s.Info, hash); err != nil {
		return &solvers.BadInput{Err: err}
	}
	return nil
}

// Release frees what the rank has read.
func (s *State) Release() { s.held = nil }

// find locates a field, and checks that it has size bytes per entity unless size is 0.
func (s *State) find(name string, size int) (fieldIndex, error) {
	for k := range s.Spaces {
		for i, f := range s.Spaces[k].Fields {
			switch {
			case f.Name != name:
			case size > 0 && f.Size != size:
				return fieldIndex{}, fmt.Errorf("%s has %d bytes of field %q per %s, want %d as in the case", s.Path, f.Size, name,
					s.Spaces[k].Name, size)
			default:
				return fieldIndex{k, i}, nil
			}
		}
	}
	return fieldIndex{}, fmt.Errorf("%s has no field %q", s.Path, name)
}

// fieldIndex locates a field: index of its space, and of the field in it.
type fieldIndex struct{ space, field int }

// blocksOf returns the blocks of a space that this rank holds.
func (s *State) blocksOf(space int) (list []*heldBlock) {
	for k := range s.held {
		if s.held[k].Space == space {
			list = append(list, &s.held[k])
		}
	}
	return list
}

// openCounted is Open, and counts what is read.
func openCounted(path string, reads, bytes *int64) (*File, error) {
	return openFile(path, func(f *os.File) io.ReaderAt { return counter{f, reads, bytes} })
}
