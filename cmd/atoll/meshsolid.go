package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/atoll-hpc/atoll/internal/words"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
)

// convertSolid applies the chosen repairs to a mesh of tetrahedra, and writes it.
func convertSolid(out string, s *mesh.Solid, merge, drop, orient bool) error {
	if merge {
		vertices, err := s.MergeDuplicates()
		if err != nil {
			return badInput(err)
		}
		cells, err := s.DropCopies()
		if err != nil {
			return badInput(err)
		}
		fmt.Printf("merged %s, dropped %s\n", words.Count(vertices, "vertex"), words.Count(cells, "cell"))
	}
	if drop {
		vertices, faces, err := s.DropDangling()
		if err != nil {
			return badInput(err)
		}
		fmt.Printf("dropped %s and %s that belong to no cell\n", words.Count(vertices, "vertex"),
			words.Count(faces, "tagged face"))
	}
	if orient {
		turned, err := s.Orient()
		if err != nil {
			return badInput(err)
		}
		fmt.Printf("reoriented %s\n", words.Count(turned, "cell"))
	}
	s.Mend()
	printNotes(s.Notes)
	if err := s.Check(); err != nil {
		return badInput(err)
	}
	return saveSolid(out, s)
}

func saveSolid(path string, s *mesh.Solid) error {
	notKept := meshio.NotKept(path, &s.Origin, s.Groups, s.Marks, s.VertexData, s.CellData)
	return reportSaved(path, meshio.WriteSolid(path, s), len(s.Cells), notKept)
}

// solidInfo checks a mesh of tetrahedra and prints its sizes, volume, groups and fields.
func solidInfo(path string) error {
	s, err := meshio.ReadSolid(path)
	if err != nil {
		return badInput(err)
	}
	s.Mend()
	printNotes(s.Notes)
	if err := s.Check(); err != nil {
		return badInput(fmt.Errorf("%s: %w", path, err))
	}
	free, err := s.Freedoms()
	if err != nil {
		return badInput(err)
	}
	volume := 0.0
	for c := range s.Cells {
		volume += s.Volume(c)
	}
	var axes [4]int
	for v := range free {
		axes[free[v].Axes]++
	}
	fmt.Printf("%s, %s, %s\nvolume %g\n", words.Count(len(s.Cells), "tetrahedron"), words.Count(len(s.X), "vertex"),
		words.Count(len(s.Faces), "tagged face"), volume)
	fmt.Printf("vertices: %d inside, %d on flat parts of the boundary, %d on straight edges, %d fixed at corners\n",
		axes[3], axes[2], axes[1], axes[0])
	count := map[mesh.Group]int{} // elements by dimension and tag; names are left empty
	for _, tag := range s.CellTag {
		if tag == 0 {
			continue
		}
		tags := s.Combined[int(tag)]
		if tags == nil {
			tags = []int{int(tag)}
		}
		for _, tag := range tags {
			count[mesh.Group{Dim: 3, Tag: tag}]++
		}
	}
	for _, f := range s.Faces {
		count[mesh.Group{Dim: 2, Tag: int(f.Tag)}]++
	}
	byNumber := func(a, b mesh.Group) int { return cmp.Or(a.Dim-b.Dim, a.Tag-b.Tag) }
	for _, g := range slices.SortedFunc(maps.Keys(count), byNumber) {
		name := ""
		for _, named := range s.Groups {
			if named.Dim == g.Dim && named.Tag == g.Tag {
				name = fmt.Sprintf("%q ", named.Name)
			}
		}
		fmt.Printf("group %s(dimension %d, tag %d): %d elements\n", name, g.Dim, g.Tag, count[g])
	}
	for _, name := range slices.Sorted(maps.Keys(s.VertexData)) {
		fmt.Printf("vertex field %q\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.CellData)) {
		fmt.Printf("cell field %q\n", name)
	}
	return nil
}
