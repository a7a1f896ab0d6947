package runtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
)

// noCopies is a device that has no memory for copies.
type noCopies struct{ backendtest.FakeRecorder }

func (noCopies) MakeSnapshot(unsafe.Pointer, int, int, int) (backend.Snapshot, error) {
	return nil, nil
}

// FramesOnDevice tests that the frames of a case have the same bytes if a device holds the fields of several frames at
// a time, which use arrays of earlier ones, as if each frame is read before the next step. The case must write at least
// ten frames.
func FramesOnDevice(t *testing.T, text string, sets ...string) {
	t.Helper()
	const ranks = 2
	device := map[string]func() backend.Device{
		"copies":    func() backend.Device { return backendtest.NewFakeRecorder(cpu.New(1), 1<<32) },
		"no copies": func() backend.Device { return noCopies{backendtest.NewFakeRecorder(cpu.New(1), 1<<32)} },
	}
	files := map[string]map[string][]byte{}
	for name, open := range device {
		dir := t.TempDir()
		for rank, err := range runEachIn(dir, Parse(t, text, sets...), local.New(ranks), open) {
			if err != nil {
				t.Fatalf("%s, rank %d: %v", name, rank, err)
			}
		}
		paths, err := filepath.Glob(filepath.Join(dir, "frames", "*"))
		if err != nil || len(paths) < 10 {
			t.Fatalf("%s: %d files of frames, error %v", name, len(paths), err)
		}
		files[name] = map[string][]byte{}
		for _, path := range paths {
			if files[name][filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range files["no copies"] {
		if got := files["copies"][name]; !bytes.Equal(got, want) {
			t.Errorf("%v, %s: %d bytes, which differ from the %d bytes of a device without copies", sets, name, len(got),
				len(want))
		}
	}
	if n, want := len(files["copies"]), len(files["no copies"]); n != want {
		t.Errorf("%v: %d files, and %d of a device without copies", sets, n, want)
	}
}
