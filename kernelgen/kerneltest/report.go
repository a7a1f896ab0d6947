package kerneltest

import (
	"bytes"
	"fmt"
	"strings"
)

// accesses describes the kinds of access of turns.h in messages.
var accesses = [...]string{"read", "written", "changed by an atomic addition", "changed by an atomic minimum",
	"changed by an atomic maximum"}

// raceError returns an error that describes a conflict between two turns.
func (r *preparedLaunch) raceError(c conflict, turns [2]turn) error {
	where, _, _ := r.describe(int(c.offset))
	if c.array[0] != 0 {
		where = addComma(fmt.Sprintf("%s[%d]%s", cString(c.array[:]), c.at/c.element,
			byteOfElement(c.at%c.element, c.element)))
	}
	if c.numbers[0] == c.numbers[1] {
		return fmt.Errorf("kernel %s: %s is %s by every thread of %s", r.e.Symbol, where, accesses[c.kinds[0]],
			r.describeTurn(turns[0], false))
	}
	return fmt.Errorf("kernel %s: %s is %s by %s and %s by %s, in any order", r.e.Symbol, where,
		accesses[c.kinds[0]], r.describeTurn(turns[0], c.numbers[0]&1 != 0), accesses[c.kinds[1]],
		r.describeTurn(turns[1], c.numbers[1]&1 != 0))
}

// describeTurn describes a turn, or its asynchronous copies.
func (r *preparedLaunch) describeTurn(t turn, copies bool) string {
	if !r.e.Kernel.Tile {
		var index []string
		for d := range r.e.Kernel.Dims {
			index = append(index, fmt.Sprint(t.index[d]))
		}
		return "index " + strings.Join(index, ", ")
	}
	what := fmt.Sprintf("%s = %d of loop %d of tile %d", cString(t.variable[:]), t.k, t.loop, t.index[0])
	switch {
	case copies:
		what = "a copy of " + what
	case t.allThreads != 0 && t.loop == 0:
		what = fmt.Sprintf("tile %d before its loops", t.index[0])
	case t.allThreads != 0:
		what = fmt.Sprintf("tile %d after loop %d", t.index[0], t.loop)
	}
	return what
}

// describe describes the byte at an offset of the memory by the array elements that it is a part of. It also returns
// the range of the element, or of the 8 bytes of a larger element that hold the byte.
func (r *preparedLaunch) describe(offset int) (name string, from, size int) {
	var names []string
	from, size = offset, 1
	for _, s := range r.memory.spans {
		inSpan := uintptr(offset) - s.offset
		if inSpan >= s.size {
			continue
		}
		for _, g := range r.memory.regions {
			if inRegion := uintptr(s.host) + inSpan - uintptr(g.host); inRegion < g.size {
				names = append(names, g.describeByte(inRegion))
				byteInWord := inRegion % g.element % 8
				from, size = offset-int(byteInWord), int(min(8, g.element-inRegion%g.element+byteInWord))
			}
		}
	}
	return addComma(strings.Join(names, ", which is ")), from, size
}

// describeByte describes the byte at an offset of a region.
func (g region) describeByte(offset uintptr) string {
	name := g.name
	if !g.single {
		name += fmt.Sprintf("[%d]", offset/g.element)
	}
	return name + byteOfElement(offset%g.element, g.element)
}

// byteOfElement describes a byte of an element of more than 8 bytes, which may hold several numbers.
func byteOfElement[T uintptr | int64](offset, element T) string {
	if element <= 8 {
		return ""
	}
	return fmt.Sprintf(", byte %d of its %d", offset, element)
}

// addComma appends a comma to a description that contains one.
func addComma(name string) string {
	if strings.Contains(name, ",") {
		return name + ","
	}
	return name
}

// cString converts a C string.
func cString(s []byte) string {
	text, _, _ := bytes.Cut(s, []byte{0})
	return string(text)
}
