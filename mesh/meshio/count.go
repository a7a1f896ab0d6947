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

// Counts are those of a mesh file, as its headers tell them. Elements of a boundary may be among the cells.
type Counts struct {
	Dim             int // 2 of triangles, 3 of tetrahedra
	Vertices, Cells int64
}

// Count reads the counts of a mesh file, and nothing of it into memory. They are 0 where the file does not tell them;
// what is wrong with it, Read tells.
func Count(path string) (c Counts, err error) {
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
	if c.Vertices < 0 || c.Cells < 0 { // a broken file
		return Counts{}, nil
	}
	if c.Dim == 0 && c.Cells > 0 {
		// Triangles are twice as many as vertices, and tetrahedra five to six times, with those of the boundary more.
		c.Dim = 2
		if 2*c.Cells > 7*c.Vertices {
			c.Dim = 3
		}
	}
	return c, nil
}

const chunk = 1 << 20 // bytes that are looked at at a time

// after finds each of the marks in a file, in their order, and returns what follows it, up to so many bytes; nil for
// those that are not there.
func after(f io.Reader, most int, marks ...string) ([][]byte, error) {
	found := make([][]byte, len(marks))
	buffer, n := make([]byte, 2*chunk), 0
	for k := 0; k < len(marks); {
		at := bytes.Index(buffer[:n], []byte(marks[k]))
		if at >= 0 && n-at >= len(marks[k])+most {
			found[k] = bytes.Clone(buffer[at+len(marks[k]) : at+len(marks[k])+most])
			n = copy(buffer, buffer[at+len(marks[k]):n])
			k++
			continue
		}
		if keep := len(marks[k]) + most; at < 0 && n > keep {
			n = copy(buffer, buffer[n-keep:n])
		}
		more, err := io.ReadFull(f, buffer[n:min(len(buffer), n+chunk)])
		if n += more; more == 0 && (errors.Is(err, io.EOF) || err == nil) {
			if at >= 0 {
				found[k] = bytes.Clone(buffer[at+len(marks[k]) : n])
				n = copy(buffer, buffer[at+len(marks[k]):n])
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

// headerBytes are enough for the numbers of a header.
const headerBytes = 160

// countGmsh reads the headers of nodes and elements. In format 4 they have the number of blocks first.
func countGmsh(f *os.File) (c Counts, err error) {
	heads, err := after(f, headerBytes, "$MeshFormat", "$Nodes", "$Elements")
	if err != nil {
		return c, err
	}
	version := bytes.Fields(heads[0])
	if len(version) < 2 {
		return c, nil
	}
	four, binaries := bytes.HasPrefix(version[0], []byte("4")), string(version[1]) == "1"
	number := func(head []byte) int64 {
		head = bytes.TrimLeft(head, "\r\n")
		if four && binaries {
			if len(head) < 16 {
				return 0
			}
			return int64(binary.LittleEndian.Uint64(head[8:]))
		}
		words, place := bytes.Fields(head), 0
		if four {
			place = 1
		}
		if len(words) <= place {
			return 0
		}
		n, _ := strconv.ParseInt(string(words[place]), 10, 64) // 0 where it is none
		return n
	}
	return Counts{Vertices: number(heads[1]), Cells: number(heads[2])}, nil
}

// countMedit reads the numbers behind the words of a text.
func countMedit(f *os.File) (c Counts, err error) {
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, chunk), chunk)
	var to *int64
	var triangles, tetrahedra int64
	for lines.Scan() {
		word := bytes.TrimSpace(lines.Bytes())
		if len(word) == 0 || to == nil && (word[0] < 'A' || word[0] > 'Z') {
			continue
		}
		if to != nil {
			*to, _ = strconv.ParseInt(string(word), 10, 64) // 0 where it is none
			to = nil
			continue
		}
		words := bytes.Fields(word)
		for name, of := range map[string]*int64{"Vertices": &c.Vertices, "Triangles": &triangles,
			"Tetrahedra": &tetrahedra} {
			if string(words[0]) != name {
				continue
			}
			if to = of; len(words) > 1 {
				*of, _ = strconv.ParseInt(string(words[1]), 10, 64)
				to = nil
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return Counts{}, nil
	}
	return c.of(triangles, tetrahedra), lines.Err()
}

// of is the counts with those of both kinds of cells.
func (c Counts) of(triangles, tetrahedra int64) Counts {
	if c.Dim, c.Cells = 2, triangles; tetrahedra > 0 {
		c.Dim, c.Cells = 3, tetrahedra
	}
	return c
}

// countBinary follows the keywords of a .meshb: a number, where the next one begins, and how many there are.
func countBinary(f *os.File) (c Counts, err error) {
	var head [2]int32
	var order binary.ByteOrder = binary.LittleEndian
	if binary.Read(f, order, &head) != nil {
		return c, nil
	}
	if head[0] != 1 {
		return c, nil
	}
	long := func(from int32) (n int64, ok bool) { // of 8 bytes from a version on
		if head[1] >= from {
			return n, binary.Read(f, order, &n) == nil
		}
		var short int32
		ok = binary.Read(f, order, &short) == nil
		return int64(short), ok
	}
	var triangles, tetrahedra int64
	for range 1000 { // keywords, of which no file has so many
		var keyword int32
		if binary.Read(f, order, &keyword) != nil {
			break
		}
		next, ok := long(3)
		if !ok || next <= 0 {
			break
		}
		if to := map[int32]*int64{4: &c.Vertices, 6: &triangles, 8: &tetrahedra}[keyword]; to != nil {
			if *to, ok = long(4); !ok {
				break
			}
		}
		if _, err := f.Seek(next, io.SeekStart); err != nil {
			return c, err
		}
	}
	return c.of(triangles, tetrahedra), nil
}

var pieceOf = regexp.MustCompile(`<Piece[^>]*>`)
var countOf = regexp.MustCompile(`NumberOf(Points|Cells)="\s*([0-9]+)\s*"`)

// countVTK reads the attributes of the piece.
func countVTK(f *os.File) (c Counts, err error) {
	head := make([]byte, 1<<16)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return c, err
	}
	for _, m := range countOf.FindAllSubmatch(pieceOf.Find(head[:n]), 2) {
		n, _ := strconv.ParseInt(string(m[2]), 10, 64) // 0 where there are too many digits
		if string(m[1]) == "Points" {
			c.Vertices = n
		} else {
			c.Cells = n
		}
	}
	return c, nil
}
