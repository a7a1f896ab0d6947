// Package epsg knows the units of the coordinate reference systems of the EPSG dataset.
package epsg

import (
	"cmp"
	_ "embed"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

//go:generate python3 units.py

//go:embed units.txt
var unitsText string

//go:embed kinds.txt
var kindsText string

//go:embed heights.txt
var heightsText string

// Height describes the values of a vertical system.
type Height struct {
	Unit string // m, foot, US survey foot …; "" if it is not known
	Down bool   // the values are depths
}

// HeightOf returns what the vertical system with a code has: heights in m, unless heights.txt lists it.
func HeightOf(code int) Height {
	for line := range strings.Lines(heightsText) {
		words := strings.Fields(line)
		if slices.Contains(words[2:], strconv.Itoa(code)) {
			return Height{Unit: strings.ReplaceAll(words[0], "_", " "), Down: words[1] == "down"}
		}
	}
	return Height{Unit: "m"}
}

// codes is a range of codes with a unit or a kind.
type codes struct {
	first, last int
	what        string
}

// decode returns the ranges of a file in order.
func decode(text string) (list []codes) {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, word := range words[1:] {
			first, last, isRange := strings.Cut(word, "-")
			if !isRange {
				last = first
			}
			a, _ := strconv.Atoi(first) // the file is generated
			b, _ := strconv.Atoi(last)
			list = append(list, codes{a, b, strings.ReplaceAll(words[0], "_", " ")})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].first < list[j].first })
	return list
}

var (
	units = sync.OnceValue(func() []codes { return decode(unitsText) })
	kinds = sync.OnceValue(func() []codes { return decode(kindsText) })
)

// find returns what a list says of a code, "" if it does not contain it.
func find(list []codes, code int) string {
	k := sort.Search(len(list), func(k int) bool { return list[k].last >= code })
	if k < len(list) && list[k].first <= code {
		return list[k].what
	}
	return ""
}

// Unit returns the unit of the coordinates of the system with a code, such as degree, foot or US survey foot: m for all
// systems that units.txt does not list, "" for the code 0, of no system.
func Unit(code int) string {
	if code == 0 {
		return ""
	}
	return cmp.Or(find(units(), code), "m")
}

// Geographic reports whether the coordinates of the system with a code are longitudes and latitudes in degrees.
func Geographic(code int) bool { return Unit(code) == "degree" }

// Kinds of systems in which coordinates are no horizontal positions with lengths in their unit.
const (
	Vertical   = "vertical"   // heights alone
	Geocentric = "geocentric" // positions from the centre of the earth
	Stretched  = "stretched"  // projections of the world by a cylinder, which stretch lengths by 1/cos(latitude)
)

// Kind returns the kind of the system with a code, "" for any other.
func Kind(code int) string { return find(kinds(), code) }
