package piece

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// OBJ is a piece of polygons or lines in Wavefront's format obj: lines "v x y z" for points, and "f" or "l" followed by
// point numbers from 1.
type OBJ vtk.PolyData

func (p *OBJ) Write(path string) error {
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		for i := 0; i < len(p.Points); i += 3 {
			if err := objLine(w, "v", p.Points[i:i+3]); err != nil {
				return err
			}
		}
		for i := range p.Polys.Len() {
			if err := objCell(w, "f", p.Polys.Cell(i), nil); err != nil {
				return err
			}
		}
		for i := range p.Lines.Len() {
			if err := objCell(w, "l", p.Lines.Cell(i), nil); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

func objLine(w *bufio.Writer, kind string, numbers []float64) error {
	line := []byte(kind)
	for _, x := range numbers {
		line = strconv.AppendFloat(append(line, ' '), x, 'g', -1, 64)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// objCell writes a cell. points are point numbers that count from 0; if numbers is not nil, it maps them to point
// numbers in the joined file.
func objCell(w *bufio.Writer, kind string, points []int64, numbers []int64) error {
	line := []byte(kind)
	for _, p := range points {
		if numbers != nil {
			p = numbers[p]
		}
		line = strconv.AppendInt(append(line, ' '), p+1, 10)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// Join writes the cells of all pieces to one file. Points of several pieces with the same text become one. The file
// appears under its name only when it is complete.
func (p *OBJ) Join(path string, pieces []string) error {
	return atomicfile.Write(path, func(f *atomicfile.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		known := map[string]int64{}
		for _, name := range pieces {
			if err := appendObj(w, filepath.Join(filepath.Dir(path), name), known); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return w.Flush()
	})
}

// appendObj copies a piece to w. known maps lines of points to their numbers in the joined file.
func appendObj(w *bufio.Writer, path string, known map[string]int64) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var numbers []int64
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if kind, arguments, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind != "v" {
			var points []int64
			for _, text := range strings.Fields(arguments) {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil || n < 1 || n > int64(len(numbers)) {
					return fmt.Errorf("a cell has point number %q, want 1 to %d", text, len(numbers))
				}
				points = append(points, n-1)
			}
			if err := objCell(w, kind, points, numbers); err != nil {
				return err
			}
			continue
		}
		n, found := known[line]
		if !found {
			n = int64(len(known))
			known[line] = n
			if _, err := w.WriteString(line); err != nil {
				return err
			}
		}
		numbers = append(numbers, n)
	}
}
