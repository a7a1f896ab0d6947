package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/parallel"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
)

// Writer writes a checkpoint in the background.
type Writer struct {
	comm     dist.Comm
	path     string
	fence    folder.Fence
	snapshot *solvers.Snapshot
	index    index // Blocks are those of this rank
	ranges   []blockRange
	offset   int64 // offset of this rank's blobs in the file
	done     chan struct{}
	err      error // of writing this rank's blobs and output, valid once done is closed
	output   *ledger.Mark

	lock    sync.Mutex
	digests []solvers.Digests // digests of this rank's blocks, per space with hashed fields
}

// sizeTag is the tag of messages with the sizes of parts. No others have it.
const sizeTag = 0x0619

// NotWrittenError is the error of a checkpoint that could not be written. It is the same on all ranks, and the run can
// go on.
type NotWrittenError struct{ Why string }

func (e *NotWrittenError) Error() string { return e.Why }

// Begin starts to write a checkpoint to the folder of the fence, each rank its part, and returns while writing goes
// on. All ranks call it. The Writer closes the snapshot when it has finished. The next checkpoint may begin after
// Finish. layouts is shared by all checkpoints of a run. output has the files that the rank has written up to this
// state: they are on the disk before the checkpoint is.
func Begin(ctx context.Context, comm dist.Comm, fence folder.Fence, info Info, snapshot *solvers.Snapshot,
	layouts *Layouts, output *ledger.Mark) (*Writer, error) {
	w := &Writer{comm: comm, path: Path(fence.Dir, snapshot.Clock.Steps), fence: fence, snapshot: snapshot,
		index: index{Info: info}, done: make(chan struct{}), output: output}
	size := w.layOut(layouts)
	sizes := dist.Gathering{Comm: comm, Tag: sizeTag}
	before, _, err := sizes.Scan(ctx, []int64{size})
	if err != nil {
		return nil, errors.Join(err, snapshot.Close())
	}
	w.offset = headerSize + before[0]
	var createErr error
	if comm.Rank() == 0 {
		createErr = w.create()
	}
	if err := w.agree(ctx, createErr); err != nil {
		return nil, errors.Join(err, snapshot.Close())
	}
	go func() {
		defer close(w.done)
		if w.err = w.write(); w.err == nil {
			w.index.Files, w.err = w.output.Wait()
		}
	}()
	return w, nil
}

// partPath is the path of the incomplete file.
func (w *Writer) partPath() string { return w.fence.PartialPath(w.path) }

func (w *Writer) create() error {
	if err := atomicfile.MakeFolder(filepath.Dir(w.path)); err != nil {
		return err
	}
	f, err := atomicfile.Create(w.partPath())
	if err != nil {
		return err
	}
	_, err = f.Write(header())
	return errors.Join(err, f.Close())
}

