// Package meshes is the command atoll mesh, which generates, converts, inspects, reorders and partitions meshes.
package meshes

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/cmd/atoll/terrain"
	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/inspect"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/solvers"
)

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "mesh",
		Short: "Generate, convert, inspect, reorder and partition meshes (.msh, .vtu, .mesh, .meshb)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(generate(), terrain.Command(checkWritable, save))
	c.AddCommand(convert(), info(), reorder(), divide())
	return c
}

func generate() *cobra.Command {
	var bounds []float64
	var cells, refine int
	var seed uint64
	c := &cobra.Command{
		Use:   "generate OUT",
		Short: "Write an irregular mesh: triangles in a rectangle, or tetrahedra in a box",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkWritable(args[0]); err != nil {
				return err
			}
			if err := checkMemory(int64(cells)<<(2*min(max(refine, 0), 20)), len(bounds)/2); err != nil {
				return err
			}
			if len(bounds) == 6 && refine == 0 {
				s, err := mesh.Box([3]float64(bounds[:3]), [3]float64(bounds[3:]), cells, seed)
				if err != nil {
					return wrong(err)
				}
				return saveSolid(args[0], s)
			}
			if len(bounds) != 4 {
				return wrong(fmt.Errorf("--bounds needs x0,y0,x1,y1, or without --refine x0,y0,z0,x1,y1,z1, not %d numbers",
					len(bounds)))
			}
			m, err := mesh.Rectangle(bounds[0], bounds[1], bounds[2], bounds[3], cells, seed)
			if err != nil {
				return wrong(err)
			}
			for range refine {
				if m, err = mesh.Refine(m); err != nil {
					return wrong(err)
				}
			}
			return save(args[0], m)
		},
	}
	p := c.Flags()
	p.Float64SliceVar(&bounds, "bounds", []float64{0, 0, 1, 1},
		"corners of the rectangle, x0,y0,x1,y1, or of the box, x0,y0,z0,x1,y1,z1")
	p.IntVar(&cells, "cells", 1000, "approximate number of cells")
	p.IntVar(&refine, "refine", 0, "how many times to divide each triangle into four")
	p.Uint64Var(&seed, "seed", 7, "seed of the random numbers")
	return c
}

func convert() *cobra.Command {
	var orient, drop, merge bool
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a mesh between formats, and repair it where asked to",
		Args:  cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkWritable(args[1]); err != nil {
				return err
			}
			if err := checkFileMemory(args[0]); err != nil {
				return err
			}
			m, solid, err := meshio.ReadAny(args[0])
			if err != nil {
				return wrong(err)
			}
			if solid != nil {
				return convertSolid(args[0], args[1], solid, merge, drop, orient)
			}
			if merge {
				vertices, cells, err := m.MergeDuplicates()
				if err != nil {
					return wrong(err)
				}
				fmt.Printf("merged %s, dropped %s\n", words.Count(vertices, "vertex"), words.Count(cells, "cell"))
			}
			if drop {
				vertices, tagged, err := m.DropDangling()
				if err != nil {
					return wrong(err)
				}
				fmt.Printf("dropped %s and %s that belong to no cell\n", words.Count(vertices, "vertex"),
					words.Count(tagged, "tagged edge"))
			}
			if orient {
				turned, err := m.Orient()
				if err != nil {
					return wrong(err)
				}
				fmt.Printf("reoriented %s\n", words.Count(turned, "cell"))
			}
			m.Mend()
			printNotes(m.Notes)
			if err := m.Check(); err != nil {
				return wrong(orUntangle(err, args[0]))
			}
			return save(args[1], m)
		},
	}
	p := c.Flags()
	p.BoolVar(&orient, "orient", false, "reverse clockwise triangles, and tetrahedra of negative volume")
	p.BoolVar(&drop, "drop-dangling", false, "drop vertices, and tagged edges or faces, that belong to no cell")
	p.BoolVar(&merge, "merge-duplicates", false,
		"merge vertices at the same or nearly the same position, and drop duplicate and collapsed cells")
	return c
}

func info() *cobra.Command {
	var asJSON bool
	var crs string
	c := &cobra.Command{
		Use:     "info MESH",
		Short:   "Check a mesh and show its contents: sizes, groups with their lengths, and where cells are worst",
		Example: "  atoll mesh info bay.msh\n  atoll mesh info ocean.msh --crs EPSG:4326",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := readMended(args[0])
			if mesh.IsTetrahedra(err) {
				return solidInfo(args[0], asJSON)
			}
			if err != nil {
				return wrong(err)
			}
			nb, err := m.CheckedNeighbours()
			if err == nil {
				m.Notes = append(m.Notes, m.NoteDefects(nb)...)
			} else if m.Notes, err = noteTangled(m.Notes, args[0], err, m.CheckTangled()); err == nil {
				nb, err = m.Neighbours()
			}
			if err != nil {
				return wrong(err)
			}
			if err := setCRS(m, crs); err != nil {
				return wrong(fmt.Errorf("--crs %s: %w", crs, err))
			}
			return printReport(inspect.Triangles(m, nb), m.Notes, asJSON)
		},
	}
	c.Flags().StringVar(&crs, "crs", "", "coordinate reference system, such as EPSG:4326: lengths of one in degrees "+
		"are in m on the earth")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// setCRS sets what follows from the coordinate reference system of a mesh, "" if it is not known.
