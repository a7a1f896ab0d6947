package frames

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/piece"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// openSeries starts a series of frames, in a format with its own extension, in a folder.
func openSeries(ctx context.Context, dir, format string, c *config.Case, comm dist.Comm) (*series, error) {
	run := &recorder.Run{Case: c, Comm: comm, Dir: dir, Fence: folder.Fence{Dir: dir}}
	f := newSeries(run, newFormat(format, format), 0)
	return f, f.open(ctx, kept{})
}

// newInterfaceFrames starts a series of frames of an interface in a folder, on a single rank.
func newInterfaceFrames(t *testing.T, dir string) *series {
	t.Helper()
	f, err := openSeries(t.Context(), dir, "vtp", &config.Case{Name: "c"}, local.New(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFramesInOrder proves that frames which are written at the same time are completed in their order.
func TestFramesInOrder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f := newInterfaceFrames(t, dir)
	var gates [3]chan struct{}
	for k := range gates {
		gates[k] = make(chan struct{})
		if err := f.limit(ctx, len(gates)); err != nil {
			t.Fatal(err)
		}
		f.begin(float64(k), &snapshot{makePiece: func() (piece.Piece, error) {
			<-gates[k]
			p := &vtk.PolyData{Points: []float64{0, 0, 0}}
			p.Verts.Add(0)
			return (*piece.Faces)(p), nil
		}}, false)
	}
	close(gates[2]) // the last frame does not wait for the others
	<-f.pending[2].done
	if f.count != 0 || len(f.pending) != 3 {
		t.Fatalf("%d frames complete and %d pending; want 0 and 3", f.count, len(f.pending))
	}
	close(gates[0])
	if err := f.limit(ctx, len(gates)); err != nil {
		t.Fatal(err)
	}
	if f.count != 1 || len(f.pending) != 2 {
		t.Fatalf("%d frames complete and %d pending; want 1 and 2", f.count, len(f.pending))
	}
	close(gates[1])
	if err := f.end(ctx); err != nil {
		t.Fatal(err)
	}
	pvd, err := os.ReadFile(filepath.Join(dir, "c.pvd"))
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`frames/c_\d+\.vtp`).FindAllString(string(pvd), -1)
	if got := strings.Join(files, " "); got != "frames/c_000000.vtp frames/c_000001.vtp frames/c_000002.vtp" {
		t.Errorf("the series has %s", got)
	}
}

// onRanks calls a function on every rank of a run, each with a series of frames, and returns their errors.
func onRanks(t *testing.T, ranks int, dir, format string, do func(f *series) error) []error {
	t.Helper()
	errs := make([]error, ranks)
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			f, err := openSeries(t.Context(), dir, format, &config.Case{Name: "c"}, comm)
			if err == nil {
				err = comm.Barrier(t.Context()) // as in List.Open: rank 0 has removed frames of an earlier run
			}
			if err == nil {
				err = do(f)
			}
			if errs[rank] = errors.Join(err, f.close()); err != nil {
				comm.Abort(1, err)
			}
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wait.Wait()
	return errs
}

// point is a piece with one point, on the x axis.
func point(x float64) piece.Piece {
	p := &vtk.PolyData{Points: []float64{x, 0, 0}}
	p.Verts.Add(0)
	return (*piece.Faces)(p)
}

// TestFramesOfSeveralRanks proves that several ranks write several frames at the same time, in whatever order their
// parts are ready, that no rank holds more frames than it may, and that the files do not depend on that.
func TestFramesOfSeveralRanks(t *testing.T) {
	const ranks, count = 3, 7
	files := func(dir string) map[string]string {
		t.Helper()
		contents := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(filepath.Join(dir, path))
			contents[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return contents
	}
	for _, format := range []string{"vtp", "stl"} {
		var want map[string]string // written frame by frame
		for _, most := range []int{1, 3} {
			dir := t.TempDir()
			var ready [count][ranks]chan struct{} // closed when a rank's part of a frame is ready
			for k := range ready {
				for rank := range ready[k] {
					ready[k][rank] = make(chan struct{})
				}
			}
			errs := onRanks(t, ranks, dir, format, func(f *series) error {
				rank := f.run.Comm.Rank()
				for k := range count {
					if err := f.limit(t.Context(), most); err != nil {
						return err
					}
					if len(f.pending) >= most {
						return fmt.Errorf("%d frames are pending, want fewer than %d", len(f.pending), most)
					}
					f.begin(float64(k), &snapshot{makePiece: func() (piece.Piece, error) {
						defer close(ready[k][rank])
						// A part waits for that of the next rank in an other frame, later in the same group of frames.
						if next := k + 1; most > 1 && next%most != 0 && next < count {
							<-ready[next][(rank+1)%ranks]
						}
						if format == "stl" {
							return (*piece.STL)(&vtk.PolyData{}), nil
						}
						return point(float64(ranks*k + rank)), nil
					}}, k == count-1)
				}
				return f.end(t.Context())
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			got := files(dir)
			if want == nil {
				want = got
			}
			if !maps.Equal(got, want) || len(got) < count {
				t.Errorf("%s, up to %d frames at a time: got %d files with other contents than if written one by one", format,
					most, len(got))
			}
		}
	}
}

// TestFailedPart proves that an error in one rank's part of a frame ends the work of all ranks, with its message, and
// that the frame does not appear, although other ranks wait for that part in the background.
func TestFailedPart(t *testing.T) {
	full, dir := errors.New("no space left"), t.TempDir()
	errs := onRanks(t, 3, dir, "vtp", func(f *series) error {
		for k := range 2 {
			f.begin(float64(k), &snapshot{makePiece: func() (piece.Piece, error) {
				if f.run.Comm.Rank() == 1 && k == 0 {
					return nil, full
				}
				return point(0), nil
			}}, false)
		}
		return f.end(t.Context())
	})
	for rank, err := range errs {
		if err == nil || !strings.Contains(err.Error(), full.Error()) || rank == 1 && !errors.Is(err, full) {
			t.Errorf("rank %d: got error %v, want %v", rank, err, full)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "frames", "c_000000.vtp")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v of the failed frame, want that it does not exist", err)
	}
}

// TestFramesEndWithContext proves that ranks do not wait for a frame that another rank never begins once their context
// has ended, or the series is closed.
func TestFramesEndWithContext(t *testing.T) {
	cause := errors.New("stopped")
	for _, closes := range []bool{false, true} {
		ended := make(chan struct{})
		errs := onRanks(t, 2, t.TempDir(), "vtp", func(f *series) error {
			if f.run.Comm.Rank() == 1 { // takes part in the run until the other rank has ended
				<-ended
				return nil
			}
			defer close(ended)
			ctx, cancel := context.WithCancelCause(t.Context())
			f.begin(0, readySnapshot(point(0)), false)
			if cancel(cause); closes {
				return f.close()
			}
			return f.end(ctx)
		})
		if err := errors.Join(errs...); closes != (err == nil) || !closes && !strings.Contains(err.Error(), cause.Error()) {
			t.Errorf("closed: %t: got error %v", closes, err)
		}
	}
}

// TestCompleteFramesAreFreed proves that the series holds no data of frames that are complete.
func TestCompleteFramesAreFreed(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f := newInterfaceFrames(t, dir)
	var pieces [3]weak.Pointer[vtk.PolyData]
	for k := range pieces {
		p := &vtk.PolyData{Points: []float64{0, 0, 0}}
		p.Verts.Add(0)
		pieces[k] = weak.Make(p)
		f.begin(float64(k), readySnapshot((*piece.Faces)(p)), false)
	}
	if err := f.end(ctx); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	for k := range pieces {
		if pieces[k].Value() != nil {
			t.Errorf("frame %d is still in memory", k)
		}
	}
	runtime.KeepAlive(f)
}

// triangle is a frame of one cell, of which some arrays are the same in all frames.
func triangle(value float64) *snapshot {
	g := vtk.Triangles([]float64{0, 1, 1}, []float64{0, 0, value}, [][3]int32{{0, 1, 2}})
	g.ConstantCells = true
	g.CellData = vtk.Arrays{{Name: "rank", Data: []int32{3}, Constant: true}, {Name: "f", Data: []float64{value}}}
	return readySnapshot((*piece.Mesh)(g))
}

// TestDamagedFileAhead proves that the last frame is complete if somebody has removed or truncated the file that was
// written ahead for it.
func TestDamagedFileAhead(t *testing.T) {
	var complete []byte
	for name, damage := range map[string]func(path string) error{
		"nothing":   func(string) error { return nil },
		"removed":   os.Remove,
		"truncated": func(path string) error { return os.Truncate(path, 40) },
		"longer":    func(path string) error { return os.Truncate(path, 4000) },
	} {
		dir := t.TempDir()
		var wait sync.WaitGroup
		for _, comm := range local.New(2) {
			wait.Go(func() {
				f, err := openSeries(t.Context(), dir, "vtu", &config.Case{Name: "c"}, comm)
				if err == nil {
					f.begin(0, triangle(0), false)
					<-f.ahead.ended
					err = comm.Barrier(t.Context())
				}
				if comm.Rank() == 0 && err == nil {
					err = damage(f.ahead.path)
				}
				if err = errors.Join(err, comm.Barrier(t.Context())); err == nil {
					f.begin(1, triangle(1), true)
					err = errors.Join(f.end(t.Context()), f.close())
				}
				if err = errors.Join(err, comm.Close()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wait.Wait()
		text, err := os.ReadFile(filepath.Join(dir, "frames", "c_000001.vtu"))
		if complete == nil {
			complete = text
		}
		if err != nil || !bytes.Equal(text, complete) {
			t.Errorf("%s: the last frame differs, error %v", name, err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "frames", "*.part")); err != nil || len(left) > 0 {
			t.Errorf("%s: files %v are left, error %v", name, left, err)
		}
	}
}

// TestLastFrameWrittenAhead proves that the last frame has the same bytes whether a file was begun for it or not, and
// that no other files remain, whether a last frame is written or not.
func TestLastFrameWrittenAhead(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		dir := t.TempDir()
		var wait sync.WaitGroup
		for _, comm := range local.New(ranks) {
			wait.Go(func() {
				for _, last := range []bool{true, false} {
					c := &config.Case{Name: fmt.Sprint(last)}
					f, err := openSeries(t.Context(), dir, "vtu", c, comm)
					for k := 0; k < 3 && err == nil; k++ {
						if err = f.limit(t.Context(), 1); err == nil {
							f.begin(float64(k), triangle(float64(k)), last && k == 2)
						}
					}
					if err := errors.Join(err, f.end(t.Context())); err != nil {
						t.Error(err)
					}
					if f.ahead == nil || f.ahead.place.sizes == nil {
						t.Errorf("%d ranks: no file was written ahead", ranks)
					}
					// Only rank 0 knows that it has renamed the file.
					if _, err := os.Stat(f.ahead.path); comm.Rank() == 0 && last != errors.Is(err, fs.ErrNotExist) {
						t.Errorf("%d ranks, last frame written: %t; opening the file written ahead: %v", ranks, last, err)
					}
					if err := f.close(); err != nil {
						t.Error(err)
					}
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		names, err := filepath.Glob(filepath.Join(dir, "frames", "*"))
		if err != nil || len(names) != 6 {
			t.Fatalf("%d ranks: got the files %v, error %v; want three of each series", ranks, names, err)
		}
		for k := range 3 {
			ahead, err := os.ReadFile(names[3+k])
			if err != nil {
				t.Fatal(err)
			}
			if fresh, err := os.ReadFile(names[k]); err != nil || !bytes.Equal(ahead, fresh) {
				t.Errorf("%d ranks: frame %d differs if its file was written ahead, error %v", ranks, k, err)
			}
		}
	}
}

// TestFailedFrame proves that no frame counts after one that failed, and that none is still being written then.
func TestFailedFrame(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f := newInterfaceFrames(t, dir)
	full := errors.New("no space left")
	made := make(chan int, 2)
	for k := range 2 {
		f.begin(0, &snapshot{makePiece: func() (piece.Piece, error) {
			made <- k
			return nil, full
		}}, false)
	}
	if err := f.end(ctx); !errors.Is(err, full) || len(f.pending) != 0 || len(made) != 2 ||
		f.count != 0 {
		t.Errorf("got error %v, %d frames counted, %d pending, %d begun; want %v, 0, 0 and 2", err, f.count,
			len(f.pending), len(made), full)
	}
}
