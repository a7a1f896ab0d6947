package vdb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

const (
	magic       = 0x56444220
	fileVersion = 224
	allValues   = 6 // flag: all values of the node follow, including those of children and inactive ones
)

// writer keeps the first error and counts bytes.
type writer struct {
	out    *bufio.Writer
	offset int64
	err    error
}

func (w *writer) put(v any) {
	if w.err == nil {
		w.err = binary.Write(w.out, binary.LittleEndian, v)
		w.offset += int64(binary.Size(v))
	}
}

func (w *writer) text(s string) {
	w.put(uint32(len(s)))
	w.put([]byte(s))
}

// header writes the header of a file.
func (w *writer) header(grids int) {
	w.put(uint64(magic))
	w.put(uint32(fileVersion))
	w.put([2]uint32{10, 0}) // version of the library
	w.put(uint8(1))         // grid descriptors have offsets
	// The UUID of the file is the same for all files, so that equal grids give equal files.
	w.put([]byte("a7011000-0000-4000-8000-000000000001"))
	w.metadata([]datum{{"creator", "string", []byte("Atoll")}})
	w.put(uint32(grids))
}

// datum is an entry of metadata.
type datum struct {
	name, kind string
	bytes      []byte
}

func (w *writer) metadata(entries []datum) {
	w.put(uint32(len(entries)))
	for _, d := range entries {
		w.text(d.name)
		w.text(d.kind)
		w.put(uint32(len(d.bytes)))
		w.put(d.bytes)
	}
}

// grid writes a grid with its descriptor, which has the offsets of its parts.
func (w *writer) grid(g *Grid) {
	var topology, values bytes.Buffer
	nodes, stored := g.tree()
	t := &writer{out: bufio.NewWriter(&topology)}
	t.put(uint32(0)) // no compression
	t.metadata(g.metadata(stored))
	t.transform(g)
	t.topology(g, nodes)
	v := &writer{out: bufio.NewWriter(&values)}
	for _, h := range nodes {
		for _, c := range slices.Sorted(maps.Keys(h.children)) {
			n := h.children[c]
			for _, c := range slices.Sorted(maps.Keys(n.children)) {
				l := n.children[c]
				v.put(l.active[:])
				v.put(int8(allValues))
				v.put(l.values[:])
			}
		}
	}
	for _, part := range []*writer{t, v} {
		if part.err == nil {
			part.err = part.out.Flush()
		}
		if w.err == nil {
			w.err = part.err
		}
	}
	w.text(g.Name)
	w.text("Tree_float_5_4_3")
	w.text("") // no parent: the grid is not an instance of another
	begin := w.offset + 3*8
	w.put([3]int64{begin, begin + int64(topology.Len()), begin + int64(topology.Len()+values.Len())})
	w.put(topology.Bytes())
	w.put(values.Bytes())
}

func (g *Grid) metadata(active int64) []datum {
	class := "fog volume"
	if g.LevelSet {
		class = "level set"
	}
	vector := func(v [3]int) []byte {
		b, _ := binary.Append(nil, binary.LittleEndian, [3]int32{int32(v[0]), int32(v[1]), int32(v[2])})
		return b
	}
	count := binary.LittleEndian.AppendUint64(nil, uint64(active))
	return []datum{
		{"class", "string", []byte(class)},
		{"file_bbox_max", "vec3i", vector([3]int{g.N[0] - 1, g.N[1] - 1, g.N[2] - 1})},
		{"file_bbox_min", "vec3i", vector([3]int{})},
		{"file_compression", "string", []byte("none")},
		{"file_voxel_count", "int64", count},
		{"is_saved_as_half_float", "bool", []byte{0}},
		{"name", "string", []byte(g.Name)},
	}
}

// transform writes the map from indices to positions: translation, scales, voxel size, and the inverse, inverse squared
// and inverse of twice the scales.
func (w *writer) transform(g *Grid) {
	name := "ScaleTranslateMap"
	if h := g.Spacing; h[0] == h[1] && h[1] == h[2] {
		name = "UniformScaleTranslateMap"
	}
	w.text(name)
	var inverse, squared, half [3]float64
	for d, h := range g.Spacing {
		inverse[d], squared[d], half[d] = 1/h, 1/(h*h), 1/(2*h)
	}
	for _, v := range [][3]float64{g.First, g.Spacing, g.Spacing, inverse, squared, half} {
		w.put(v)
	}
}

func (w *writer) topology(g *Grid, nodes []*high) {
	w.put(uint32(1)) // buffers per leaf
	w.put(float32(g.Background))
	w.put([2]uint32{0, uint32(len(nodes))}) // tiles of the root, and nodes
	for _, h := range nodes {
		w.put([3]int32{int32(h.first[0]), int32(h.first[1]), int32(h.first[2])})
		children := slices.Sorted(maps.Keys(h.children))
		w.mask(children, highChildren)
		w.mask(nil, highChildren)
		w.put(int8(allValues))
		w.put(h.values[:])
		for _, c := range children {
			w.low(h.children[c])
		}
	}
}

func (w *writer) low(n *low) {
	children := slices.Sorted(maps.Keys(n.children))
	w.mask(children, lowChildren)
	w.mask(nil, lowChildren)
	w.put(int8(allValues))
	w.put(n.values[:])
	for _, c := range children {
		w.put(n.children[c].active[:])
	}
}

// mask writes n bits, of which those of set are 1.
func (w *writer) mask(set []int, n int) {
	words := make([]uint64, n/64)
	for _, c := range set {
		words[c/64] |= 1 << (c % 64)
	}
	w.put(words)
}
