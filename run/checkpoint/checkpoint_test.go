package checkpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/ledger"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/solverstest"
)

// TestMain makes blocks and passes small, so that the part of each rank has many.
func TestMain(m *testing.M) {
	blockBytes, minPerPass = 1<<12, 200
	os.Exit(m.Run())
}

// testSolver is a solver with two fields. One has three numbers per cell, stored in rows of five and followed by
// copies of other ranks' cells; the other has one number per edge, and the keys of edges are far apart.
type testSolver struct {
	solverstest.Plain
	cells [][5]float64
	marks []int32
}

func (s *testSolver) Size() solvers.Size { return solvers.Size{} }
func (s *testSolver) Advance(context.Context, float64, float64, int) (done bool, _ error) {
	return false, nil
}
func (s *testSolver) Close() {}
func (s *testSolver) Scalars(context.Context) (map[string]float64, error) {
	return map[string]float64{"least": math.Inf(1), "third": 1. / 3}, nil
}

const cells, edges = 4000, 700

// newTestSolver returns the part of a rank. Keys are distributed at random, but the same way for a given number of
// ranks. filled sets the values, which depend only on keys.
func newTestSolver(rank, ranks int, filled bool) *testSolver {
	dev := cpu.New(1)
	rng := rand.New(rand.NewPCG(uint64(ranks), 5))
	var ownKeys, copiedKeys, edgeKeys []int64
	for _, key := range rng.Perm(cells) {
		owner := key % ranks
		if ranks > 2 {
			owner = rng.IntN(ranks - 1) // the last rank owns no cells
		}
		switch {
		case owner == rank:
			ownKeys = append(ownKeys, int64(key))
		case key%5 == 0:
			copiedKeys = append(copiedKeys, int64(key))
		}
	}
	for k := range edges {
		if k%ranks == rank {
			edgeKeys = append(edgeKeys, int64(k)*int64(k)*1e9)
		}
	}
	heldKeys := append(ownKeys, copiedKeys...)
	s := &testSolver{cells: make([][5]float64, len(heldKeys)), marks: make([]int32, len(edgeKeys))}
	if filled {
		for i, key := range heldKeys {
			for k := range 3 {
				s.cells[i][1+k] = math.Sin(float64(key) + float64(k))
			}
		}
		for i, key := range edgeKeys {
			s.marks[i] = int32(key>>9) ^ 77
		}
		s.Now = solvers.Clock{Time: 1. / 7, Steps: 12, Dt: 1e-3}
	}
	cellSpace := &solvers.Space{Name: "cell", Owned: len(ownKeys), Held: len(heldKeys),
		Key: func(i int) int64 { return heldKeys[i] }}
	edgeSpace := &solvers.Space{Name: "edge", Owned: len(edgeKeys), Key: func(i int) int64 { return edgeKeys[i] }}
	s.Declared = []solvers.Field{
		{Name: "w", Space: cellSpace, Components: []string{"a", "b", "c"}, Hashed: true, Saved: true,
			View: func() solvers.View { return solvers.ViewOf[float64](dev, s.cells, 8) }},
		{Name: "mark", Space: edgeSpace, Saved: true, View: func() solvers.View {
			return solvers.ViewOf[int32](dev, s.marks, 0)
		}},
	}
	return s
}