// write writes the blobs of this rank, using all processors.
func (w *Writer) write() (err error) {
	f, err := atomicfile.Open(w.partPath(), os.O_WRONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = parallel.Each(context.Background(), "", len(w.ranges), 1, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			if err := w.writeBlock(f, k); err != nil {
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

// writeBlock writes block k and adds its digest.
func (w *Writer) writeBlock(f *atomicfile.File, k int) error {
	r, b := &w.ranges[k], &w.index.Blocks[k]
	writeBlob := func(to *blob, bytes []byte) error {
		to.Offset += w.offset
		to.CRC = crc32.Checksum(bytes, castagnoli)
		_, err := f.WriteAt(bytes, to.Offset)
		return err
	}
	if err := writeBlob(&b.Keys, r.keys); err != nil {
		return err
	}
	space := &w.snapshot.Spaces[b.Space]
	buffer := readBuffers.Get().(*solvers.ReadBuffer)
	defer readBuffers.Put(buffer)
	buffer.Reset()
	numbers := make([][]byte, len(space.Fields))
	for i := range space.Fields {
		var err error
		if numbers[i], err = space.Fields[i].Numbers(r.lo, r.hi, buffer); err != nil {
			return err
		}
		if err := space.Fields[i].CheckFinite(w.comm.Rank(), w.snapshot.Clock.Steps, r.lo, numbers[i]); err != nil {
			return err
		}
		if err := writeBlob(&b.Fields[i], numbers[i]); err != nil {
			return err
		}
	}
	if space.Hashes() {
		sum := space.Digest(r.lo, r.hi, numbers)
		w.lock.Lock()
		defer w.lock.Unlock()
		w.digests[w.digestIndex(b.Space)].Add(&sum)
	}
	return nil
}

// readBuffers are buffers of the goroutines that write blocks.
var readBuffers = sync.Pool{New: func() any { return new(solvers.ReadBuffer) }}

// Written reports whether this rank has written its part.
func (w *Writer) Written() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// Abandon waits until the snapshot is no longer in use, and removes the incomplete file.
func (w *Writer) Abandon() error {
	<-w.done
	if w.comm.Rank() == 0 {
		_ = atomicfile.Remove(w.partPath()) // the next run removes it too
	}
	return w.snapshot.Close()
}

// writtenPart is what each rank sends to rank 0 at the end.
type writtenPart struct {
	Blocks  []block
	Digests []solvers.Digests
	Files   ledger.Files
}

// Finish waits until all ranks have written, then renames the file to its final name. All ranks call it. It returns a
// NotWrittenError if a rank failed to write, and a solvers.InvalidState if the state is not finite on a rank.
func (w *Writer) Finish(ctx context.Context) error {
	<-w.done
	if err := w.agree(ctx, errors.Join(w.err, w.snapshot.Close())); err != nil {
		return err
	}
	message, err := json.Marshal(writtenPart{w.index.Blocks, w.digests, w.index.Files})
	if err != nil {
		return err
	}
	messages, err := w.comm.Gatherv(ctx, 0, message)
	if err != nil {
		return err
	}
	var publishErr error
	if w.comm.Rank() == 0 {
		publishErr = w.publish(messages)
	}
	return w.agree(ctx, publishErr)
}

// publish writes index and footer, and renames the file.
func (w *Writer) publish(messages [][]byte) error {
	w.index.Blocks, w.index.Files = nil, ledger.Files{}
	var digests []solvers.Digests
	for _, text := range messages {
		var p writtenPart
		if err := json.Unmarshal(text, &p); err != nil {
			return err
		}
		w.index.Blocks = append(w.index.Blocks, p.Blocks...)
		maps.Copy(w.index.Files, p.Files)
		if digests == nil {
			digests = make([]solvers.Digests, len(p.Digests))
		}
		for k := range digests {
			digests[k].Add(&p.Digests[k])
		}
	}
	w.index.Format, w.index.Ranks = Format, w.comm.Size()
	w.index.StateSHA256, w.index.HashVersion = solvers.HashOf(digests), solvers.HashVersion
	w.index.Time, w.index.Steps = number(w.snapshot.Clock.Time), w.snapshot.Clock.Steps
	w.index.Dt = number(w.snapshot.Clock.Dt)
	w.index.Scalars = map[string]number{}
	for name, v := range w.snapshot.Scalars {
		w.index.Scalars[name] = number(v)
	}
	text, err := w.index.encode()
	if err != nil {
		return err
	}
	end := int64(headerSize)
	for _, b := range w.index.Blocks {
		last := b.Keys
		if len(b.Fields) > 0 {
			last = b.Fields[len(b.Fields)-1]
		}
		end = max(end, last.Offset+last.Len)
	}
	f, err := atomicfile.Open(w.partPath(), os.O_WRONLY)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(slices.Concat(text, footer(end, text)), end)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := w.fence.Publish(func() error { return atomicfile.Rename(w.partPath(), w.path) }); err != nil {
		return err
	}
	return atomicfile.Sync(filepath.Dir(w.path))
}

// agree turns a write error of one rank into a NotWrittenError on all ranks, or the invalid state of one into an
// InvalidState on all ranks, and removes the incomplete file.
func (w *Writer) agree(ctx context.Context, ownErr error) error {
	rank, text, err := dist.FirstError(ctx, w.comm, ownErr)
	if err != nil || rank < 0 {
		return err
	}
	if w.comm.Rank() == 0 {
		_ = atomicfile.Remove(w.partPath())
	}
	var own *solvers.InvalidState
	var invalidErr error
	if errors.As(ownErr, &own) {
		invalidErr = own
	}
	invalid, about, err := dist.FirstError(ctx, w.comm, invalidErr)
	if err != nil {
		return err
	}
	if invalid >= 0 {
		return &solvers.InvalidState{Err: errors.New(about)}
	}
	if w.comm.Size() > 1 {
		text = fmt.Sprintf("rank %d: %s", rank, text)
	}
	return &NotWrittenError{text}
}
