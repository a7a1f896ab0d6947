package plot

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/plot/chart"
)

// measurements is a time series that an instrument has measured at a gauge.
type measurements struct{ t, values []float64 }

// measurementsAt reads measurements for the columns of a gauge, and returns them by column. They come from the table
// that the user names, else from the run's copy of the one that its case names. A column of the table belongs to the
// column of the gauge with the same name. A column with the name of the gauge, or the only one in the table, belongs to
// the first column.
func (r *runner) measurementsAt(gauge string, columns []string) (map[string]*measurements, error) {
	path, caseTime := cmp.Or(r.options.Measured, r.measuredCopy(gauge)), config.Time{}
	if path == "" || len(columns) == 0 {
		return nil, nil
	}
	if r.runCase != nil {
		caseTime = r.runCase.Time
	}
	names, series, err := readMeasured(path, caseTime)
	if err != nil {
		return nil, err
	}
	found := map[string]*measurements{}
	for k, name := range names {
		switch {
		case slices.Contains(columns, name):
			found[name] = series[k]
		case name == gauge || len(names) == 1:
			found[columns[0]] = series[k]
		}
	}
	if len(found) == 0 && r.options.Measured != "" && len(r.options.Gauges) > 0 {
		return nil, fmt.Errorf("%s: no column is named %s or %s; there are %s", path, gauge, strings.Join(columns, ", "),
			strings.Join(names, ", "))
	}
	return found, nil
}

// measuredCopy returns the path of the run's copy of the measurements at a gauge; "" for none.
func (r *runner) measuredCopy(gauge string) string {
	path := filepath.Join(r.dir, "measured", gauge+".csv")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func readMeasured(path string, caseTime config.Time) (names []string, series []*measurements, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("measured: %w", err)
	}
	defer file.Close()
	if names, series, err = parseMeasured(file, caseTime); err != nil {
		return nil, nil, fmt.Errorf("%s:%w", path, err)
	}
	return names, series, nil
}

// parseMeasured reads a table. Its header names the columns; the first column is the time, increasing, in s or as a
// date. Empty values and NaN mean that there is no measurement. Errors start with the line number.
func parseMeasured(in io.Reader, caseTime config.Time) (names []string, series []*measurements, err error) {
	r := csv.NewReader(in)
	r.Comment, r.TrimLeadingSpace, r.ReuseRecord = '#', true, true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil, errors.New(" the file is empty; want a header line with column names")
	}
	if err != nil {
		return nil, nil, fmt.Errorf(" %w", err)
	}
	if len(header) < 2 {
		return nil, nil, errors.New("1: want a column for the time and at least one for values, separated by commas")
	}
	for _, name := range header[1:] {
		names, series = append(names, strings.TrimSpace(strings.Clone(name))), append(series, &measurements{})
	}
	last, rows := 0.0, 0
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf(" %w", err)
		}
		line, _ := r.FieldPos(0)
		word := strings.TrimSpace(record[0])
		t, err := strconv.ParseFloat(word, 64)
		if err != nil {
			if t, err = caseTime.Seconds(word); err != nil {
				return nil, nil, fmt.Errorf("%d: the time %w", line, err)
			}
		}
		if rows > 0 && !(t > last) {
			return nil, nil, fmt.Errorf("%d: time %g s does not come after %g s", line, t, last)
		}
		last, rows = t, rows+1
		for k, word := range record[1:] {
			word = strings.TrimSpace(word)
			v, err := strconv.ParseFloat(word, 64)
			if err != nil && word != "" {
				return nil, nil, fmt.Errorf("%d: column %q: %.40q is not a number", line, names[k], word)
			}
			if word != "" && chart.IsFinite(v) {
				series[k].t, series[k].values = append(series[k].t, t), append(series[k].values, v)
			}
		}
	}
	if rows == 0 {
		return nil, nil, errors.New(" the file has a header line, but no rows")
	}
	return names, series, nil
}
