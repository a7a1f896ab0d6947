package tables

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/run/folder"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestTitlesOfConservation: names of columns with commas, quotes and line ends do not break the table.
func TestTitlesOfConservation(t *testing.T) {
	names := []string{"mass", "mass_from_in,flow", `mass_from_"a"`, "mass_from_a b", "mass_from_a\nb", "mass_from_ é;"}
	table := make([]solvers.Quantity, 0, len(names)+1)
	for i, name := range names {
		table = append(table, solvers.Quantity{Name: name, Outputs: solvers.Column, Value: float64(i)})
	}
	table = append(table, solvers.Quantity{Name: "no column"})
	dir := t.TempDir()
	rows, err := openRows(folder.Fence{Dir: dir}, ConservationFile, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := conservationTable{rows: rows}
	for range 2 {
		if err := c.writeRow(solvers.Clock{}, table); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, ConservationFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 3 || !slices.Equal(lines[0], append([]string{"step", "t", "dt"}, names...)) ||
		!slices.Equal(lines[2], []string{"0", "0", "0", "0", "1", "2", "3", "4", "5"}) {
		t.Errorf("%v: %q", err, lines)
	}
}
