package divide

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// file is a binary Gmsh file of version 4.1 that is being written.
type file struct{ bytes.Buffer }

func (f *file) put(numbers ...any) {
	for _, n := range numbers {
		if err := binary.Write(f, binary.LittleEndian, n); err != nil {
			panic(err)
		}
	}
}

// writeBlocks writes a mesh as Gmsh does: with several blocks of nodes and elements, tags with gaps, which are large or
// small, and the elements of dimension 1 first.
func writeBlocks(t *testing.T, path string, m *mesh.Mesh, rng *rand.Rand) {
	t.Helper()
	f := &file{}
	fmt.Fprint(f, "$MeshFormat\n4.1 1 8\n")
	f.put(int32(1))
	fmt.Fprint(f, "\n$EndMeshFormat\n")
	groups := rng.IntN(4) > 0
	if groups {
		fmt.Fprintf(f, "$PhysicalNames\n%d\n", len(m.Groups))
		for _, g := range m.Groups {
			fmt.Fprintf(f, "%d %d \"%s\"\n", g.Dim, g.Tag, g.Name)
		}
		fmt.Fprint(f, "$EndPhysicalNames\n")
	}
	entities(f, m, groups)
	gap := int64(1 + rng.IntN(2)*rng.IntN(3000))
	tag := func(v int32) uint64 { return uint64(5 + int64(v)/10*gap*10 + int64(v)%10) }
	nodes(f, m, tag, rng)
	tagOfCell := elements(f, m, tag, rng)
	for _, name := range mesh.FieldNames(m.VertexData) {
		if name == mesh.Heights {
			continue
		}
		data(f, "NodeData", name, m.VertexData[name], func(k int) uint64 { return tag(int32(k)) })
	}
	for _, name := range mesh.FieldNames(m.CellData) {
		data(f, "ElementData", name, m.CellData[name], tagOfCell)
	}
	if err := os.WriteFile(path, f.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// entities writes an entity for each group, and one without a group for each dimension.
func entities(f *file, m *mesh.Mesh, groups bool) {
	fmt.Fprint(f, "$Entities\n")
	byDim := [4][]int{1: {0}, 2: {0}} // tags of entities are those of their groups
	for _, g := range m.Groups {
		byDim[g.Dim] = append(byDim[g.Dim], g.Tag)
	}
	for _, tags := range byDim {
		f.put(uint64(len(tags)))
	}
	for _, tags := range byDim {
		for _, tag := range tags {
			f.put(int32(100+tag), [6]float64{})
			if tag > 0 && groups {
				f.put(uint64(1), int32(tag))
			} else {
				f.put(uint64(0))
			}
			f.put(uint64(0))
		}
	}
	fmt.Fprint(f, "\n$EndEntities\n")
}

func nodes(f *file, m *mesh.Mesh, tag func(int32) uint64, rng *rand.Rand) {
	fmt.Fprint(f, "$Nodes\n")
	var cuts []int
	for at := 0; at < len(m.X); at += 1 + rng.IntN(len(m.X)) {
		cuts = append(cuts, at)
	}
	f.put(uint64(len(cuts)), uint64(len(m.X)), tag(0), tag(int32(len(m.X)-1)))
	cuts = append(cuts, len(m.X))
	for k, from := range cuts[:len(cuts)-1] {
		parametric := int32(rng.IntN(2))
		f.put([3]int32{2, 100, parametric}, uint64(cuts[k+1]-from))
		for v := from; v < cuts[k+1]; v++ {
			f.put(tag(int32(v)))
		}
		for v := from; v < cuts[k+1]; v++ {
			z := 0.0
			if heights := m.VertexData[mesh.Heights]; heights != nil {
				z = heights[v]
			}
			f.put(m.X[v], m.Y[v], z)
			f.put(make([]float64, 2*parametric))
		}
	}
	fmt.Fprint(f, "\n$EndNodes\n")
}

// elements writes tagged edges and cells, in blocks of the same group, and returns the tags of cells.
func elements(f *file, m *mesh.Mesh, tag func(int32) uint64, rng *rand.Rand) func(c int) uint64 {
	fmt.Fprint(f, "$Elements\n")
	type block struct{ dim, entity, kind, from, to int }
	blocks := []block{{1, 100, 1, 0, 0}} // an empty one
	for i, e := range m.Tagged {
		if group := 100 + m.Groups[e.Group].Tag; blocks[len(blocks)-1].entity == group {
			blocks[len(blocks)-1].to++
		} else {
			blocks = append(blocks, block{1, group, 1, i, i + 1})
		}
	}
	for c, g := range m.CellGroup {
		entity := 100
		if g >= 0 {
			entity += m.Groups[g].Tag
		}
		if last := &blocks[len(blocks)-1]; last.dim == 2 && last.entity == entity {
			last.to++
		} else {
			blocks = append(blocks, block{2, entity, 2, c, c + 1})
		}
	}
	f.put(uint64(len(blocks)), uint64(len(m.Tagged)+len(m.Cells)), uint64(1), uint64(1))
	next, tags := uint64(7), make([]uint64, len(m.Cells))
	for _, b := range blocks {
		f.put([3]int32{int32(b.dim), int32(b.entity), int32(b.kind)}, uint64(b.to-b.from))
		next += uint64(rng.IntN(3))
		for i := b.from; i < b.to; i++ {
			f.put(next)
			if b.dim == 1 {
				f.put(tag(m.Tagged[i].A), tag(m.Tagged[i].B))
			} else {
				f.put(tag(m.Cells[i][0]), tag(m.Cells[i][1]), tag(m.Cells[i][2]))
				tags[i] = next
			}
			next++
		}
	}
	fmt.Fprint(f, "\n$EndElements\n")
	return func(c int) uint64 { return tags[c] }
}

func data(f *file, section, name string, values []float64, tag func(k int) uint64) {
	fmt.Fprintf(f, "$%s\n1\n\"%s\"\n1\n0\n3\n0\n1\n%d\n", section, name, len(values))
	for k, v := range values {
		f.put(int32(tag(k)), v)
	}
	fmt.Fprintf(f, "\n$End%s\n", section)
}