func setCRS(m *mesh.Mesh, crs string) error {
	if crs == "" {
		if inspect.MaybeGeographic(m) {
			m.Notes = append(m.Notes, "if x and y are longitudes and latitudes, --crs EPSG:4326 gives lengths on the earth in m")
		}
		return nil
	}
	code, err := strconv.Atoi(strings.TrimPrefix(crs, "EPSG:"))
	if err != nil {
		return errors.New("want a code, such as EPSG:4326 or EPSG:25832")
	}
	if epsg.Geographic(code) {
		return inspect.SetGeographic(m)
	}
	return nil
}

// solidInfo is meshInfo for a mesh of tetrahedra.
func solidInfo(path string, asJSON bool) error {
	s, err := meshio.ReadSolid(path)
	if err != nil {
		return wrong(err)
	}
	s.Mend()
	skin, err := s.CheckedSkin()
	freedoms := s.Freedoms
	if err == nil {
		s.Notes = append(s.Notes, s.NoteDefects(skin)...)
	} else if s.Notes, err = noteTangled(s.Notes, path, err, s.CheckTangled()); err != nil {
		return wrong(err)
	} else {
		freedoms = s.FreedomsTangled
	}
	free, err := freedoms()
	if err != nil {
		return wrong(err)
	}
	if err := printReport(inspect.Solid(s), s.Notes, asJSON); err != nil || asJSON {
		return err
	}
	var axes [4]int
	for v := range free {
		axes[free[v].Axes]++
	}
	fmt.Printf("vertices: %d inside, %d on flat parts of the boundary, %d on straight edges, %d fixed at corners\n",
		axes[3], axes[2], axes[1], axes[0])
	return nil
}

// noteTangled adds the faults of a mesh to notes if it has no others than a tangled one may have.
func noteTangled(notes []string, path string, faults, others error) ([]string, error) {
	if others != nil {
		return nil, fmt.Errorf("%s: %w", path, faults)
	}
	text := strings.ReplaceAll(faults.Error(), "\n", "; ")
	return append(notes, text+untangling), nil
}

// untangling is advice about a mesh with no other faults than a tangled one may have.
const untangling = "; if only positions of vertices are wrong, smoothing with --untangle true mends them"

// orUntangle adds to the faults that repairs have left the advice to untangle, if the mesh in the file may be tangled.
func orUntangle(faults error, path string) error {
	m, s, err := meshio.ReadAny(path)
	if err == nil && s != nil {
		s.Mend()
		err = s.CheckTangled()
	} else if err == nil {
		m.Mend()
		err = m.CheckTangled()
	}
	if err != nil {
		return faults
	}
	return fmt.Errorf("%w%s", faults, untangling)
}

// printReport prints the report of a mesh and notes, which become a member of a JSON object.
func printReport(r *inspect.Report, notes []string, asJSON bool) error {
	if !asJSON {
		printNotes(notes)
		fmt.Print(r.Text())
		return nil
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*inspect.Report
		Notes []string `json:"notes"`
	}{r, notes})
}

// printNotes prints notes for users, each on a line.
func printNotes(notes []string) {
	for _, note := range notes {
		fmt.Println("note:", note)
	}
}

