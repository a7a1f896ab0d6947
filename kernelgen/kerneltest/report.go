package kerneltest

import (
	"bytes"
	"fmt"
	"strings"
)

// accesses are those of turns.h, as what happens to a byte.
var accesses = [...]string{"read", "written", "changed by an atomic addition", "changed by an atomic minimum",
	"changed by an atomic maximum"}

// race tells of a conflict between two turns.
func (r *prepared) race(c conflict, turns [2]turn) error {
	where, _, _ := r.place(int(c.offset))
	if c.array[0] != 0 {
		where = closed(fmt.Sprintf("%s[%d]%s", text(c.array[:]), c.at/c.element, part(c.at%c.element, c.element)))
	}
	if c.numbers[0] == c.numbers[1] {
		return fmt.Errorf("kernel %s: %s is %s by every thread of %s", r.e.Symbol, where, accesses[c.kinds[0]],
			r.turn(turns[0], false))
	}
	return fmt.Errorf("kernel %s: %s is %s by %s and %s by %s, in any order", r.e.Symbol, where,
		accesses[c.kinds[0]], r.turn(turns[0], c.numbers[0]&1 != 0), accesses[c.kinds[1]],
		r.turn(turns[1], c.numbers[1]&1 != 0))
}

// turn names a turn, or its copies that are under way.
func (r *prepared) turn(t turn, copies bool) string {
	if !r.e.Kernel.Tile {
		var index []string
		for d := range r.e.Kernel.Dims {
			index = append(index, fmt.Sprint(t.index[d]))
		}
		return "index " + strings.Join(index, ", ")
	}
	what := fmt.Sprintf("%s = %d of loop %d of tile %d", text(t.variable[:]), t.k, t.loop, t.index[0])
	switch {
	case copies:
		what = "a copy of " + what
	case t.together != 0 && t.loop == 0:
		what = fmt.Sprintf("tile %d before its loops", t.index[0])
	case t.together != 0:
		what = fmt.Sprintf("tile %d after loop %d", t.index[0], t.loop)
	}
	return what
}

// place names what the byte at an offset of the memory is a part of: an element of up to 8 bytes, or as many of a
// larger one, which begin at an offset.
func (r *prepared) place(offset int) (name string, from, size int) {
	var names []string
	from, size = offset, 1
	for _, s := range r.memory.spans {
		at := uintptr(offset) - s.offset
		if at >= s.size {
			continue
		}
		for _, g := range r.memory.regions {
			if in := uintptr(s.host) + at - uintptr(g.host); in < g.size {
				names = append(names, g.at(in))
				piece := in % g.element % 8
				from, size = offset-int(piece), int(min(8, g.element-in%g.element+piece))
			}
		}
	}
	return closed(strings.Join(names, ", which is ")), from, size
}

// at names the byte at an offset of a region.
func (g region) at(offset uintptr) string {
	name := g.name
	if !g.single {
		name += fmt.Sprintf("[%d]", offset/g.element)
	}
	return name + part(offset%g.element, g.element)
}

// part names a byte of an element that may hold several numbers.
func part[T uintptr | int64](offset, element T) string {
	if element <= 8 {
		return ""
	}
	return fmt.Sprintf(", byte %d of its %d", offset, element)
}

// closed ends what has a comma by another one.
func closed(name string) string {
	if strings.Contains(name, ",") {
		return name + ","
	}
	return name
}

// text is a C string.
func text(s []byte) string {
	text, _, _ := bytes.Cut(s, []byte{0})
	return string(text)
}
