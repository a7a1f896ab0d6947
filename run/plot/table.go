package plot

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// table is a CSV file of numbers with a header line.
type table struct {
	names   []string
	columns [][]float64
}

// readTable reads a table. Errors name the file and the line.
func readTable(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := parseTable(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func parseTable(in io.Reader) (*table, error) {
	r := csv.NewReader(in)
	r.Comment = '#'
	r.TrimLeadingSpace = true
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; want a header line with column names")
	}
	if err != nil {
		return nil, err
	}
	t := &table{names: append([]string(nil), header...), columns: make([][]float64, len(header))}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		for i, word := range record {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				line, _ := r.FieldPos(i)
				return nil, fmt.Errorf("line %d: column %q: %.40q is not a number", line, t.names[i], word)
			}
			t.columns[i] = append(t.columns[i], v)
		}
	}
}

// times returns the column "t", which must not decrease, and its index.
func (t *table) times() ([]float64, int, error) {
	for i, name := range t.names {
		if name != "t" {
			continue
		}
		for k, v := range t.columns[i] {
			if !chart.IsFinite(v) || k > 0 && v < t.columns[i][k-1] {
				return nil, 0, fmt.Errorf("row %d has time %g, after %g in the row before",
					k+1, v, t.columns[i][max(k-1, 0)])
			}
		}
		if len(t.columns[i]) == 0 {
			return nil, 0, errors.New("the file has a header line, but no rows")
		}
		return t.columns[i], i, nil
	}
	return nil, 0, fmt.Errorf("no column \"t\" among %q", t.names)
}

// drift returns the change of a quantity since its first value, relative to that value unless it is zero, and the
// largest magnitude of the change.
func drift(values []float64) (change []float64, largest float64, relative bool) {
	change = make([]float64, len(values))
	first := math.Abs(values[0])
	relative = first > 0
	for i, v := range values {
		change[i] = v - values[0]
		if relative {
			change[i] /= first
		}
		largest = math.Max(largest, math.Abs(change[i]))
	}
	return change, largest, relative
}

// readTimeSeries reads a table and the times of its rows.
func readTimeSeries(path string) (*table, []float64, error) {
	t, err := readTable(path)
	if err != nil {
		return nil, nil, err
	}
	times, _, err := t.times()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, times, nil
}
