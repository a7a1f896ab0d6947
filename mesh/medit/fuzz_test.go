package medit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/internal/meshtest"
)

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "island.mesh"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(squareText))
	for _, inBinary := range []bool{false, true} {
		f.Add(bytesOf(f, meshtest.WithGroupsAndFields(4, 1), inBinary))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parse(data)
		meshtest.Fuzzed(t, data, m, err)
	})
}
