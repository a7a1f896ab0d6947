package shape

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
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
// may have several components and must be closed: each edge belongs to two triangles that have it in opposite
// directions, counterclockwise seen from outside. Vertices are the same if all bits of their coordinates are. The
// normals in the file are ignored. In the plane the body is cut at the z of the grid.
func STL(data []byte) (Body, error) {
	triangles, err := parseSTL(data)
	if err != nil {
		return Body{}, err
	}
	s, err := newSurface(triangles)
	if err != nil {
		return Body{}, err
	}
	return Body{Phi: s.distance, Slope: 1, surface: s}, nil
}

const headerSize, triangleSize = 84, 50

// parseSTL detects the format by the size: binary files may begin with "solid" too.
func parseSTL(data []byte) ([][3]point, error) {
	count := -1
	if len(data) >= headerSize {
		count = int(binary.LittleEndian.Uint32(data[headerSize-4:]))
	}
	if count >= 0 && len(data) == headerSize+count*triangleSize {
		return binarySTL(data[headerSize:]), nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(data[:min(len(data), 256)]), []byte("solid")) {
		return asciiSTL(data)
	}
	if count < 0 {
		return nil, fmt.Errorf("not an STL file: %d bytes, a binary file has %d and %d for each triangle, an ASCII file "+
			"begins with solid",
			len(data), headerSize, triangleSize)
	}
	return nil, fmt.Errorf("it has %d bytes, a binary STL of %d triangles has %d; an ASCII file begins with solid",
		len(data), count, headerSize+count*triangleSize)
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
var facetSTL = [7]string{"facet normal", "outer loop", "vertex", "vertex", "vertex", "endloop", "endfacet"}

func asciiSTL(data []byte) ([][3]point, error) {
	var out [][3]point
	var triangle [3]point
	lines := bufio.NewScanner(bytes.NewReader(data))
	state, inside := 0, false // index in facetSTL of the next line; whether a solid has begun
	n := 0
	for lines.Scan() {
		n++
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if state == 0 && !inside && words[0] == "solid" || state == 0 && inside && words[0] == "endsolid" {
			inside = !inside
			continue
		}
		want := strings.Fields(facetSTL[state])
		if !inside || len(words) < len(want) || strings.Join(words[:len(want)], " ") != strings.Join(want, " ") {
			wanted := facetSTL[state]
			if !inside {
				wanted = "solid"
			} else if state == 0 {
				wanted += " or endsolid"
			}
			return nil, fmt.Errorf("line %d: got %.40q, want %s", n, lines.Text(), wanted)
		}
		if words[0] == "vertex" {
			if len(words) != 4 {
				return nil, fmt.Errorf("line %d: a vertex has 3 coordinates, not %d", n, len(words)-1)
			}
			for d := range 3 {
				v, err := strconv.ParseFloat(words[1+d], 64)
				if err != nil {
					return nil, fmt.Errorf("line %d: coordinate %.40q is not a number", n, words[1+d])
				}
				triangle[state-2][d] = v
			}
		}
		if state++; state == len(facetSTL) {
			state = 0
			out = append(out, triangle)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if inside {
		return nil, fmt.Errorf("line %d: the file ends without endsolid", n)
	}
	return out, nil
}
