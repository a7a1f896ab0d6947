package wet

import "testing"

// TestIdle: a tile is idle if it has no water in any of the states of a stage, and its neighbours have none before it.
// Slopes are settled if neither has water in any of them.
func TestIdle(t *testing.T) {
	line := Tiles{First: []int32{0, 1, 3, 5, 6}, Beside: []int32{1, 0, 2, 1, 3, 2}, Awake: make([]int32, 4),
		Of: []int32{0, 1, 2, 3}}
	for _, c := range []struct {
		name          string
		s             Stage
		idle, settled [4]bool
	}{
		{"dry", Stage{make([]int32, 4), make([]int32, 4), make([]int32, 4)},
			[4]bool{true, true, true, true}, [4]bool{true, true, true, true}},
		{"water before", Stage{[]int32{1, 0, 0, 0}, make([]int32, 4), make([]int32, 4)},
			[4]bool{false, false, true, true}, [4]bool{false, false, true, true}},
		{"water at the start", Stage{make([]int32, 4), []int32{0, 0, 0, 3}, make([]int32, 4)},
			[4]bool{true, true, true, false}, [4]bool{true, true, false, false}},
		{"water of earlier steps", Stage{make([]int32, 4), make([]int32, 4), []int32{0, 0, 2, 0}},
			[4]bool{true, true, false, true}, [4]bool{true, false, false, false}},
	} {
		for k := range 4 {
			if idle := line.Idle(k, &c.s); idle != c.idle[k] {
				t.Errorf("%s: tile %d is idle: %v", c.name, k, idle)
			}
			if settled := line.Settled(k, &c.s); settled != c.settled[k] {
				t.Errorf("%s: the slopes of tile %d are settled: %v", c.name, k, settled)
			}
		}
	}
	line.Awake[2] = 1
	s := Stage{To: []int32{5, 5, 5, 5}}
	for k := range 4 {
		line.Note(k, &s, int32(k%2))
	}
	if s.To[0] != 0 || s.To[1] != 1 || s.To[2] != 1 || s.To[3] != 1 {
		t.Errorf("marks %v, want 0, 1, 1, 1", s.To)
	}
}
