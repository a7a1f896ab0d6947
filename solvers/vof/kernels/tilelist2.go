package kernels

import "github.com/atoll-hpc/atoll/solvers/common/num"

// ListSteps is the number of steps for which a list of tiles is valid: a step moves fluid at most to the next cell
// along each axis, so that in this many steps it does not pass the next tile.
const ListSteps = 24

const (
	listChunks = 1024 // chunks of tiles that are counted separately
	groups     = 32   // groups of chunks
)

// TileList finds the tiles that are active in the next ListSteps steps, in ascending order.
//
//atoll:constant
type TileList struct {
	Tiles [2]int32
	Open  [2][2]int32 // not 0 where another rank's cells follow, as in Tiles2
	Kinds []int32     // of the tiles in the current state
	Busy  []int32     // 1 for each active tile, set by MarkTile
	Order []int32     // the list
	Count []int32     // one element: its length
}

// MarkTile marks tile t as active if a tile up to two away is mixed, belongs to another rank or is of another kind,
// or if its fields differ.
//
//atoll:kernel
func MarkTile(t int, l *TileList) {
	x, y := int32(t)%l.Tiles[0], int32(t)/l.Tiles[0]
	kind := l.Kinds[t] & Mixed2
	busy := int32(0)
	if kind == Mixed2 || l.Kinds[t]&Synchronised == 0 {
		busy = 1
	}
	for k := range int32(25) {
		i, j := x+k%5-2, y+k/5-2
		if i < 0 || i >= l.Tiles[0] || j < 0 || j >= l.Tiles[1] {
			if i < 0 && l.Open[0][0] > 0 || i >= l.Tiles[0] && l.Open[0][1] > 0 ||
				j < 0 && l.Open[1][0] > 0 || j >= l.Tiles[1] && l.Open[1][1] > 0 {
				busy = 1
			}
			continue
		}
		if l.Kinds[i+j*l.Tiles[0]]&Mixed2 != kind {
			busy = 1
		}
	}
	l.Busy[t] = busy
}

// ListTiles lists the marked tiles. It is run for index 0 only.
//
//atoll:kernel tile block=1024
func ListTiles(t int, l *TileList, counts *[listChunks]int32, sums *[groups]int32) {
	tiles := l.Tiles[0] * l.Tiles[1]
	length := (tiles + listChunks - 1) / listChunks
	for k := range listChunks {
		n := int32(0)
		for at := int32(k) * length; at < num.Smaller(int32(k+1)*length, tiles); at++ {
			n += l.Busy[at]
		}
		counts[k] = n
	}
	for k := range groups {
		n := int32(0)
		for at := range listChunks / groups {
			n += counts[k*(listChunks/groups)+at]
		}
		sums[k] = n
	}
	for range 1 {
		before := int32(0)
		for k := range groups {
			n := sums[k]
			sums[k] = before
			before += n
		}
		l.Count[t] = before
	}
	for k := range listChunks {
		before := sums[k/(listChunks/groups)]
		for at := k / (listChunks / groups) * (listChunks / groups); at < k; at++ {
			before += counts[at]
		}
		for at := int32(k) * length; at < num.Smaller(int32(k+1)*length, tiles); at++ {
			if l.Busy[at] != 0 {
				l.Order[before] = at
				before++
			}
		}
	}
}