// onRanks calls f on each rank and joins the errors.
func onRanks(t testing.TB, ranks int, f func(comm dist.Comm) error) error {
	t.Helper()
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wg.Go(func() { errs[rank] = errors.Join(f(comm), comm.Close()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// write writes a checkpoint of a number of ranks.
func write(t testing.TB, dir string, ranks int) error {
	return onRanks(t, ranks, func(comm dist.Comm) error {
		snapshot, err := solvers.Save(t.Context(), newTestSolver(comm.Rank(), ranks, true))
		if err != nil {
			return err
		}
		info := Info{Solver: "sea", Case: "test", StepKeysSHA256: "ab"}
		w, err := Begin(t.Context(), comm, folder.Fence{Dir: dir}, info, snapshot, new(Layouts), nil)
		if err != nil {
			return err
		}
		return w.Finish(t.Context())
	})
}

func newCheckpoint(t testing.TB, ranks int) string {
	t.Helper()
	dir := t.TempDir()
	if err := write(t, dir, ranks); err != nil {
		t.Fatal(err)
	}
	files, err := List(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("got checkpoints %v, error %v, want one", files, err)
	}
	return files[0]
}

// TestAnyRanksRestore checks that a checkpoint written by some number of ranks restores the state, including copies, on
// any number of ranks, and that its hash is that of the state.
func TestAnyRanksRestore(t *testing.T) {
	for _, writers := range []int{1, 4, 5} {
		path := newCheckpoint(t, writers)
		var want string
		if err := onRanks(t, 1, func(comm dist.Comm) (err error) {
			want, err = solvers.Hash(t.Context(), comm, newTestSolver(0, 1, true))
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{1, 3, 7} {
			if err := onRanks(t, ranks, func(comm dist.Comm) error {
				from, err := load(t.Context(), comm, path)
				if err != nil {
					return err
				}
				s, expect := newTestSolver(comm.Rank(), ranks, false), newTestSolver(comm.Rank(), ranks, true)
				info := &from.Info
				if err := solvers.Restore(t.Context(), s, info.Clock(), info.ScalarValues(), from); err != nil {
					return err
				}
				numbers, err := s.Scalars(t.Context())
				switch {
				case err != nil:
					return err
				case fmt.Sprint(s.cells, s.marks, s.Now) != fmt.Sprint(expect.cells, expect.marks, expect.Now):
					return errors.New("the restored state differs")
				case fmt.Sprint(info.ScalarValues()) != fmt.Sprint(numbers) || info.StateSHA256 != want || info.Ranks != writers:
					return fmt.Errorf("%+v, want hash %s", info, want)
				}
				return nil
			}); err != nil {
				t.Errorf("from %d ranks to %d: %v", writers, ranks, err)
			}
		}
	}
}

// TestCheckpointWhileDeviceContinues checks that a checkpoint has the state at which it began, although the device
// continues: it is written from copies on the device, which are then freed, or on the host if the device has no
// free memory.
func TestCheckpointWhileDeviceContinues(t *testing.T) {
	for _, freeBytes := range []int{1 << 20, 0} {
		dev := backendtest.NewFakeGPU(cpu.New(1), freeBytes)
		s := newTestSolver(0, 1, true)
		for k := range s.Declared {
			view := s.Declared[k].View()
			view.Device = dev
			s.Declared[k].View = func() solvers.View { return view }
		}
		dir := t.TempDir()
		if err := onRanks(t, 1, func(comm dist.Comm) error {
			snapshot, err := solvers.Save(t.Context(), s)
			if err != nil {
				return err
			}
			if (dev.OpenSnapshots > 0) != (freeBytes > 0) {
				t.Errorf("%d copies on a device with room for %d bytes", dev.OpenSnapshots, freeBytes)
			}
			clear(s.cells)
			clear(s.marks)
			info := Info{Solver: "sea", Case: "test", StepKeysSHA256: "ab"}
			w, err := Begin(t.Context(), comm, folder.Fence{Dir: dir}, info, snapshot, new(Layouts), nil)
			if err != nil {
				return err
			}
			return w.Finish(t.Context())
		}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(Path(dir, 12))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(newCheckpoint(t, 1))
		if err != nil || !bytes.Equal(got, want) || dev.OpenSnapshots != 0 {
			t.Errorf("the file differs, or error %v, or %d copies not freed", err, dev.OpenSnapshots)
		}
	}
}

// check opens and verifies the bytes of a file.
func check(text []byte) error {
	f, err := open("a.ckpt", bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	return f.Verify()
}

// load opens and reads the state in a file, as a run does that continues from it.
func load(ctx context.Context, comm dist.Comm, path string) (*State, error) {
	s, err := OpenState(ctx, comm, path)
	if err != nil {
		return nil, err
	}
	sums, err := s.Read(ctx)
	if err := solvers.Agree(ctx, comm, err); err != nil {
		return nil, err
	}
	return s, s.CheckHash(ctx, sums)
}

// TestForgedFilesAreRefused checks that a file whose index or state was changed is refused although all checksums are
// right: by the step in its name, or by the hash of its state.
func TestForgedFilesAreRefused(t *testing.T) {
	original, err := os.ReadFile(newCheckpoint(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		forge func(x *index, text []byte)
		want  string
	}{
		"nothing":    {func(*index, []byte) {}, ""},
		"step":       {func(x *index, _ []byte) { x.Steps = 99 }, "after step 99"},
		"hash":       {func(x *index, _ []byte) { x.StateSHA256 = strings.Repeat("ab", 32) }, "by its index it is abab"},
		"not hashed": {func(x *index, _ []byte) { x.Spaces[0].Fields[0].Hashed = false }, "the hash of its state is "},
		"file elsewhere": {func(x *index, _ []byte) {
			x.Files = ledger.Files{"frames/../../a": {Size: 1}}
		}, "not in the folder of a run"},
		"fewer cells": {func(x *index, _ []byte) { x.Blocks[0].Count--; x.Blocks[0].Fields[0].Len -= 24 }, "is invalid"},
		"state": {func(x *index, text []byte) {
			b := &x.Blocks[len(x.Blocks)/2].Fields[0]
			text[b.Offset+7] ^= 1
			setChecksum(b, text)
		}, "the hash of its state is "},
		"keys": {func(x *index, text []byte) {
			b := &x.Blocks[0]
			text[b.Keys.Offset] ^= 2
			b.Least, b.Most = math.MinInt64, math.MaxInt64
			setChecksum(&b.Keys, text)
		}, "the hash of its state is "},
	} {
		text := bytes.Clone(original)
		x, start := indexOf(t, text)
		c.forge(&x, text)
		encoded, err := x.encode()
		if err != nil {
			t.Fatal(err)
		}
		text = slices.Concat(text[:start], encoded, footer(start, encoded))
		path := Path(t.TempDir(), 12)
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666), check(text))
		if err == nil {
			var f *File
			if f, err = Open(path); err == nil {
				err = f.Close()
			}
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}

// TestSealedIndex checks that an index is refused if anything in it was changed, although its checksum is right.
func TestSealedIndex(t *testing.T) {
	original, err := os.ReadFile(newCheckpoint(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		forge func(x *index)
		want  string
	}{
		"nothing":  {func(*index) {}, ""},
		"no seal":  {func(x *index) { x.Seal = "" }, "not the one"},
		"seal":     {func(x *index) { x.Seal = strings.Repeat("0", sealSize) }, "not the one"},
		"short":    {func(x *index) { x.Seal = x.Seal[1:] }, "not the one"},
		"time":     {func(x *index) { x.Time++ }, "not the one"},
		"dt":       {func(x *index) { x.Dt /= 2 }, "not the one"},
		"ranks":    {func(x *index) { x.Ranks++ }, "not the one"},
		"scalar":   {func(x *index) { x.Scalars = map[string]number{"a": 1} }, "not the one"},
		"position": {func(x *index) { x.Run = []byte(`{"frames":99}`) }, "not the one"},
		"files":    {func(x *index) { x.Files = ledger.Files{"frames/a.vtu": {Size: 1}} }, "not the one"},
	} {
		text := bytes.Clone(original)
		x, start := indexOf(t, text)
		c.forge(&x)
		encoded, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		err = check(slices.Concat(text[:start], encoded, footer(start, encoded)))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
}

// TestDamageIsFound checks that flipped bits and truncation anywhere in a file are detected.
func TestDamageIsFound(t *testing.T) {
	text, err := os.ReadFile(newCheckpoint(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := check(text); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 1000 {
		offset, bit := rng.IntN(len(text)), byte(1)<<rng.IntN(8)
		switch { // all bits of header and footer, which are short; random ones elsewhere
		case k < 16*8:
			offset, bit = k/8, 1<<(k%8)
		case k < (16+footerSize)*8:
			offset, bit = len(text)-1-(k/8-16), 1<<(k%8)
		}
		text[offset] ^= bit
		if check(text) == nil {
			t.Errorf("flipping bit %#x of byte %d of %d was not detected", bit, offset, len(text))
		}
		text[offset] ^= bit
	}
	for range 500 {
		n := rng.IntN(len(text))
		if check(text[:n]) == nil {
			t.Errorf("truncation to %d bytes of %d was not detected", n, len(text))
		}
	}
	if check(append(text, 0)) == nil {
		t.Error("an extra byte was not detected")
	}
}

// TestOtherFormat checks that a file of a later format is refused with the number of its format.
func TestOtherFormat(t *testing.T) {
	path := newCheckpoint(t, 1)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[8], text[len(text)-12] = 9, 9
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "is a checkpoint of format 9") {
		t.Errorf("error %v", err)
	}
}

// TestNotWritten checks that a failure to write is reported to all ranks as a NotWrittenError.
func TestNotWritten(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(Folder(dir), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var failed *NotWrittenError
	if err := write(t, dir, 3); !errors.As(err, &failed) || !strings.Contains(failed.Why, "rank 0") {
		t.Errorf("error %v", err)
	}
}

// TestPrune checks that only the latest checkpoints remain, and files that are still being written.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(Folder(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, steps := range []int{9, 10, 1000, 3} {
		if err := os.WriteFile(Path(dir, steps), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	partial := folder.Fence{}.PartialPath(Path(dir, 1001))
	if err := os.WriteFile(partial, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Prune(dir, 2); err != nil {
		t.Fatal(err)
	}
	files, err := List(dir)
	if err != nil || len(files) != 2 || files[0] != Path(dir, 1000) || files[1] != Path(dir, 10) {
		t.Errorf("got checkpoints %v, error %v, want those of steps 1000 and 10", files, err)
	}
	if _, err := os.Stat(partial); err != nil {
		t.Errorf("a checkpoint that is being written was removed: %v", err)
	}
}
