package halo

import (
	"strings"
	"testing"
)

// TestPlansTranscript checks the plans of a 4×4 grid of cells, 0 to 15 row by row, in four quarters.
func TestPlansTranscript(t *testing.T) {
	owned := [][]int32{{0, 1, 4, 5}, {3, 2, 7, 6}, {12, 13, 8, 9}, {15, 14, 11, 10}}
	ghosts := [][][]int32{
		{nil, {2, 6}, {8, 9}, nil},
		{{1, 5}, nil, nil, {10, 11}},
		{{4, 5}, nil, nil, {10, 14}},
		{nil, {6, 7}, {9, 13}, nil},
	}
	plans, err := Plans(owned, ghosts)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, p := range plans {
		got.WriteString(p.String())
	}
	const want = `rank 0: 4 cells, 4 ghosts
  rank 1: send [1 3], receive [4, 6)
  rank 2: send [2 3], receive [6, 8)
rank 1: 4 cells, 4 ghosts
  rank 0: send [1 3], receive [4, 6)
  rank 3: send [3 2], receive [6, 8)
rank 2: 4 cells, 4 ghosts
  rank 0: send [2 3], receive [4, 6)
  rank 3: send [3 1], receive [6, 8)
rank 3: 4 cells, 4 ghosts
  rank 1: send [3 2], receive [4, 6)
  rank 2: send [3 1], receive [6, 8)
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestPlansRefuseWrongOwners(t *testing.T) {
	for name, ghost := range map[string]int32{"a cell of another rank": 0, "a cell without owner": 9} {
		_, err := Plans([][]int32{{0}, {1}}, [][][]int32{{nil, {ghost}}, {nil, nil}})
		if err == nil || !strings.Contains(err.Error(), "rank 0 wants cell") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestOneSidedPeers: a rank may have ghosts of another that has none of it.
func TestOneSidedPeers(t *testing.T) {
	plans, err := Plans([][]int32{{0, 1}, {2}, nil}, [][][]int32{{nil, nil, nil}, {{1}, nil, nil}, {nil, nil, nil}})
	if err != nil {
		t.Fatal(err)
	}
	if p := plans[0].Peers; len(p) != 1 || p[0].Lo != p[0].Hi || len(p[0].Send) != 1 {
		t.Errorf("rank 0: %v", plans[0])
	}
	if p := plans[1].Peers; len(p) != 1 || p[0].Hi-p[0].Lo != 1 || len(p[0].Send) != 0 {
		t.Errorf("rank 1: %v", plans[1])
	}
	if len(plans[2].Peers) != 0 {
		t.Errorf("rank 2: %v", plans[2])
	}
}
