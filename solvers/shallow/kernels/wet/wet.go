// Package wet tells in which tiles of a mesh nothing can happen: those without water whose neighbours have none either.
// Their cells keep their state, 0 to the bit.
package wet

// Tiles are those of a rank, and which of them may have water: each array of states has a mark for each tile, which is
// 0 if all bits of the tile's cells are 0 there.
type Tiles struct {
	First  []int32 // where the neighbours of each tile begin in Beside; and one more at the end
	Beside []int32 // tiles with which a tile has an edge in common
	Awake  []int32 // 1 for tiles that count as wet in any case, since something but flow from tiles may bring water
	Of     []int32 // the tile of each owned cell, for slopes
}

// Stage has the marks of the arrays of a stage: it computes the states in To from those in From and those at the start
// of the step.
type Stage struct{ From, Start, To []int32 }

// Idle reports whether a stage need not compute tile t.
func (m *Tiles) Idle(t int, s *Stage) bool {
	idle := s.From[t] == 0 && s.Start[t]|s.To[t] == 0
	for k := m.First[t]; idle && k < m.First[t+1]; k++ {
		idle = s.From[m.Beside[k]] == 0
	}
	return idle
}

// Settled reports whether the slopes of cell i, which is dry, are those that an earlier stage has computed: those of
// dry land. The earlier stage computed them from the states in Start or in To.
func (m *Tiles) Settled(i int, s *Stage) bool {
	t := m.Of[i]
	settled := s.From[t]|s.Start[t]|s.To[t] == 0
	for k := m.First[t]; settled && k < m.First[t+1]; k++ {
		at := m.Beside[k]
		settled = s.From[at]|s.Start[at]|s.To[at] == 0
	}
	return settled
}

// Note notes how many cells of tile t have water after a stage.
func (m *Tiles) Note(t int, s *Stage, cells int32) { s.To[t] = cells | m.Awake[t] }
