package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// TestFlagsOfMmg: flags of the program Mmg give the same mesh as the flags of atoll smooth that they stand for. Two
// names of the output mesh are refused.
func TestFlagsOfMmg(t *testing.T) {
	in := squareFile(t, "a.mesh")
	m, err := meshio.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	sizes := new(strings.Builder)
	fmt.Fprintf(sizes, "MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n%d\n1 1\n", len(m.X))
	for _, x := range m.X {
		fmt.Fprintln(sizes, 0.05+0.1*x)
	}
	dir := t.TempDir()
	metric := filepath.Join(dir, "sizes.sol")
	if err := os.WriteFile(metric, []byte(sizes.String()+"End\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	own, mmg := filepath.Join(dir, "own.mesh"), filepath.Join(dir, "theirs.mesh")
	smooth := func(args ...string) int {
		return execute(context.Background(), append([]string{"smooth", in, "-q", "--threads", "1"}, args...))
	}
	if code := smooth(own, "--sol", metric, "--gradation", "1.3", "--ridge", "40"); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	if code := smooth("-o", mmg, "--met", metric, "--hgrad", "1.3", "--ar", "40"); code != exitDone {
		t.Fatalf("with flags of Mmg: exit code %d", code)
	}
	one, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(mmg)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("meshes differ, or %v", err)
	}
	if code := smooth("-o", mmg, own); code != exitUsage {
		t.Errorf("two names of the output mesh: exit code %d", code)
	}
	dashed := filepath.Join(dir, "dashed.mesh")
	code := execute(context.Background(), []string{"smooth", "-in", in, "-out", dashed, "-sol", metric, "-hgrad", "1.3",
		"-ar", "40", "-noinsert", "-q", "--threads", "1"})
	if code != exitDone {
		t.Fatalf("with one dash: exit code %d", code)
	}
	if other, err = os.ReadFile(dashed); err != nil || !bytes.Equal(one, other) {
		t.Errorf("with one dash: meshes differ, or %v", err)
	}
	for _, refused := range []string{"-nr", "-hausd", "-opnbdy"} {
		if code := smooth(own, refused); code != exitUsage {
			t.Errorf("%s: exit code %d", refused, code)
		}
	}
}
