package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// TestAdapt: flags of the program Mmg, with one dash, give the same mesh as the flags that they stand for, on any
// number of ranks. Wrong flags are refused.
func TestAdapt(t *testing.T) {
	in := squareFile(t, "a.mesh")
	dir := filepath.Dir(in)
	own, theirs := filepath.Join(dir, "own.mesh"), filepath.Join(dir, "theirs.mesh")
	adapt := func(args ...string) int {
		return execute(context.Background(), append([]string{"adapt", "-q"}, args...))
	}
	if code := adapt(in, own, "--size", "0.1", "--hausdorff", "0.01", "--ridge", "30"); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	code := adapt("-in", in, "-out", theirs, "-hsiz", "0.1", "-hausd", "0.01", "-ar", "30", "--ranks", "3")
	if code != exitDone {
		t.Fatalf("with flags of Mmg: exit code %d", code)
	}
	one, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(theirs)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("meshes differ, or %v", err)
	}
	if m, err := meshio.Read(own); err != nil || m.Check() != nil || len(m.Cells) < 100 {
		t.Errorf("%v, %d cells", err, len(m.Cells))
	}
	for _, args := range [][]string{{in, own, "-ls"}, {in, own, "-ls", "0.5", "-rmc"}, {in, own, "--ranks", "0"},
		{in, own, "--threads", "-1"},
		{in, own, "--backend", "cuda"}, {in}, {in, filepath.Join(dir, "a.stl"), "--size", "1"}, {in, own, "--size", "0"}} {
		if code := adapt(args...); code == exitDone {
			t.Errorf("%v was accepted", args)
		}
	}
}
