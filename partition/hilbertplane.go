package partition

// In 2D, hilbertKey transforms the square of a level in one of 16 ways, which follow from the transform of the level
// above and the two bits of that level. planeKey looks up four levels at a time in a table, in an eighth of the time.

// orientation is how the curve runs through a square: whether its axes are exchanged, whether each of them is then
// reversed, and whether the curve runs backward.
type orientation uint8

const (
	exchanged orientation = 1 << iota
	reversedX
	reversedY
	backward
)

// descent is the result of going down one or more levels.
type descent struct {
	next orientation // in the cell of the last level
	key  uint8       // two bits for each level
}

// descend goes down one level, to the quadrant with the bits x and y.
func (t orientation) descend(x, y uint8) descent {
	if t&exchanged != 0 {
		x, y = y, x
	}
	if t&reversedX != 0 {
		x ^= 1
	}
	if t&reversedY != 0 {
		y ^= 1
	}
	reverse := uint8(t / backward)
	s := descent{next: t, key: (x^reverse)<<1 | x ^ y ^ reverse}
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

// fourLevels holds the result of going down four levels, by orientation, four bits of x and four bits of y.
var fourLevels = func() (table [16][16][16]descent) {
	for t := range table {
		for x := range uint8(16) {
			for y := range uint8(16) {
				total := descent{next: orientation(t)}
				for b := 3; b >= 0; b-- {
					s := total.next.descend(x>>b&1, y>>b&1)
					total = descent{s.next, total.key<<2 | s.key}
				}
				table[t][x][y] = total
			}
		}
	}
	return table
}()

// planeKey is hilbertKey of two coordinates of 31 bits. It treats them as 32 bits, a multiple of four, of which the
// leading ones are 0. At that additional level the axes are exchanged, so that the first orientation is exchanged too.
func planeKey(x, y uint32) uint64 {
	key, t := uint64(0), exchanged
	for b := 28; b >= 0; b -= 4 {
		s := &fourLevels[t&15][x>>b&15][y>>b&15]
		key, t = key<<8|uint64(s.key), s.next
	}
	return key
}
