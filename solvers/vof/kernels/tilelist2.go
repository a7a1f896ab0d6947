package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// ListSteps is the number of steps for which a list of tiles is valid: a step moves fluid at most to the next cell
// along each axis, so that in this many steps it does not pass the next tile.
const ListSteps = 24

const (
	listChunks = 1024 // chunks of tiles that are counted separately
	groups     = 32   // groups of chunks
)

// Marks of tiles and bricks.
const (
	Active     int32 = 1 << iota // in the list
	NextActive                   // may be in the next list; always set of active tiles
	Sent                         // a brick that is in no list, since it is computed before others in each sweep
)

// Elements of TileList.Count.
const (
	ListLength = iota
	NextLength // an upper bound of the length of the next list of tiles, ListSteps steps later
	ListCounts
)

// TileList finds the tiles that are active in the next ListSteps steps, in ascending order.
//
//atoll:constant
type TileList struct {
	Tiles [2]int32
	Open  [2][2]int32 // not 0 where another rank's cells follow, as in Tiles2
	Kinds []int32     // of the tiles in the current state
	Marks []int32     // of the tiles, by MarkTile: Active, NextActive
	Order []int32     // the list
	Count []int32     // ListCounts elements
}

// MarkTile marks tile t as active if a tile up to two away is mixed, belongs to another rank or is of another kind,
// or if its fields differ. A tile that is one further away may be active in the next list.
//
//atoll:kernel
func MarkTile(t int, l *TileList) {
	x, y := int32(t)%l.Tiles[0], int32(t)/l.Tiles[0]
	kind := l.Kinds[t] & Mixed2
	marks := int32(0)
	if kind == Mixed2 || l.Kinds[t]&Synchronised == 0 {
		marks = Active
	}
	for k := range int32(49) {
		dx, dy := k%7-3, k/7-3
		i, j := x+dx, y+dy
		mark := NextActive
		if dx > -3 && dx < 3 && dy > -3 && dy < 3 {
			mark = Active
		}
		if i < 0 || i >= l.Tiles[0] || j < 0 || j >= l.Tiles[1] {
			if i < 0 && l.Open[0][0] > 0 || i >= l.Tiles[0] && l.Open[0][1] > 0 ||
				j < 0 && l.Open[1][0] > 0 || j >= l.Tiles[1] && l.Open[1][1] > 0 {
				marks |= mark
			}
			continue
		}
		if l.Kinds[i+j*l.Tiles[0]]&Mixed2 != kind {
			marks |= mark
		}
	}
	if marks != 0 {
		marks |= NextActive
	}
	l.Marks[t] = marks
}

// ListTiles lists the marked tiles. It is run for index 0 only.
//
//atoll:kernel tile block=1024
func ListTiles(t int, l *TileList, counts, nextCounts *[listChunks]int32,
	sums, nextSums *[groups]int32) {
	tiles := l.Tiles[0] * l.Tiles[1]
	length := (tiles + listChunks - 1) / listChunks
	for k := range listChunks {
		n, next := int32(0), int32(0)
		for at := int32(k) * length; at < num.Smaller(int32(k+1)*length, tiles); at++ {
			n += flag(l.Marks[at]&Active != 0)
			next += flag(l.Marks[at]&NextActive != 0)
		}
		counts[k], nextCounts[k] = n, next
	}
	for k := range groups {
		n, next := int32(0), int32(0)
		for at := range listChunks / groups {
			n += counts[k*(listChunks/groups)+at]
			next += nextCounts[k*(listChunks/groups)+at]
		}
		sums[k], nextSums[k] = n, next
	}
	for range 1 {
		before, next := int32(0), int32(0)
		for k := range groups {
			n := sums[k]
			sums[k] = before
			before += n
			next += nextSums[k]
		}
		l.Count[t+ListLength], l.Count[t+NextLength] = before, next
	}
	for k := range listChunks {
		before := sums[k/(listChunks/groups)]
		for at := k / (listChunks / groups) * (listChunks / groups); at < k; at++ {
			before += counts[at]
		}
		for at := int32(k) * length; at < num.Smaller(int32(k+1)*length, tiles); at++ {
			if l.Marks[at]&Active != 0 {
				l.Order[before] = at
				before++
			}
		}
	}
}
