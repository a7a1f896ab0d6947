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

// OBJ is of polygons or lines, format obj of Wavefront: v lines with the coordinates of points, and f or l lines
// with points counted from 1.
type OBJ vtk.PolyData

func (p *OBJ) Write(path string) error {
	return atomicfile.Write(path, func(f *os.File) error {
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

func objLine(w *bufio.Writer, kind string, at []float64) error {
	line := []byte(kind)
	for _, x := range at {
		line = strconv.AppendFloat(append(line, ' '), x, 'g', -1, 64)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// objCell writes a cell of points counted from 0, or by what they are called in a whole.
func objCell(w *bufio.Writer, kind string, points []int64, called []int64) error {
	line := []byte(kind)
	for _, p := range points {
		if called != nil {
			p = called[p]
		}
		line = strconv.AppendInt(append(line, ' '), p+1, 10)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// Join writes the cells of all pieces to one file, with one point where several pieces have the same: they have the
// same digits. It appears under its name only when it is complete.
func (p *OBJ) Join(path string, pieces []string) error {
	return atomicfile.Write(path, func(f *os.File) error {
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

// appendObj adds a piece. known are points of the whole by their lines.
func appendObj(w *bufio.Writer, path string, known map[string]int64) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var called []int64
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind != "v" {
			var points []int64
			for _, text := range strings.Fields(rest) {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil || n < 1 || n > int64(len(called)) {
					return fmt.Errorf("point %q of a cell, among %d", text, len(called))
				}
				points = append(points, n-1)
			}
			if err := objCell(w, kind, points, called); err != nil {
				return err
			}
			continue
		}
		n, there := known[line]
		if !there {
			n = int64(len(known))
			known[line] = n
			if _, err := w.WriteString(line); err != nil {
				return err
			}
		}
		called = append(called, n)
	}
}
