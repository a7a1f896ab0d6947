package places

import "math"

// rectangle is a part of a picture, in pixels; y goes down.
type rectangle struct{ x0, y0, x1, y1 float64 }

func around(at [2]float64, radius float64) rectangle {
	return rectangle{at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius}
}

func (r rectangle) overlaps(o rectangle) bool {
	return r.x0 < o.x1 && o.x0 < r.x1 && r.y0 < o.y1 && o.y0 < r.y1
}

func (r rectangle) holds(o rectangle) bool {
	return r.x0 <= o.x0 && o.x1 <= r.x1 && r.y0 <= o.y0 && o.y1 <= r.y1
}

// labels finds room for labels in an area: not over what is taken.
type labels struct {
	area  rectangle
	taken []rectangle
}

func (l *labels) take(r rectangle) { l.taken = append(l.taken, r) }

// takeLine takes the pixels along a line.
func (l *labels) takeLine(line [][2]float64, width float64) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		n := max(1, int(math.Hypot(b[0]-a[0], b[1]-a[1])/max(3*width, 1)))
		for k := range n {
			s, t := float64(k)/float64(n), float64(k+1)/float64(n)
			x0, x1 := a[0]+s*(b[0]-a[0]), a[0]+t*(b[0]-a[0])
			y0, y1 := a[1]+s*(b[1]-a[1]), a[1]+t*(b[1]-a[1])
			l.take(rectangle{min(x0, x1) - width/2, min(y0, y1) - width/2, max(x0, x1) + width/2, max(y0, y1) + width/2})
		}
	}
}

// sides are the directions from an anchor in which a label may be, the best first.
var sides = [][2]float64{{1, 0}, {1, -1}, {1, 1}, {-1, 0}, {-1, -1}, {-1, 1}, {0, -1}, {0, 1}}

// find returns, and takes, the first free rectangle of a size at one of the anchors, at a distance from it or twice as
// far; found is false if there is none.
func (l *labels) find(anchors [][2]float64, width, height, distance float64) (box rectangle, found bool) {
	for _, far := range []float64{1, 2} {
		for _, at := range anchors {
			for _, side := range sides {
				x := at[0] + side[0]*(far*distance+width/2) - width/2
				y := at[1] + side[1]*(far*distance+height/2) - height/2
				if side[0] != 0 && side[1] != 0 { // at the corner of the place, not beyond
					y -= side[1] * distance
				}
				box = rectangle{x, y, x + width, y + height}
				if l.area.holds(box) && l.isFree(box) {
					l.take(box)
					return box, true
				}
			}
		}
	}
	return box, false
}

func (l *labels) isFree(box rectangle) bool {
	for _, r := range l.taken {
		if r.overlaps(box) {
			return false
		}
	}
	return true
}

// anchorsOf returns positions on the longest part of a line, at which its label may be: its middle first.
func anchorsOf(parts [][][2]float64) (anchors [][2]float64) {
	longest, most := -1, -1.0
	for k, part := range parts {
		if length := lengthOf(part); length > most {
			longest, most = k, length
		}
	}
	if longest < 0 {
		return nil
	}
	for _, share := range []float64{.5, .25, .75, .1, .9} {
		anchors = append(anchors, along(parts[longest], share*most))
	}
	return anchors
}

func lengthOf(line [][2]float64) (sum float64) {
	for i := 1; i < len(line); i++ {
		sum += math.Hypot(line[i][0]-line[i-1][0], line[i][1]-line[i-1][1])
	}
	return sum
}

// along returns the position at a distance from the start of a line.
func along(line [][2]float64, distance float64) [2]float64 {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		step := math.Hypot(b[0]-a[0], b[1]-a[1])
		if distance <= step && step > 0 {
			t := distance / step
			return [2]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])}
		}
		distance -= step
	}
	return line[len(line)-1]
}
