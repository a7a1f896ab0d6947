package tables

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/run/recorder"
)

// timeTable is a time series of some values as a CSV file. Only one rank has the file; the others know when rows are
// due, because reading values is collective.
type timeTable struct {
	file string // path in the folder of the run
	rows *rows  // nil on ranks without the file
	row  []byte
}

// open creates the file on this rank, or continues it from a checkpoint.
func (t *timeTable) open(run *recorder.Run, columns []string, from *recorder.Position) error {
	if err := atomicfile.MakeFolder(filepath.Dir(run.Path(t.file))); err != nil {
		return err
	}
	length := from.TableLength(t.file)
	var err error
	if t.rows, err = openRows(run.Fence, t.file, length); err != nil || length > 0 {
		return err
	}
	t.row = append(t.row, "t,"+strings.Join(columns, ",")+"\n"...)
	return t.rows.add(t.row)
}

// add adds a row.
func (t *timeTable) add(time float64, values []float64) error {
	t.row = strconv.AppendFloat(t.row[:0], time, 'g', -1, 64)
	for _, v := range values {
		t.row = append(t.row, ',')
		t.row = strconv.AppendFloat(t.row, v, 'g', -1, 64)
	}
	t.row = append(t.row, '\n')
	return t.rows.add(t.row)
}

// readTable reads a table of the folder of a run. It returns rows by their time.
func readTable(path string, columns int) (map[float64][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = columns
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	table := map[float64][]float64{}
	for k, row := range rows[min(1, len(rows)):] {
		numbers := make([]float64, columns)
		for i, text := range row {
			if numbers[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, k+2, err)
			}
		}
		table[numbers[0]] = numbers[1:]
	}
	return table, nil
}

// sortedTimes returns the times of a table in order.
func sortedTimes(table map[float64][]float64) []float64 { return slices.Sorted(maps.Keys(table)) }

// noteSeldom notes an interval between rows of a table that is longer than the run.
func noteSeldom(c *config.Case, section, name string, every float64) {
	if every > c.Time.End && c.Time.End > 0 {
		c.Note(fmt.Sprintf("[[%s]] %s: every is %g s, and the run ends after %g s: only one row is written", section, name,
			every, c.Time.End))
	}
}

// byInterval divides n tables into groups of those with the same interval, in the order of their first.
func byInterval(n int, every func(i int) float64) (intervals []float64, groups [][]int) {
	for i := range n {
		k := slices.Index(intervals, every(i))
		if k < 0 {
			k = len(intervals)
			intervals, groups = append(intervals, every(i)), append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return intervals, groups
}

// groupName names the recorder of a group of tables in a folder, in checkpoints.
func groupName(folder string, every float64) string {
	return path.Join(folder, strconv.FormatFloat(every, 'g', -1, 64))
}
