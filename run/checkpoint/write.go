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
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// Writer is a file that is being written, in the background.
type Writer struct {
	comm   dist.Comm
	path   string
	fence  folder.Fence
	shot   *solvers.Snapshot
	index  index // the blocks are this rank's
	pieces []piece
	begin  int64 // of this rank's blobs
	done   chan struct{}
	failed error // of this rank

	lock sync.Mutex
	sums []solvers.Digests // of this rank, space by space
}

// NotWrittenError is that a checkpoint could not be written, which nothing of the run depends on. All ranks have the
// same.
type NotWrittenError struct{ Why string }

func (e *NotWrittenError) Error() string { return e.Why }

// Begin begins to write a rank's share of a state to its file in the fence's folder, and returns while it is being
// written. All ranks call it. The snapshot is the writer's, which closes it when it has finished. Another one may begin
// after Finish. layouts are those of the checkpoints of the run before.
func Begin(ctx context.Context, comm dist.Comm, fence folder.Fence, info Info, shot *solvers.Snapshot,
	layouts *Layouts) (*Writer, error) {
	w := &Writer{comm: comm, path: Path(fence.Dir, shot.Clock.Steps), fence: fence, shot: shot,
		index: index{Info: info}, done: make(chan struct{})}
	size := w.arrange(layouts)
	sizes, err := comm.Allgatherv(ctx, binary.LittleEndian.AppendUint64(nil, uint64(size)))
	if err != nil {
		return nil, errors.Join(err, shot.Close())
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
		return nil, errors.Join(err, shot.Close())
	}
	go func() {
		defer close(w.done)
		w.failed = w.write()
	}()
	return w, nil
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

// write writes the blobs of this rank, on all processors.
func (w *Writer) write() (err error) {
	f, err := os.OpenFile(w.part(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = parallel.Each(context.Background(), "", len(w.pieces), 1, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			if err := w.writePiece(f, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.Sync()
}

// writePiece writes a block, and adds its digest.
func (w *Writer) writePiece(f *os.File, k int) error {
	p, b := &w.pieces[k], &w.index.Blocks[k]
	put := func(to *blob, bytes []byte) error {
		to.At += w.begin
		to.CRC = crc32.Checksum(bytes, castagnoli)
		_, err := f.WriteAt(bytes, to.At)
		return err
	}
	if err := put(&b.Keys, p.keys); err != nil {
		return err
	}
	space := &w.shot.Spaces[b.Space]
	room := rooms.Get().(*solvers.ReadBuffer)
	defer rooms.Put(room)
	room.Reset()
	numbers := make([][]byte, len(space.Fields))
	for i := range space.Fields {
		var err error
		if numbers[i], err = space.Fields[i].Numbers(p.lo, p.hi, room); err != nil {
			return err
		}
		if err := put(&b.Fields[i], numbers[i]); err != nil {
			return err
		}
	}
	if space.Hashes() {
		sum := space.Digest(p.lo, p.hi, numbers)
		w.lock.Lock()
		defer w.lock.Unlock()
		w.sums[w.sumOf(b.Space)].Add(&sum)
	}
	return nil
}

// rooms are those of goroutines that write blocks.
var rooms = sync.Pool{New: func() any { return new(solvers.ReadBuffer) }}

// Written reports whether this rank has written its share.
func (w *Writer) Written() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// Abandon waits until nothing of the snapshot is used any more, and leaves the file without its name.
func (w *Writer) Abandon() error {
	<-w.done
	return w.shot.Close()
}

// share is what rank 0 needs of each rank.
type share struct {
	Blocks []block
	Sums   []solvers.Digests
}

// Finish waits until all is written, and gives the file its name. All ranks call it. That the file could not be written
// is a NotWrittenError.
func (w *Writer) Finish(ctx context.Context) error {
	<-w.done
	if err := w.agree(ctx, errors.Join(w.failed, w.shot.Close())); err != nil {
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
