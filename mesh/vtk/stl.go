package vtk

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// WriteSTL writes the polygons of p to a binary STL file, which appears under its name only when it is complete.
// Polygons must be convex: each becomes a fan of triangles around its first point. Normals are those of the triangles
// by the right-hand rule, 0 for a triangle of zero area. The format has only coordinates as float32: data are not
// written; vertices, lines and coordinates out of the range of float32 are refused.
func WriteSTL(path string, p *PolyData) error {
	triangles := 0
	for i := range p.Polys.Len() {
		triangles += len(p.Polys.Cell(i)) - 2
	}
	check := func() error {
		if err := p.checkCells(); err != nil {
			return err
		}
		if p.Verts.Len() > 0 || p.Lines.Len() > 0 {
			return errors.New("STL files have polygons only, not vertices or lines")
		}
		if triangles > math.MaxUint32 {
			return fmt.Errorf("%d triangles are more than the %d of an STL file", triangles, uint32(math.MaxUint32))
		}
		for i, x := range p.Points {
			if !(math.Abs(x) <= math.MaxFloat32) {
				return fmt.Errorf("point %d has the coordinate %g, which is out of the range of float32 in STL files", i/3, x)
			}
		}
		return nil
	}
	return writeChecked(path, check, func(f *atomicfile.File) error {
		w := bufio.NewWriterSize(f, 1<<16)
		if err := writeTriangles(w, p, uint32(triangles)); err != nil {
			return err
		}
		return w.Flush()
	})
}

// stlHeader fills the 80 bytes before the triangles. It must not begin with "solid", which marks the text format of
// STL.
const stlHeader = "binary STL"

func writeTriangles(w io.Writer, p *PolyData, triangles uint32) error {
	buf := make([]byte, 80, 84)
	copy(buf, stlHeader)
	if _, err := w.Write(binary.LittleEndian.AppendUint32(buf, triangles)); err != nil {
		return err
	}
	for i := range p.Polys.Len() {
		points := p.Polys.Cell(i)
		a := p.at(points[0])
		for n := range len(points) - 2 {
			b, c := p.at(points[n+1]), p.at(points[n+2])
			buf = buf[:0]
			for _, v := range [4][3]float64{normal(a, b, c), a, b, c} {
				for _, x := range v {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(float32(x)))
				}
			}
			if _, err := w.Write(append(buf, 0, 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *PolyData) at(point int64) [3]float64 { return [3]float64(p.Points[3*point:]) }

// normal is the unit normal of a triangle, 0 if its area is zero. Sides are scaled first, so that their products do not
// overflow or underflow.
func normal(a, b, c [3]float64) (n [3]float64) {
	var u, v [3]float64
	size := 0.0
	for d := range 3 {
		u[d], v[d] = b[d]-a[d], c[d]-a[d]
		size = max(size, math.Abs(u[d]), math.Abs(v[d]))
	}
	if size == 0 {
		return n
	}
	for d := range 3 {
		u[d], v[d] = u[d]/size, v[d]/size
	}
	n = [3]float64{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if length == 0 {
		return [3]float64{}
	}
	for d := range n {
		n[d] /= length
	}
	return n
}
