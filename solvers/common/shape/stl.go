package shape

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// maxSTLSize is the size in bytes of the largest accepted file: 40 million triangles.
const maxSTLSize = 2_000_000_084

// STLFile reads [STL] from a file.
func STLFile(path string) (Body, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Body{}, err
	}
	if info.Size() > maxSTLSize {
		return Body{}, fmt.Errorf("%s: %d bytes are more than the limit of %d", path, info.Size(), maxSTLSize)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Body{}, err
	}
	b, err := STL(data)
	if err != nil {
		return Body{}, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// STL returns the body enclosed by a surface of triangles, from the bytes of a binary or an ASCII file. The surface
// must be closed: at each edge as many triangles run in one direction as in the other, counterclockwise seen from
// outside. Vertices within 1e-5 of the size of the body are joined where that closes it, which the body's Notes say.
// The body is the union of the parts of the surface, less the cavities that parts of opposite orientation enclose. The
// normals in the file are ignored. In the plane [Body.Section] is the body.
func STL(data []byte) (Body, error) {
	triangles, notes, err := parseSTL(data)
	if err != nil {
		return Body{}, err
	}
	p, more, err := newPolyhedron(triangles)
	if err != nil {
		return Body{}, err
	}
	return Body{Phi: p.phi, Slope: 1, polyhedron: p, Notes: append(notes, more...), coarse: &coarse{}}, nil
}

const headerSize, triangleSize = 84, 50

// parseSTL detects the format, by the size and the first bytes: binary files may begin with "solid" too. Programs
// append data to binary files, which are not read.
func parseSTL(data []byte) (triangles [][3]point, notes []string, err error) {
	count, want := -1, -1
	if len(data) >= headerSize {
		count = int(binary.LittleEndian.Uint32(data[headerSize-4:]))
		want = headerSize + count*triangleSize
	}
	if len(data) == want {
		return binarySTL(data[headerSize:]), nil, nil
	}
	if isASCII(data) {
		triangles, err = asciiSTL(data)
		return triangles, nil, err
	}
	switch {
	case count < 0:
		return nil, nil, fmt.Errorf("not an STL file: %d bytes, a binary file has %d and %d for each triangle, an ASCII "+
			"file begins with solid", len(data), headerSize, triangleSize)
	case len(data) < want || count == 0:
		return nil, nil, fmt.Errorf("it has %d bytes, a binary STL of %d triangles has %d; an ASCII file begins with solid",
			len(data), count, want)
	}
	return binarySTL(data[headerSize:want]), []string{fmt.Sprintf("the %d bytes after its last triangle are not read",
		len(data)-want)}, nil
}

// isASCII reports whether a file begins with "solid", in lower or upper case, and with text: the header and the
// number of triangles of a binary file have bytes that are 0.
func isASCII(data []byte) bool {
	start := bytes.TrimPrefix(data[:min(len(data), headerSize)], []byte("\xef\xbb\xbf"))
	word := bytes.TrimSpace(start)
	return len(word) >= 5 && strings.EqualFold(string(word[:5]), "solid") && bytes.IndexByte(start, 0) < 0
}

func binarySTL(data []byte) [][3]point {
	out := make([][3]point, len(data)/triangleSize)
	for t := range out {
		offset := t*triangleSize + 12 // after the normal
		for v := range 3 {
			for d := range 3 {
				out[t][v][d] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[offset:])))
				offset += 4
			}
		}
	}
	return out
}

// facetSTL are the first words of the lines of a triangle.
var facetSTL = [7][]string{{"facet", "normal"}, {"outer", "loop"}, {"vertex"}, {"vertex"}, {"vertex"}, {"endloop"},
	{"endfacet"}}

// asciiReader reads the lines of an ASCII file, whose words may be in lower or upper case.
type asciiReader struct {
	line      int
	inside    bool // a solid has begun and not ended
	state     int  // index in facetSTL of the next line
	triangle  [3]point
	triangles [][3]point
}

func asciiSTL(data []byte) ([][3]point, error) {
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	var r asciiReader
	for lines.Scan() {
		r.line++
		if err := r.read(lines.Text()); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	if r.inside {
		return nil, fmt.Errorf("line %d: the file ends without endsolid", r.line)
	}
	return r.triangles, nil
}

func (r *asciiReader) read(line string) error {
	words := strings.Fields(strings.Trim(line, "\x00\x1a")) // some programs pad the end of a file
	if len(words) == 0 {
		return nil
	}
	if begins := strings.EqualFold(words[0], "solid"); r.state == 0 && begins != r.inside &&
		(begins || strings.EqualFold(words[0], "endsolid")) {
		r.inside = !r.inside
		return nil
	}
	want := facetSTL[r.state]
	if !r.inside || len(words) < len(want) || !slices.EqualFunc(words[:len(want)], want, strings.EqualFold) {
		wanted := strings.Join(want, " ")
		if !r.inside {
			wanted = "solid"
		} else if r.state == 0 {
			wanted += " or endsolid"
		}
		return fmt.Errorf("got %.40q, want %s", line, wanted)
	}
	if want[0] == "vertex" {
		if len(words) != 4 {
			return fmt.Errorf("a vertex has 3 coordinates, not %d", len(words)-1)
		}
		for d := range 3 {
			v, err := strconv.ParseFloat(words[1+d], 64)
			if err != nil {
				return fmt.Errorf("coordinate %.40q is not a number", words[1+d])
			}
			r.triangle[r.state-2][d] = v
		}
	}
	if r.state++; r.state == len(facetSTL) {
		r.state = 0
		r.triangles = append(r.triangles, r.triangle)
	}
	return nil
}
