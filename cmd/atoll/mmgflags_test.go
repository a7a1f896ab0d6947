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

// TestFlagsOfMmg: what its users type gives the mesh that the flags' own names give, and two names of the mesh that
// comes out are refused.
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
	met := filepath.Join(dir, "sizes.sol")
	if err := os.WriteFile(met, []byte(sizes.String()+"End\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	own, theirs := filepath.Join(dir, "own.mesh"), filepath.Join(dir, "theirs.mesh")
	smooth := func(args ...string) int {
		return execute(context.Background(), append([]string{"smooth", in, "-q", "--threads", "1"}, args...))
	}
	if code := smooth(own, "--sol", met, "--gradation", "1.3", "--ridge", "40"); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	if code := smooth("-o", theirs, "--met", met, "--hgrad", "1.3", "--ar", "40"); code != exitDone {
		t.Fatalf("as Mmg has it: exit code %d", code)
	}
	one, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(theirs)
	if err != nil || !bytes.Equal(one, other) {
		t.Errorf("meshes differ, or %v", err)
	}
	if code := smooth("-o", theirs, own); code != exitUsage {
		t.Errorf("two names of the mesh that comes out: exit code %d", code)
	}
	dashed := filepath.Join(dir, "dashed.mesh")
	code := execute(context.Background(), []string{"smooth", "-in", in, "-out", dashed, "-sol", met, "-hgrad", "1.3",
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
