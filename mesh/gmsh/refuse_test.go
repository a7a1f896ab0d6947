package gmsh

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRefusals(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "line 1: \"\" is not $MeshFormat"},
		"another format": {"hello\n", "line 1: \"hello\" is not $MeshFormat"},
		"old version": {"$MeshFormat\n4 0 8\n$EndMeshFormat\n",
			"line 2: version \"4\": only 2.2 and 4.1 can be read; convert with gmsh"},
		"first version": {"$NOD\n3\n", "line 1: version \"1\": only 2.2 and 4.1 can be read; convert with gmsh"},
		"file type":     {"$MeshFormat\n4.1 2 8\n$EndMeshFormat\n", "line 2: file type 2"},
		"number size":   {"$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", "line 2: numbers of 4 bytes"},
		"no mesh":       {"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "line 4: the file ends without $Nodes and $Elements"},
		"no triangles":  {nodes22 + "$Elements\n1\n1 1 2 20 1 1 7\n$EndElements\n", "the file has no triangles"},
		"quadrangle": {nodes22 + "$Elements\n1\n17 3 2 20 1 1 7 3 9\n$EndElements\n",
			"line 13: element 17 is a quadrangle; a mesh must be of triangles"},
		"second order": {nodes22 + "$Elements\n1\n17 9 2 20 1 1 7 3 9 1 1\n$EndElements\n",
			"line 13: element 17 is a triangle of second order; a mesh must be of triangles or tetrahedra of first order: " +
				"switch off Recombine, and set"},
		"tetrahedron": {nodes41 + "$Elements\n1 1 5 5\n3 1 4 1\n5 1 2 3 4\n$EndElements\n",
			"line 24: element 5 is a tetrahedron"},
		"odd type": {nodes22 + "$Elements\n1\n17 93 2 20 1 1 7 3 9\n$EndElements\n", "element 17 is of type 93"},
		"short line": {strings.Replace(cells22, "1 1 7 3\n", "1 1 7\n", 1),
			"line 13: the line ends where there should be an integer"},
		"long line": {strings.Replace(cells22, "1 1 7 3\n", "1 1 7 3 9\n", 1),
			"line 13: unexpected \"9\" at the end of the line"},
		"not a number": {strings.Replace(cells22, "7 1 0 0", "7 1 O 0", 1), "line 7: \"O\" is not a number"},
		"not whole":    {strings.Replace(cells22, "7 1 0 0", "7.5 1 0 0", 1), "line 7: \"7.5\" is not an integer"},
		"too large":    {strings.Replace(cells22, "7 1 0 0", "7 1e999 0 0", 1), "line 7: \"1e999\" is not a number"},
		"node twice": {strings.Replace(cells22, "7 1 0 0", "3 1 0 0", 1),
			"line 4: node 3 is given twice in this section"},
		"large node number twice": {strings.NewReplacer("\n7 1", "\n900000 1", "\n9 0", "\n900000 1").Replace(cells22),
			"node 900000 is given twice"},
		"unknown node": {strings.Replace(cells22, "1 1 7 3\n", "1 1 7 5\n", 1),
			"line 13: element 1 refers to node 5, which is not in $Nodes"},
		"count too high": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n5", 1),
			"line 10: \"$EndNodes\" is not an integer"},
		"count too low": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n3", 1), "line 9: got \"9\", want $EndNodes"},
		"huge count": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n400000000", 1),
			"400000000 nodes are announced, but only"},
		"negative count": {strings.Replace(cells22, "$Nodes\n4", "$Nodes\n-4", 1), "negative number of nodes: -4"},
		"negative tags": {strings.Replace(cells22, "1 2 2 20 1 1 7 3\n", "1 2 -2 20 1 1 7 3\n", 1),
			"line 13: element 1 has -2 tags"},
		"cut":          {cells22[:len(cells22)-14], "want $EndElements"},
		"no end":       {cells22 + "$Odd\nx", "line 16: section $\"Odd\" has no end"},
		"text between": {cells22 + "more\n", "line 16: \"more\" is not the start of a section"},
		"elements first": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n0\n$EndElements\n",
			"line 4: $Elements before $Nodes"},
		"nodes twice": {nodes22 + nodes22[len("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"):],
			"line 11: a second section $Nodes"},
		"cut partitions": {nodes41 + "$PartitionedEntities\n", "the file ends where there should be an integer"},
		"periodic before nodes": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Periodic\n0\n$EndPeriodic\n",
			"line 4: $Periodic before $Nodes"},
		"periodic node": {cells22 + "$Periodic\n1\n1 1 2\n1\n1 8\n$EndPeriodic\n",
			"line 20: the periodic nodes 1 and 8 are not both in $Nodes"},
		"periodic volume": {cells22 + "$Periodic\n1\n3 1 2\n1\n1 7\n$EndPeriodic\n", "a periodic side of dimension 3"},
		"blocks of fewer": {strings.Replace(cells41, "2 3 1 3", "2 4 1 4", 1),
			"the blocks have 3 elements, but 4 are declared"},
		"block of more": {strings.Replace(cells41, "2 3 1 3", "2 2 1 3", 1),
			"line 26: a block of 1 elements, want at most 0"},
		"block of nodes": {strings.Replace(cells41, "2 8 0 4", "2 8 0 5", 1),
			"line 11: a block of 5 nodes, want at most 4"},
		"lost block of nodes": {strings.Replace(cells41, "$Nodes\n1 4 1 4", "$Nodes\n0 4 1 4", 1),
			"want $EndNodes"},
		"dimension": {strings.Replace(cells41, "2 8 2 2", "1 8 2 2", 1), "elements of 3 nodes on an entity of dimension 1"},
		"name without quote": {strings.Replace(cells22, "$Nodes",
			"$PhysicalNames\n1\n2 20 sea\n$EndPhysicalNames\n$Nodes", 1), "line 6: \"sea\" is not a name in double quotes"},
		"name twice": {strings.Replace(cells22, "$Nodes",
			"$PhysicalNames\n2\n2 20 \"sea\"\n2 21 \"sea\"\n$EndPhysicalNames\n$Nodes", 1),
			"line 7: two physical groups of dimension 2 have the name \"sea\""},
		"tag twice": {strings.Replace(cells22, "$Nodes",
			"$PhysicalNames\n2\n2 20 \"sea\"\n2 20 \"bay\"\n$EndPhysicalNames\n$Nodes", 1),
			"line 7: physical group 20 of dimension 2 has two names, \"sea\" and \"bay\""},
		"number as name": {strings.Replace(cells22, "$Nodes", "$PhysicalNames\n1\n2 21 \"20\"\n$EndPhysicalNames\n$Nodes", 1),
			"element 1: two physical groups of dimension 2 have the name \"20\""},
		"field twice": {cells41 + field("ElementData", "2\n1 1\n2 2\n") + field("ElementData", "2\n1 1\n2 2\n"),
			"the cell field \"b\" is given twice"},
		"value twice": {cells22 + field("NodeData", "4\n9 1\n1 2\n9 3\n3 3\n"),
			"line 27: field \"b\" has two values at tag 9"},
		"value nowhere": {cells22 + field("NodeData", "1\n2 1\n"),
			"line 25: field \"b\" has a value at node 2, which is not in $Nodes"},
		"field before": {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + field("NodeData", "0\n"),
			"line 4: data before the sections $Nodes"},
		"field and height": {strings.Replace(cells22, "3 1 1 0", "3 1 1 5", 1) +
			strings.Replace(field("NodeData", "4\n9 1\n1 2\n7 3\n3 3\n"), `"b"`, `"z"`, 1), "third coordinate"},
	} {
		if _, err := parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}

// Read refuses a binary file truncated at any byte before its last one that is not white space, and gives the position.
func TestCutBinary(t *testing.T) {
	for _, name := range []string{"island-22-binary.msh", "island-41-binary.msh"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for n := range bytes.TrimSpace(data) {
			_, err := parse(data[:n])
			if err == nil {
				t.Fatalf("%s truncated to %d bytes: no error", name, n)
			}
			if s := err.Error(); !strings.HasPrefix(s, "byte offset ") && !strings.HasPrefix(s, "line ") {
				t.Fatalf("%s truncated to %d bytes: error %q, want one with a position", name, n, s)
			}
		}
	}
}
