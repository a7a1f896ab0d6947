package sms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

const square2DM = `MESH2D
MESHNAME "a"
NUM_MATERIALS_PER_ELEM 1
E3T 1 1 2 3 1
E3T 2 1 3 9 2
ND 1 0.0 0.0 -1
ND 2 1.0 0.0 -2
ND 3 1.0 1.0 3e0
ND 9 0.0 1.0 0
NS 1 -2 1
NS 2 3
NS -9 "north"
BEGPARAMDEF
GM "Mesh"
`

const squareADCIRC = `a square
2 4 ! elements, nodes
1 0.0 0.0 1.5
2 1.0 0.0 2
3 1.0 1.0 -3
9 0.0 1.0 0
1 3 1 2 3
2 3 1 3 9
1 = Number of open boundaries
2 = Total number of open boundary nodes
2 = Number of nodes for open boundary 1
1
2
2 = Number of land boundaries
5 = Total number of land boundary nodes
2 0 = Number of nodes for land boundary 1
2
3
3 1
1
2
3
`

const squareMIKE = `100079  1000  5  UTM-31
1 0.0 0.0 -1.5 1
2 1.0 0.0 -2 1
3 1.0 1.0 -3 2
9 0.0 1.0 0 2
4 2.0 0.5 0 1
2 4 25
1 1 2 3 9
2 2 4 3 0
`

// text describes a mesh.
func text(m *mesh.Mesh) string {
	return fmt.Sprint(m.X, m.Y, m.Cells, m.Groups, m.CellGroup, m.Tagged, m.VertexData)
}

