package meshio

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
)

// Counts are the numbers of vertices and cells in the headers of a mesh file. Cells may include boundary elements.
type Counts struct {
	Dim             int // 2 for triangles, 3 for tetrahedra
	Vertices, Cells int64
	InSlices        bool // the file can be read in slices: see Layout
}

// Count reads the counts of a mesh file without loading the mesh. They are 0 if they are not found, or if the path is a
// pipe, which can be read only once. An invalid file is no error here; Read reports it.
func Count(path string) (c Counts, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return c, err
	}
	if layout, err := Layout(path); err == nil { // it is found without reading vertices and cells
		c.Dim, c.InSlices = 2, true
		c.Vertices, c.Cells, _ = layout.Counts()
		return c, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	switch extension(path) {
	case ".msh":
		c, err = countGmsh(f)
	case ".mesh":
		c, err = countMedit(f)
	case ".meshb":
		c, err = countBinary(f)
	case ".vtu":
		c, err = countVTK(f)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if c.Vertices < 0 || c.Cells < 0 { // an invalid file
		return Counts{}, nil
	}
	if c.Dim == 0 && c.Cells > 0 {
		// There are about twice as many triangles as vertices, but five to six times as many tetrahedra; boundary
		// elements add to these.
		c.Dim = 2
		if 2*c.Cells > 7*c.Vertices {
			c.Dim = 3
		}
	}
	return c, nil
}

const chunkBytes = 1 << 20 // bytes read at a time

// bytesAfter searches a file for keywords, in their order, and returns up to limit bytes after each, nil for a keyword
// that is not found.
func bytesAfter(f io.Reader, limit int, keywords ...string) ([][]byte, error) {
	found := make([][]byte, len(keywords))
	buffer, n := make([]byte, 2*chunkBytes), 0
	for k := 0; k < len(keywords); {
		index := bytes.Index(buffer[:n], []byte(keywords[k]))
		if index >= 0 && n-index >= len(keywords[k])+limit {
			found[k] = bytes.Clone(buffer[index+len(keywords[k]) : index+len(keywords[k])+limit])
			n = copy(buffer, buffer[index+len(keywords[k]):n])
			k++
			continue
		}
		if keep := len(keywords[k]) + limit; index < 0 && n > keep {
			n = copy(buffer, buffer[n-keep:n])
		}
		readBytes, err := io.ReadFull(f, buffer[n:min(len(buffer), n+chunkBytes)])
		if n += readBytes; readBytes == 0 && (errors.Is(err, io.EOF) || err == nil) {
			if index >= 0 {
				found[k] = bytes.Clone(buffer[index+len(keywords[k]) : n])
				n = copy(buffer, buffer[index+len(keywords[k]):n])
			}
			k++
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
	}
	return found, nil
}

// headerBytes is enough for the numbers of a header.
const headerBytes = 160

// countGmsh reads the headers of nodes and elements. In version 4, the number of blocks precedes the count.
func countGmsh(f *os.File) (c Counts, err error) {
	headers, err := bytesAfter(f, headerBytes, "$MeshFormat", "$Nodes", "$Elements")
	if err != nil {
		return c, err
	}
	version := bytes.Fields(headers[0])
	if len(version) < 2 {
		return c, nil
	}
	isVersion4, isBinary := bytes.HasPrefix(version[0], []byte("4")), string(version[1]) == "1"
	var order binary.ByteOrder = binary.LittleEndian
	if one := bytes.SplitN(headers[0], []byte("\n"), 3); len(one) == 3 && len(one[2]) >= 4 &&
		binary.BigEndian.Uint32(one[2]) == 1 {
		order = binary.BigEndian
	}
	number := func(head []byte) int64 {
		if isVersion4 && isBinary {
			// One line break ends the keyword; bytes of numbers may look like others.
			_, head, _ = bytes.Cut(head, []byte("\n"))
			if len(head) < 16 {
				return 0
			}
			return int64(order.Uint64(head[8:]))
		}
		words, index := bytes.Fields(head), 0
		if isVersion4 {
			index = 1
		}
		if len(words) <= index {
			return 0
		}
		n, _ := strconv.ParseInt(string(words[index]), 10, 64) // 0 if it is no number
		return n
	}
	return Counts{Vertices: number(headers[1]), Cells: number(headers[2])}, nil
}

// countMedit reads the numbers after the keywords of a text file.
func countMedit(f *os.File) (c Counts, err error) {
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, chunkBytes), chunkBytes)
	var target *int64
	var triangles, tetrahedra int64
	for lines.Scan() {
		word := bytes.TrimSpace(lines.Bytes())
		if len(word) == 0 || target == nil && (word[0] < 'A' || word[0] > 'Z') {
			continue
		}
		if target != nil {
			*target, _ = strconv.ParseInt(string(word), 10, 64) // 0 if it is no number
			target = nil
			continue
		}
		words := bytes.Fields(word)
		for name, count := range map[string]*int64{"Vertices": &c.Vertices, "Triangles": &triangles,
			"Tetrahedra": &tetrahedra} {
			if string(words[0]) != name {
				continue
			}
			if target = count; len(words) > 1 {
				*count, _ = strconv.ParseInt(string(words[1]), 10, 64)
				target = nil
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return Counts{}, nil
	}
	return c.withCells(triangles, tetrahedra), lines.Err()
}

// withCells sets Dim and Cells from the numbers of triangles and tetrahedra.
func (c Counts) withCells(triangles, tetrahedra int64) Counts {
	if c.Dim, c.Cells = 2, triangles; tetrahedra > 0 {
		c.Dim, c.Cells = 3, tetrahedra
	}
	return c
}

// countBinary follows the sections of a .meshb file. Each begins with the number of its keyword, the offset of the next
// section, and its number of entries.
func countBinary(f *os.File) (c Counts, err error) {
	var head [2]int32
	var order binary.ByteOrder = binary.LittleEndian
	if binary.Read(f, order, &head) != nil {
		return c, nil
	}
	if head[0] != 1 {
		return c, nil
	}
	readInteger := func(version int32) (n int64, ok bool) { // it has 8 bytes from the given version of the format on
		if head[1] >= version {
			return n, binary.Read(f, order, &n) == nil
		}
		var short int32
		ok = binary.Read(f, order, &short) == nil
		return int64(short), ok
	}
	var triangles, tetrahedra int64
	for range 1000 { // a bound in case offsets form a cycle
		var keyword int32
		if binary.Read(f, order, &keyword) != nil {
			break
		}
		next, ok := readInteger(3)
		if !ok || next <= 0 {
			break
		}
		if target := map[int32]*int64{4: &c.Vertices, 6: &triangles, 8: &tetrahedra}[keyword]; target != nil {
			if *target, ok = readInteger(4); !ok {
				break
			}
		}
		if _, err := f.Seek(next, io.SeekStart); err != nil {
			return c, err
		}
	}
	return c.withCells(triangles, tetrahedra), nil
}

var piecePattern = regexp.MustCompile(`<Piece[^>]*>`)
var countPattern = regexp.MustCompile(`NumberOf(Points|Cells)="\s*([0-9]+)\s*"`)

// countVTK reads the attributes of the first element Piece.
func countVTK(f *os.File) (c Counts, err error) {
	head := make([]byte, 1<<16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return c, err
	}
	for _, m := range countPattern.FindAllSubmatch(piecePattern.Find(head[:n]), 2) {
		n, _ := strconv.ParseInt(string(m[2]), 10, 64) // the largest int64 if there are too many digits
		if string(m[1]) == "Points" {
			c.Vertices = n
		} else {
			c.Cells = n
		}
	}
	return c, nil
}
