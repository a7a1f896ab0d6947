// Package results compares what two builds of atoll have written for the same case: every value that is computed, and
// none that tells about the machine or the time it took.
//
// Frames and meshes of VTK are compared by their decoded arrays, so that a change of the XML or of the compression
// alone is no difference; summary.json, run.json and epoch.json by their keys; reports of atoll verify by their numbers
// and verdicts; all other files byte for byte.
package results

import (
	"fmt"
	"strings"
)

// Difference is a place in which two results are not the same.
type Difference struct {
	Place string // file, and where in it: "frames/dam_000001_r0000.vtu: CellData h1"
	What  string // such as "value 17 is 0.25, then 0.26"
}

func (d Difference) String() string { return d.Place + ": " + d.What }

// within puts the file before the places.
func within(file string, list []Difference) []Difference {
	for i, d := range list {
		list[i].Place = strings.TrimSuffix(file+": "+d.Place, ": ")
	}
	return list
}

// only is the difference of what just one of the two has.
func only(place string, inOld bool) Difference {
	if inOld {
		return Difference{place, "is in the old results alone"}
	}
	return Difference{place, "is in the new results alone"}
}

// changed is the difference of two values.
func changed(place string, before, after any) Difference {
	return Difference{place, fmt.Sprintf("%v, then %v", before, after)}
}
