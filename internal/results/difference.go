// Package results compares the output files of two builds of atoll for the same case. Folders returns the list of
// Differences between two output folders. It compares all computed values, and ignores those that describe the machine
// or the run time.
//
// VTK frames and meshes are compared by their decoded arrays, so that changes of only the XML or the compression are
// not differences; summary.json, run.json and epoch.json by their keys; reports of atoll verify by their numbers and
// verdicts; all other files byte for byte.
package results

import (
	"fmt"
	"strings"
)

// Difference is a difference between two results.
type Difference struct {
	Location string // file and position in it, such as "frames/dam_000001_r0000.vtu: CellData h1"
	Text     string // such as "value 17 is 0.25, then 0.26": first the old value, then the new one
}

func (d Difference) String() string { return d.Location + ": " + d.Text }

// inFile adds the name of the file to the locations.
func inFile(file string, list []Difference) []Difference {
	for i, d := range list {
		list[i].Location = strings.TrimSuffix(file+": "+d.Location, ": ")
	}
	return list
}

// missing is the difference for a file, array or key that only one of the results has.
func missing(location string, inOld bool) Difference {
	if inOld {
		return Difference{location, "is in the old results only"}
	}
	return Difference{location, "is in the new results only"}
}

// changed is the difference of two values.
func changed(location string, before, after any) Difference {
	return Difference{location, fmt.Sprintf("%v, then %v", before, after)}
}
