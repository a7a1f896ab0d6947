// Package epsg knows the units of the coordinate reference systems of the EPSG dataset.
package epsg

import (
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

// codes is a range of codes with a unit.
type codes struct {
	first, last int
	unit        string
}

// table has the ranges in order.
var table = sync.OnceValue(func() (list []codes) {
	for line := range strings.Lines(unitsText) {
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
})

// Unit returns the unit of the coordinates of the system with a code, such as degree, foot or US survey foot: m for all
// systems that units.txt does not list, "" for the code 0, of no system.
func Unit(code int) string {
	if code == 0 {
		return ""
	}
	list := table()
	k := sort.Search(len(list), func(k int) bool { return list[k].last >= code })
	if k < len(list) && list[k].first <= code {
		return list[k].unit
	}
	return "m"
}
