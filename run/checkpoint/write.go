package checkpoint

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// blockBytes bounds the numbers of a block. Tests have smaller ones.
var blockBytes = 4 << 20

// Writer is a file that is being written, in the background.
type Writer struct {
	comm   dist.Comm
	path   string
	fence  folder.Fence
	shot   *solvers.Snapshot
	index  index // the blocks are this rank's
	keys   [][]byte
	begin  int64 // of this rank's blobs
	done   chan struct{}
	failed error             // of this rank
	sums   []solvers.Digests // of this rank
}

// NotWrittenError is that a checkpoint could not be written, which nothing of the run depends on. All ranks have the
// same.
type NotWrittenError struct{ Why string }

func (e *NotWrittenError) Error() string { return e.Why }

// Begin begins to write a rank's share of a state to its file in the fence's folder, and returns while it is being
// written. All ranks call it. The snapshot is the writer's until Finish. Another one may begin after Finish.
func Begin(ctx context.Context, comm dist.Comm, fence folder.Fence, info Info,
	shot *solvers.Snapshot) (*Writer, error) {
	w := &Writer{comm: comm, path: Path(fence.Dir, shot.Clock.Steps), fence: fence, shot: shot,
		index: index{Info: info}, done: make(chan struct{})}
	size := w.layOut()
	sizes, err := comm.Allgatherv(ctx, binary.LittleEndian.AppendUint64(nil, uint64(size)))
	if err != nil {
		return nil, err
	}
	w.begin = headerSize
	for _, b := range sizes[:comm.Rank()] {
		w.begin += int64(binary.LittleEndian.Uint64(b))
	}
	var failed error
	if comm.Rank() == 0 {
		failed = w.create()
	}
	if err := w.agree(ctx, failed); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.done)
		w.failed = w.write()
		w.sums = w.shot.Sums()
	}()
	return w, nil
}

// layOut makes the blocks of this rank, their offsets counted from its first byte, and returns how many bytes they
// take.
func (w *Writer) layOut() int64 {
	at := int64(0)
	for s := range w.shot.Spaces {
		from := &w.shot.Spaces[s]
		to := space{Name: from.Name}
		each := 0
		for k := range from.Fields {
			f := &from.Fields[k]
			to.Fields = append(to.Fields, field{f.Name, f.Size, f.Hashed})
			each += f.Size
		}
		w.index.Spaces = append(w.index.Spaces, to)
		for keys := range slices.Chunk(from.Keys, max(1, blockBytes/max(each, 1))) {
			b := block{Space: s, Count: len(keys), Least: slices.Min(keys), Most: slices.Max(keys)}
			coded := appendKeys(nil, keys)
			w.keys = append(w.keys, coded)
			b.Keys = blob{At: at, Len: int64(len(coded))}
			at += b.Keys.Len
			for _, f := range to.Fields {
				b.Fields = append(b.Fields, blob{At: at, Len: int64(f.Size) * int64(len(keys))})
				at += int64(f.Size) * int64(len(keys))
			}
			w.index.Blocks = append(w.index.Blocks, b)
		}
	}
	return at
}

// part is the name of a file that is not whole.
func (w *Writer) part() string { return w.fence.Part(w.path) }

func (w *Writer) create() error {
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(w.part(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(header())
	return errors.Join(err, f.Close())
}

// write writes the blobs of this rank.
func (w *Writer) write() (err error) {
	f, err := os.OpenFile(w.part(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	put := func(to *blob, bytes []byte) error {
		to.At += w.begin
		to.CRC = crc32.Checksum(bytes, castagnoli)
		_, err := f.WriteAt(bytes, to.At)
		return err
	}
	last, before := -1, 0 // entities of the space in blocks before
	for k := range w.index.Blocks {
		b := &w.index.Blocks[k]
		if b.Space != last {
			last, before = b.Space, 0
		}
		if err := put(&b.Keys, w.keys[k]); err != nil {
			return err
		}
		fields := w.shot.Spaces[b.Space].Fields
		for i := range b.Fields {
			size := fields[i].Size
			if err := put(&b.Fields[i], fields[i].Data()[before*size:(before+b.Count)*size]); err != nil {
				return err
			}
		}
		before += b.Count
	}
	return f.Sync()
}

// Written tells whether this rank has written its share.
func (w *Writer) Written() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// share is what rank 0 needs of each rank.
type share struct {
	Blocks []block
	Sums   []solvers.Digests
}

// Finish waits until all is written, and gives the file its name. All ranks call it. That the file could not be written
// is a NotWritten.
func (w *Writer) Finish(ctx context.Context) error {
	<-w.done
	if err := w.agree(ctx, w.failed); err != nil {
		return err
	}
	mine, err := json.Marshal(share{w.index.Blocks, w.sums})
	if err != nil {
		return err
	}
	all, err := w.comm.Gatherv(ctx, 0, mine)
	if err != nil {
		return err
	}
	var failed error
	if w.comm.Rank() == 0 {
		failed = w.publish(all)
	}
	return w.agree(ctx, failed)
}

// publish writes index and footer, and gives the file its name.
func (w *Writer) publish(all [][]byte) error {
	w.index.Blocks = nil
	var sums []solvers.Digests
	for _, text := range all {
		var s share
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		w.index.Blocks = append(w.index.Blocks, s.Blocks...)
		if sums == nil {
			sums = make([]solvers.Digests, len(s.Sums))
		}
		for k := range sums {
			sums[k].Add(&s.Sums[k])
		}
	}
	w.index.Format, w.index.Ranks = Format, w.comm.Size()
	w.index.StateSHA256, w.index.HashVersion = solvers.HashOf(sums), solvers.HashVersion
	w.index.Time, w.index.Steps = number(w.shot.Clock.Time), w.shot.Clock.Steps
	w.index.Dt = number(w.shot.Clock.Dt)
	w.index.Scalars = map[string]number{}
	for name, v := range w.shot.Scalars {
		w.index.Scalars[name] = number(v)
	}
	text, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	end := int64(headerSize)
	for _, b := range w.index.Blocks {
		last := b.Keys
		if len(b.Fields) > 0 {
			last = b.Fields[len(b.Fields)-1]
		}
		end = max(end, last.At+last.Len)
	}
	f, err := os.OpenFile(w.part(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(slices.Concat(text, footer(end, text)), end)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := w.fence.Publish(func() error { return os.Rename(w.part(), w.path) }); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(w.path))
}

// agree makes what a rank could not write that of all, and removes what was written of the file.
func (w *Writer) agree(ctx context.Context, mine error) error {
	rank, text, err := dist.FirstError(ctx, w.comm, mine)
	if err != nil || rank < 0 {
		return err
	}
	if w.comm.Rank() == 0 {
		_ = os.Remove(w.part())
	}
	if w.comm.Size() > 1 {
		text = fmt.Sprintf("rank %d: %s", rank, text)
	}
	return &NotWrittenError{text}
}

// syncFolder brings a file's name to the disk. Not all systems can.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}
