package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/run/piece"
)

// TestFramesWait proves that frames begun while another is being written wait, and are written in order.
func TestFramesWait(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f, err := newFrames(dir, "s", "vtp", "vtp", 0, &config.Case{Name: "c"}, local.New(1)[0], folder.Fence{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan error, 1)
	frame := func() *snapshot {
		return &snapshot{makePiece: func() (piece.Piece, error) {
			p := &vtk.PolyData{Points: []float64{0, 0, 0}}
			p.Verts.Add(0)
			return (*piece.Faces)(p), <-gate
		}}
	}
	for k := range 3 {
		if err := f.limit(ctx, 3); err != nil {
			t.Fatal(err)
		}
		f.begin(float64(k), frame())
	}
	if f.count != 0 || len(f.waiting) != 2 {
		t.Fatalf("%d frames complete and %d waiting; want 0 and 2", f.count, len(f.waiting))
	}
	gate <- nil
	if err := f.limit(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if f.count != 1 || len(f.waiting) != 1 {
		t.Fatalf("%d frames complete and %d waiting; want 1 and 1", f.count, len(f.waiting))
	}
	close(gate)
	if err := f.end(ctx); err != nil {
		t.Fatal(err)
	}
	pvd, err := os.ReadFile(filepath.Join(dir, "s.pvd"))
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile(`frames/c_\d+\.vtp`).FindAllString(string(pvd), -1)
	if got := strings.Join(files, " "); got != "frames/c_000000.vtp frames/c_000001.vtp frames/c_000002.vtp" {
		t.Errorf("the series has %s", got)
	}
}

// TestFailedFrameDropsWaiting proves that no frame is written after one that failed.
func TestFailedFrameDropsWaiting(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	f, err := newFrames(dir, "s", "vtp", "vtp", 0, &config.Case{Name: "c"}, local.New(1)[0], folder.Fence{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	made := 0
	for range 2 {
		f.begin(0, &snapshot{makePiece: func() (piece.Piece, error) {
			made++
			return nil, full
		}})
	}
	if err := f.end(ctx); !errors.Is(err, full) || f.pending != nil || len(f.waiting) != 0 || made != 1 {
		t.Errorf("got error %v, %d pieces made, %d waiting; want %v, 1 and 0", err, made, len(f.waiting), full)
	}
}
