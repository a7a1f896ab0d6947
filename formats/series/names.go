package series

import (
	"fmt"
	"os"
	"strings"
)

// Named is a time in s and a text, such as the name of a file.
type Named struct {
	T    float64
	Text string
}

// ReadNames reads the times and the texts of the first two columns of a text file, or of a sheet. Times are as in
// Decode.
func ReadNames(from Table, toSeconds Dates) (list []Named, err error) {
	f, err := os.Open(from.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := from.open(f, "s")
	if err != nil {
		return nil, err
	}
	err = t.eachRow(func(record []string) (err error) {
		row := Named{Text: strings.Clone(record[1])} // rows reuse the memory
		if row.T, err = t.time(record[0], toSeconds); err != nil {
			return err
		}
		switch n := len(list); {
		case row.Text == "":
			return fmt.Errorf("the row has no text in the column %q", t.titles[1].text)
		case n > 0 && row.T <= list[n-1].T:
			return fmt.Errorf("time %g s follows %g s: want increasing times", row.T, list[n-1].T)
		case n == MaxRows:
			return fmt.Errorf("more than %d rows", MaxRows)
		}
		list = append(list, row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there is no row below the titles", t.name)
	}
	return list, nil
}
