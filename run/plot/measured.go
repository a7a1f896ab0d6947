package plot

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/formats/series"
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
	names, list, err := readMeasured(path, caseTime)
	if err != nil {
		return nil, err
	}
	found := map[string]*measurements{}
	for k, name := range names {
		switch {
		case slices.Contains(columns, name):
			found[name] = list[k]
		case name == gauge || len(names) == 1:
			found[columns[0]] = list[k]
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

// readMeasured reads the columns of a file after the first, which is the time. Rows without a value are left out.
func readMeasured(path string, caseTime config.Time) (names []string, list []*measurements, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("measured: %w", err)
	}
	defer file.Close()
	columns, err := series.Decode(file, path, nil, caseTime.Seconds)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range columns {
		m := &measurements{}
		for _, r := range c.Rows {
			if chart.IsFinite(r.Value) {
				m.t, m.values = append(m.t, r.T), append(m.values, r.Value)
			}
		}
		names, list = append(names, c.Name), append(list, m)
	}
	return names, list, nil
}
