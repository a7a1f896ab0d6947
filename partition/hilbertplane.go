package partition

// In the plane, what hilbertKey does at a level is one of 16 turns of the square, and which one follows from that of
// the level above and the two bits there. planeKey takes four levels at a time from a table, in an eighth of the time.

// turn is how a square lies: its axes exchanged, each of them reversed, and then the sense in which it is walked.
type turn uint8

const (
	exchanged turn = 1 << iota
	reversedX
	reversedY
	backward
)

// step is what one or more levels make of a turn, and the bits of the key that they give.
type step struct {
	next turn
	key  uint8
}

// level takes one level, of which x and y are the bits.
func (t turn) level(x, y uint8) step {
	if t&exchanged != 0 {
		x, y = y, x
	}
	if t&reversedX != 0 {
		x ^= 1
	}
	if t&reversedY != 0 {
		y ^= 1
	}
	sense := uint8(t / backward)
	s := step{next: t, key: (x^sense)<<1 | x ^ y ^ sense}
	if x != 0 {
		s.next ^= reversedX
	}
	if y != 0 {
		s.next ^= reversedX
	} else {
		s.next = s.next&backward | (s.next&exchanged ^ exchanged) | s.next&reversedX<<1 | s.next&reversedY>>1
	}
	if x != y {
		s.next ^= backward
	}
	return s
}

// fourLevels holds the steps of four levels by the turn, the bits of x and those of y.
var fourLevels = func() (table [16][16][16]step) {
	for t := range table {
		for x := range uint8(16) {
			for y := range uint8(16) {
				all := step{next: turn(t)}
				for b := 3; b >= 0; b-- {
					s := all.next.level(x>>b&1, y>>b&1)
					all = step{s.next, all.key<<2 | s.key}
				}
				table[t][x][y] = all
			}
		}
	}
	return table
}()

// planeKey is hilbertKey of two coordinates of 31 bits. It begins a level above, where both bits are 0, which exchanges
// the axes.
func planeKey(x, y uint32) uint64 {
	key, t := uint64(0), exchanged
	for b := 28; b >= 0; b -= 4 {
		s := &fourLevels[t&15][x>>b&15][y>>b&15]
		key, t = key<<8|uint64(s.key), s.next
	}
	return key
}