// TestRead: meshes have the nodes, triangles, groups and heights of their files.
func TestRead(t *testing.T) {
	const common = "[0 1 1 0] [0 0 1 1] [[0 1 2] [0 2 3]] "
	for _, c := range []struct {
		parse      func([]byte) (*mesh.Mesh, error)
		text, want string
	}{
		{parse2DM, square2DM, common + "[{2 1 1} {2 2 2} {1 1 ns1} {1 2 ns2}] [0 1] [{0 1 2} {1 2 3} {2 3 3}] " +
			"map[z:[-1 -2 3 0]]"},
		{parse2DM, strings.ReplaceAll(square2DM, "\n", "\r\n"), common + "[{2 1 1} {2 2 2} {1 1 ns1} {1 2 ns2}] [0 1] " +
			"[{0 1 2} {1 2 3} {2 3 3}] map[z:[-1 -2 3 0]]"},
		{parse2DM, "MESH2D\nND 4 0 0 0\nND 5 1 0 0\nND 6 0 1 0\nE3T 1 4 5 6\n", "[0 1 0] [0 0 1] [[0 1 2]] [] [] [] map[]"},
		{parseADCIRC, squareADCIRC, common + "[{1 1 open1} {1 2 land1} {1 3 land2}] [] [{0 1 0} {1 2 1} {0 1 2} {1 2 2} " +
			"{2 0 2}] map[depth:[1.5 2 -3 0]]"},
		{parseADCIRC, squareADCIRC[:strings.Index(squareADCIRC, "1 = Number")], common + "[] [] [] map[depth:[1.5 2 -3 0]]"},
		{parseADCIRC, strings.Replace(squareADCIRC, "2 0 = Number of nodes for land boundary 1\n2\n3\n",
			"2 24 = weir\n2 9 1.5 1 1\n3 9 1.5 1 1\n", 1), common + "[{1 1 open1} {1 2 land1} {1 3 land2}] [] [{0 1 0} {1 2 " +
			"1} " +
			"{0 1 2} {1 2 2} {2 0 2}] map[depth:[1.5 2 -3 0]]"},
		{parse2DM, strings.Replace(square2DM, "E3T 1 1 2 3 1\nE3T 2 1 3 9 2", "E4Q 1 1 2 3 9 2", 1), common +
			"[{2 2 2} {1 1 ns1} {1 2 ns2}] [0 0] [{0 1 1} {1 2 2} {2 3 2}] map[z:[-1 -2 3 0]]"},
		{parseADCIRC, "SCHISM\n1 4\n1 0 0 1\n2 1 0 1\n3 1 1 1\n4 0 1 1\n1 4 1 2 3 4\n", common +
			"[] [] [] map[depth:[1 1 1 1]]"},
		{parseMIKE, squareMIKE, "[0 1 1 0 2] [0 0 1 1 0.5] [[0 1 2] [0 2 3] [1 4 2]] [{1 1 land} {1 2 code2}] [] " +
			"[{0 1 0} {0 3 0} {1 4 0} {2 3 1} {2 4 0}] map[z:[-1.5 -2 -3 0 0]]"},
		{parseMIKE, "3 LONG/LAT\n1 0 0 0 1\n2 1 0 0 0\n3 0 1 0 0\n1 3 21\n1 1 2 3\n",
			"[0 1 0] [0 0 1] [[0 1 2]] [] [] [] map[]"},
	} {
		m, err := c.parse([]byte(c.text))
		if err != nil {
			t.Errorf("%.30q: %v", c.text, err)
			continue
		}
		if got := text(m); got != c.want {
			t.Errorf("%.30q: %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestRefusals: errors give the line and the reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		parse          func([]byte) (*mesh.Mesh, error)
		text, old, new string
		want           string
	}{
		{parse2DM, square2DM, "MESH2D", "MESH3D", `line 1: "MESH3D" is not MESH2D`},
		{parse2DM, square2DM, "E3T 2 1 3 9 2", "E6T 2 1 2 3 9 2", "line 5: triangles of second order are not supported"},
		{parse2DM, square2DM, "E3T 2 1 3 9 2", "E3T 2 1 3 8 2", "line 5: there is no node 8"},
		{parse2DM, square2DM, "ND 9", "ND 3", "node 3 is given twice"},
		{parse2DM, square2DM, "ND 1 0.0 0.0 -1", "ND 1 0.0", "line 6: the line ends where there should be a number"},
		{parse2DM, square2DM, "NS 1 -2", "NS 1 -7", "line 10: there is no node 7"},
		{parse2DM, square2DM, square2DM, "MESH2D\n", "the file has no vertices or no cells"},
		{parse2DM, square2DM, square2DM, "", "is not MESH2D"},
		{parseADCIRC, squareADCIRC, "2 3 1 3 9", "2 5 1 2 3 9 1", "line 8: the element has 5 nodes: only triangles"},
		{parseMIKE, squareMIKE, "  1000", "  1001", "line 1: heights have the unit 1001"},
		{parseMIKE, squareMIKE, "2 4 25", "2 3 25", "line 7: elements have 3 nodes and the type 25"},
		{parseMIKE, squareMIKE, "1 1 2 3 9", "1 1 2 3 8", "line 8: there is no node 8"},
		{parseMIKE, squareMIKE, "0.5 0 1", "0.5 0 -1", "line 6: the node has the code -1"},
		{parseMIKE, squareMIKE, "0.5 0 1", "0.5 0", "line 6: the line ends"},
		{parseMIKE, squareMIKE, "1000  5", "1000  5000", "5000 nodes are announced"},
		{parseMIKE, squareMIKE, "2 4 25", "2000 4 25", "2000 elements are announced"},
		{parseADCIRC, squareADCIRC, "2 4 !", "2 1000 !", "line 3: 1000 nodes are announced, but only"},
		{parseADCIRC, squareADCIRC, "2 4 !", "two 4 !", `line 2: "two" is not an integer`},
		{parseADCIRC, squareADCIRC, "1 3 1 2 3", "1 3 1 2 7", "line 7: there is no node 7"},
		{parseADCIRC, squareADCIRC, "\n2 = Number of nodes", "\n2000 = Number of nodes", "2000 nodes are announced"},
	} {
		_, err := c.parse([]byte(strings.Replace(c.text, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.new, err, c.want)
		}
	}
}

// FuzzRead: any file is refused, or gives a mesh whose indices are valid.
func FuzzRead(f *testing.F) {
	f.Add([]byte(square2DM))
	f.Add([]byte(squareADCIRC))
	f.Add([]byte(squareMIKE))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) (*mesh.Mesh, error){parse2DM, parseADCIRC, parseMIKE} {
			m, err := parse(data)
			if err != nil {
				continue
			}
			for _, v := range m.Cells {
				if min(v[0], v[1], v[2]) < 0 || int(max(v[0], v[1], v[2])) >= len(m.X) {
					t.Fatalf("cell %v of %d vertices", v, len(m.X))
				}
			}
			for _, e := range m.Tagged {
				if min(e.A, e.B) < 0 || int(max(e.A, e.B)) >= len(m.X) || int(e.Group) >= len(m.Groups) {
					t.Fatalf("edge %v", e)
				}
			}
			if m.CellGroup != nil && len(m.CellGroup) != len(m.Cells) {
				t.Fatalf("%d groups of %d cells", len(m.CellGroup), len(m.Cells))
			}
		}
	})
}