func reorder() *cobra.Command {
	var order string
	var seed uint64
	c := &cobra.Command{
		Use:   "reorder IN [OUT]",
		Short: "Renumber the cells of a mesh, and show how close neighbours are in memory",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOneMethod(args, order); err != nil {
				return err
			}
			d, err := readDual(args[0])
			if err != nil {
				return wrong(err)
			}
			printNotes(d.mesh.Notes)
			methods := []partition.Ordering{partition.Ordering(order)}
			if order == "all" {
				methods = partition.Orderings
			}
			for _, method := range methods {
				perm, err := partition.Order(method, d.graph, [][]float64{d.x, d.y}, seed)
				if err != nil {
					return wrong(err)
				}
				report, err := partition.ReportOrder(d.graph, perm)
				if err != nil {
					return err
				}
				fmt.Printf("%s:\n%s", method, indent(report.String()))
				if len(args) == 2 {
					return save(args[1], d.mesh.Permute(perm))
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&order, "order", "rcm", "natural, rcm, gps, hilbert, random, or all to compare them")
	c.Flags().Uint64Var(&seed, "seed", 7, "seed of the random numbers")
	return c
}

func divide() *cobra.Command {
	var cut string
	var parts int
	var seed uint64
	c := &cobra.Command{
		Use:   "partition IN [OUT.vtu]",
		Short: "Partition a mesh, and show the quality of the partition",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOneMethod(args, cut); err != nil {
				return err
			}
			d, err := readDual(args[0])
			if err != nil {
				return wrong(err)
			}
			printNotes(d.mesh.Notes)
			methods := []partition.Method{partition.Method(cut)}
			if cut == "all" {
				methods = partition.Methods
			}
			for _, method := range methods {
				p, err := partition.Partition(method, d.graph, [][]float64{d.x, d.y}, parts, seed)
				if err != nil {
					return wrong(err)
				}
				report, err := partition.ReportParts(d.graph, p, parts)
				if err != nil {
					return err
				}
				fmt.Printf("%s:\n%s", method, indent(report.String()))
				if len(args) == 2 {
					if d.mesh.CellData == nil {
						d.mesh.CellData = map[string][]float64{}
					}
					rank := make([]float64, len(p))
					for i, r := range p {
						rank[i] = float64(r)
					}
					d.mesh.CellData["rank"] = rank
					return save(args[1], d.mesh)
				}
			}
			return nil
		},
	}
	p := c.Flags()
	p.StringVar(&cut, "cut", "hilbert", "hilbert, rcb, metis, random, or all to compare them")
	p.IntVarP(&parts, "parts", "n", 4, "number of parts")
	p.Uint64Var(&seed, "seed", 7, "seed of the random numbers")
	return c
}

// dual is a checked mesh with its dual graph: one node per cell, edges between cells with a common side.
type dual struct {
	mesh       *mesh.Mesh
	neighbours [][3]int32
	graph      partition.Graph
	x, y       []float64 // centroids
}

// readMended reads a mesh of triangles and mends what has only one repair.
func readMended(path string) (*mesh.Mesh, error) {
	if err := checkFileMemory(path); err != nil {
		return nil, err
	}
	m, err := meshio.Read(path)
	if err != nil {
		return nil, err
	}
	m.Mend()
	return m, nil
}

func readDual(path string) (*dual, error) {
	m, err := readMended(path)
	if err != nil {
		return nil, err
	}
	nb, err := m.CheckedNeighbours()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d := &dual{mesh: m, neighbours: nb, x: make([]float64, len(m.Cells)), y: make([]float64, len(m.Cells))}
	for c := range m.Cells {
		d.x[c], d.y[c] = m.Centroid(c)
	}
	d.graph, err = partition.FromNeighbours(nb)
	return d, err
}

// checkMeshWritable returns an error if no mesh can be written to path, before any work is done.
func checkWritable(path string) error {
	err := meshio.Writable(path)
	if err == nil {
		err = atomicfile.CheckWritable(path)
	}
	if err != nil {
		return wrong(err)
	}
	return nil
}

// checkOneMethod returns an error if an output, the second argument, is given while all methods are compared, or if
// no mesh can be written to it.
func checkOneMethod(args []string, method string) error {
	switch {
	case len(args) < 2:
		return nil
	case method == "all":
		return wrong(fmt.Errorf("all methods are compared, and none is written: choose one for %s, or leave it out",
			args[1]))
	}
	return checkWritable(args[1])
}

func save(path string, m *mesh.Mesh) error {
	notKept := meshio.NotKept(path, &m.Origin, m.Groups, m.Marks, m.VertexData, m.CellData)
	return reportSaved(path, meshio.Write(path, m), len(m.Cells), notKept)
}

// reportSaved prints what was written, unless err is set, and returns err.
func reportSaved(path string, err error, cells int, notKept string) error {
	if err == nil {
		printNotKept(notKept)
		fmt.Println(path + ": " + words.Count(cells, "cell"))
	}
	return err
}

func printNotKept(what string) {
	if what != "" {
		fmt.Println(meshio.Lost(what))
	}
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// bytesOfCell is the measured peak memory in bytes per triangle (2) and tetrahedron (3) while a mesh is generated
// or read, checked and written.
var bytesOfCell = map[int]int64{2: 215, 3: 330}

// checkMeshMemory returns an error if the memory is too small for a mesh of so many cells.
func checkMemory(cells int64, dim int) error {
	need := cells * bytesOfCell[dim]
	if free, source := cpu.FreeMemory(); need > free {
		return wrong(fmt.Errorf("a mesh of %d cells needs about %s of memory, but only %s are available (%s): "+
			"make fewer cells",
			cells, words.Bytes(need), words.Bytes(free), source))
	}
	return nil
}

// checkFileMemory returns an error if the memory is too small for the mesh in a file, by the counts in its headers.
func checkFileMemory(path string) error {
	n, err := meshio.Count(path)
	if err != nil {
		return wrong(err)
	}
	if err := checkMemory(n.Cells, n.Dim); err != nil {
		return wrong(fmt.Errorf("%s: %w", path, err))
	}
	return nil
}

// wrong marks an error that the user's input caused.
func wrong(err error) error {
	if err == nil {
		return nil
	}
	return &solvers.BadInput{Err: err}
}
