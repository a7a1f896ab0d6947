package medit

import (
	"encoding/binary"
	"fmt"
	"math"
)

// keywords has the numbers of the keywords in binary files (L. Maréchal, libMeshb). Other sections are skipped.
var keywords = map[int32]string{
	4: "Vertices", 5: "Edges", 6: "Triangles", 7: "Quadrilaterals", 8: "Tetrahedra", 9: "Prisms", 10: "Hexahedra",
	13: "Corners", 14: "Ridges", 15: "RequiredVertices", 16: "RequiredEdges", 17: "RequiredTriangles",
	24: "TrianglesP2", 25: "EdgesP2", 30: "TetrahedraP2", 49: "Pyramids",
}

// detectBinary reports whether the file is binary, and if so finds its byte order: a binary file begins with the
// integer 1.
func (r *reader) detectBinary() bool {
	if len(r.Data) < 4 {
		return false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(r.Data) == 1 {
			r.Binary, r.Order, r.Pos = true, order, 4
			return true
		}
	}
	return false
}

// binarySections reads a binary file. Each section has the offset of the next one, 0 in the last. Offsets have 8
// bytes from version 3 on, integers 8 bytes in version 4, coordinates 4 bytes in version 1 and 8 bytes in the
// others.
func (r *reader) binarySections() error {
	var err error
	if r.version, err = r.Bytes4(); err != nil {
		return err
	}
	if r.version < 1 || r.version > 4 {
		return r.At(4, "version %d; versions 1 to 4 can be read", r.version)
	}
	for r.Left() > 0 {
		start := r.Pos
		key, err := r.Bytes4()
		if err != nil || key == keywordEnd {
			return err
		}
		next, err := r.readInteger(3)
		if err != nil {
			return err
		}
		if next != 0 && (next <= int64(r.Pos) || next > int64(len(r.Data))) {
			return r.At(start, "section %d gives the offset %d for the next section; the file has %d bytes", key, next,
				len(r.Data))
		}
		if key == keywordDimension {
			n, err := r.Bytes4()
			if err != nil {
				return err
			}
			if r.dim != 0 || n != 2 && n != 3 {
				return r.At(start, "dimension %d; give 2 or 3, once", n)
			}
			r.dim = int(n)
		} else if name, ok := keywords[key]; ok {
			if err := r.section(name, start); err != nil {
				return err
			}
		} else {
			r.skipped = append(r.skipped, fmt.Sprintf("section %d of the binary file", key))
		}
		if next == 0 {
			return nil
		}
		if r.Pos > int(next) {
			return r.At(start, "section %d extends %d bytes beyond the offset of the next section", key, r.Pos-int(next))
		}
		r.Pos = int(next)
	}
	return nil
}

// readInteger reads an integer of a binary file: of 8 bytes from the given version of the format on, of 4 bytes before.
func (r *reader) readInteger(version int32) (int64, error) {
	if r.version >= version {
		n, err := r.Bytes8()
		return int64(n), err
	}
	n, err := r.Bytes4()
	return int64(n), err
}

// int and float read a number of text or of a binary file.

func (r *reader) int() (int64, error) {
	if r.Binary {
		return r.readInteger(4)
	}
	return r.Scanner.Int()
}

func (r *reader) float() (float64, error) {
	switch {
	case !r.Binary:
		return r.Scanner.Float()
	case r.version == 1:
		n, err := r.Bytes4()
		return float64(math.Float32frombits(uint32(n))), err
	}
	return r.Float8()
}
