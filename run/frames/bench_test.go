package frames

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/piece"
)

// BenchmarkFrame measures writing frames of a grid by 64 ranks, uncompressed and compressed. For comparison, "dd"
// writes the same number of bytes from one process.
func BenchmarkFrame(b *testing.B) {
	const ranks, side = 64, 64
	bytes := int64(ranks * side * side * side * 4 * 8)
	pieces := make([]*piece.Image, ranks)
	for r := range pieces {
		m := &vtk.Image{Dim: 3, Whole: [3]int{ranks * side, side, side}, Spacing: [3]float64{1, 1, 1}}
		m.Lo, m.N = [3]int{r * side}, [3]int{side, side, side}
		for k := range 4 {
			values := make([]float64, side*side*side)
			for i := range values {
				values[i] = float64(i%977) / 977
			}
			m.CellData = append(m.CellData, vtk.Array{Name: fmt.Sprint("f", k), Components: 1, Data: values})
		}
		pieces[r] = &piece.Image{Image: m}
	}
	for _, compress := range []bool{false, true} {
		b.Run(fmt.Sprintf("compress=%t", compress), func(b *testing.B) {
			b.SetBytes(bytes)
			dir := b.TempDir()
			for b.Loop() {
				if err := writeFrame(dir, compress, pieces); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("dd", func(b *testing.B) {
		b.SetBytes(bytes)
		path := filepath.Join(b.TempDir(), "dd")
		for b.Loop() {
			f, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			block := make([]byte, 1<<20)
			for n := int64(0); n < bytes; n += int64(len(block)) {
				if _, err := f.Write(block); err != nil {
					b.Fatal(err)
				}
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func writeFrame(dir string, compress bool, pieces []*piece.Image) error {
	c := &config.Case{Name: "frame", Output: config.Output{Files: "one", Compress: compress}}
	errs := make([]error, len(pieces))
	var wg sync.WaitGroup
	for rank, comm := range local.New(len(pieces)) {
		wg.Go(func() {
			f, err := openSeries(context.Background(), dir, "vti", c, comm)
			if err == nil {
				f.begin(0, readySnapshot(pieces[rank]), false)
				err = f.end(context.Background())
			}
			errs[rank] = errors.Join(err, comm.Close())
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
