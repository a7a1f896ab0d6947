package tsunami

import (
	"compress/gzip"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

//go:embed data
var data embed.FS

// measured is a table of data by column name; NaN where a number is missing.
type measured map[string][]float64

func read(name string) (measured, error) {
	f, err := data.Open("data/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := measured{}
	for k, column := range rows[0] {
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[k], 64)
			if row[k] == "" {
				v = math.NaN()
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			m[column] = append(m[column], v)
		}
	}
	return m, nil
}

// where returns the rows in which a column has a value.
func (m measured) where(column string, value float64) measured {
	out := measured{}
	for i, v := range m[column] {
		if v == value {
			for name := range m {
				out[name] = append(out[name], m[name][i])
			}
		}
	}
	return out
}

// readValley returns the bathymetry of Monai valley: depths in m.
func readValley() (*raster.Grid, error) {
	const name = "bp7-bathymetry.asc.gz"
	f, err := data.Open("data/" + name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return raster.Decode(text, name)
}
