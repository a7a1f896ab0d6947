package timefield

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/dates"
)

// record is a raster of a list.
type record struct {
	time float64
	file string
}

// isPattern reports whether a list is a pattern of the names of rasters.
func isPattern(list string) bool { return strings.Contains(list, "%") }

// readPattern finds the rasters whose names have their date: those of a folder that match a pattern such as
// rain_%Y%m%d%H%M.tif, in UTC; of those before and after the run, the two next to it.
func (f *Field) readPattern() error {
	pattern := f.from.List
	form, err := nameForm(pattern)
	if err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	dir := filepath.Dir(pattern)
	folder := dir
	if !filepath.IsAbs(dir) {
		folder = filepath.Join(f.c.Dir(), dir)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var found []record
	for _, e := range entries {
		part := form.FindStringSubmatch(e.Name())
		if part == nil {
			continue
		}
		digits := map[string]string{"H": "00", "M": "00", "S": "00"}
		for k, name := range form.SubexpNames() {
			if name != "" {
				digits[name] = part[k]
			}
		}
		path := filepath.Join(dir, e.Name())
		date, err := dates.Parse(fmt.Sprintf("%s-%s-%sT%s:%s:%sZ", digits["Y"], digits["m"], digits["d"], digits["H"],
			digits["M"], digits["S"]))
		if err != nil {
			return fmt.Errorf("%s: by %s: %w", path, filepath.Base(pattern), err)
		}
		seconds, err := f.c.Time.Seconds(date)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		found = append(found, record{seconds, path})
	}
	slices.SortFunc(found, func(a, b record) int { return cmp.Compare(a.time, b.time) })
	if len(found) == 0 {
		return fmt.Errorf("%s: no file of the folder has such a name", pattern)
	}
	first, end := 0, len(found)
	for first+2 < len(found) && found[first+2].time <= 0 {
		first++
	}
	for end-3 >= first && found[end-3].time >= f.c.Time.End {
		end--
	}
	for _, r := range found[first:end] { // of different dates, since a name follows from its date
		f.times, f.files = append(f.times, r.time), append(f.files, f.c.Path(r.file))
	}
	return nil
}

// nameForm returns the form of the names that match the last part of a pattern, with a group for each part of a date.
func nameForm(pattern string) (*regexp.Regexp, error) {
	dir, base := filepath.Split(pattern)
	if isPattern(dir) {
		return nil, errors.New("only the name of a file has its date, not that of its folder: list the rasters in a CSV file")
	}
	var form strings.Builder
	seen := map[byte]bool{}
	for rest := base; ; {
		text, after, more := strings.Cut(rest, "%")
		form.WriteString(regexp.QuoteMeta(text))
		if !more {
			break
		}
		if after == "" || !strings.Contains("YmdHMS", after[:1]) || seen[after[0]] {
			return nil, fmt.Errorf("after %% comes one of Y, m, d, H, M and S, each once: %q", base)
		}
		digits := 2
		if after[0] == 'Y' {
			digits = 4
		}
		fmt.Fprintf(&form, `(?P<%c>\d{%d})`, after[0], digits)
		seen[after[0]], rest = true, after[1:]
	}
	if !seen['Y'] || !seen['m'] || !seen['d'] {
		return nil, errors.New("a date needs %Y, %m and %d")
	}
	return regexp.Compile("^" + form.String() + "$")
}

// noteGaps adds a note if some intervals of a list are longer than most, as where rasters are absent.
func (f *Field) noteGaps(name string) {
	n := len(f.times) - 1
	lengths := make([]float64, n)
	for k := range lengths {
		lengths[k] = f.times[k+1] - f.times[k]
	}
	usual := slices.Clone(lengths)
	slices.Sort(usual)
	most := 1.5 * usual[n/2]
	count, first := 0, -1
	for k, length := range lengths {
		if length > most && f.times[k+1] > 0 && f.times[k] < f.c.Time.End {
			if count++; first < 0 {
				first = k
			}
		}
	}
	if count > 0 {
		f.c.Note(fmt.Sprintf("%s: %d of %d intervals are longer than the usual %g s, such as that from %g s to %g s: are "+
			"rasters absent? A value holds for the whole interval", name, count, n, usual[n/2], f.times[first],
			f.times[first+1]))
	}
}
