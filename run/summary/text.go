package summary

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/internal/words"
)

// Text returns the summary for people: a few lines with aligned columns.
func (s *Summary) Text() string {
	unit := cmp.Or(s.Unit, "cell")
	rows := [][2]string{
		{"case", fmt.Sprintf("%s: %s, %s, %s", s.Case, s.Solver, words.Count(int(s.Cells), unit), s.Precision)},
		{"ran on", fmt.Sprintf("%s by %s, %s, %s", words.Count(s.Ranks, "rank"), s.communication(), s.Backend,
			words.Count(s.Threads, "thread"))},
		{"simulated", fmt.Sprintf("%.6g s in %s", s.Time, words.Count(int(s.Steps), "step"))},
		{"took", fmt.Sprintf("%s, %.4g million %s updates a second", elapsed(s.Wall), s.UpdatesPerS/1e6, unit)},
	}
	if s.Time == 0 && s.Steps > 0 {
		rows[2] = [2]string{"swept", words.Count(int(s.Steps), "time")}
	}
	if s.ArrayBytes > 0 {
		rows = append(rows, [2]string{"memory", s.memory()})
	}
	if s.Stopped != "" {
		rows = append(rows, [2]string{"stopped by", s.Stopped})
	}
	if phases := s.phases(); phases != "" {
		rows = append(rows, [2]string{"phases", phases})
	}
	if len(s.Imbalance) > 0 {
		rows = append(rows, [2]string{"imbalance", s.imbalance()})
	}
	if p := s.Processor; p != nil {
		rows = append(rows, [2]string{"processor time", fmt.Sprintf("%s of the rank with most, %s in the mean; with equal "+
			"work a step would take %.0f%% of its time", elapsed(p.Most), elapsed(p.Mean), 100*p.Mean/p.Most)})
	}
	if s.Balance != nil {
		rows = append(rows, [2]string{"balance", s.balance()})
	}
	if len(s.Conservation) > 0 {
		rows = append(rows, [2]string{"kept", s.kept()})
	}
	rows = append(rows, s.metrics()...)
	if s.StateSHA256 != "" {
		rows = append(rows, [2]string{"state", s.StateSHA256})
	}
	if s.FMA {
		rows = append(rows, [2]string{"note", "this binary fuses x*y + z: its last bits differ from those of the " +
			"reference build"})
	}
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s  %s\n", width, row[0], row[1])
	}
	return b.String()
}

// kept tells how well each conserved quantity is kept, relative to its amount at the start: to rounding in most
// solvers, to some percent in those that follow a surface.
func (s *Summary) kept() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Conservation)) {
		switch change := math.Abs(s.Conservation[name]); {
		case change == 0:
			all = append(all, name+" exactly")
		case change < 1e-6:
			all = append(all, fmt.Sprintf("%s to %.0e", name, change))
		default:
			all = append(all, fmt.Sprintf("%s to %.2g%%", name, 100*change))
		}
	}
	return strings.Join(all, ", ")
}

// metrics returns the name of each metric, and its value, unit and meaning in aligned columns. Those that are 0 come
// last, by their names alone: many are of what the case does not have.
func (s *Summary) metrics() (rows [][2]string) {
	width := 0
	var zero []string
	for _, name := range slices.Sorted(maps.Keys(s.Metrics)) {
		if s.Metrics[name] == 0 {
			zero = append(zero, name)
			continue
		}
		value := strings.TrimSuffix(fmt.Sprintf("%.8g %s", s.Metrics[name], s.Meanings[name].Unit), " ")
		rows = append(rows, [2]string{name, value})
		width = max(width, utf8.RuneCountInString(value))
	}
	for k := range rows {
		if m := s.Meanings[rows[k][0]]; m.Doc != "" {
			rows[k][1] = fmt.Sprintf("%-*s  %s", width, rows[k][1], m.Doc)
		}
	}
	title := "zero"
	for _, line := range listed(zero, 100) {
		rows = append(rows, [2]string{title, line})
		title = ""
	}
	return rows
}

// listed joins words with commas, in lines of about a width.
func listed(words []string, width int) (lines []string) {
	line := ""
	for k, word := range words {
		if k < len(words)-1 {
			word += ","
		}
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// communication describes how ranks communicate.
func (s *Summary) communication() string {
	switch {
	case s.Ranks > 1 && s.Halo == "nccl":
		return s.Transport + " and NCCL"
	case s.Ranks > 1 && s.Halo == "p2p":
		return s.Transport + " and peer access between GPUs"
	}
	return s.Transport
}

// memory describes the memory of arrays and of devices with separate memory.
func (s *Summary) memory() string {
	text := fmt.Sprintf("at most %s of arrays on a rank", words.Bytes(s.ArrayBytes))
	if f := s.Estimate; f != nil && f.ArrayBytes > 0 {
		text += fmt.Sprintf(", estimated %s", words.Bytes(f.ArrayBytes))
	}
	if s.DeviceBytes > 0 {
		text += fmt.Sprintf("; at most %s on all devices", words.Bytes(s.DeviceBytes))
	}
	if s.CopyBytes > 0 {
		text += fmt.Sprintf(", and %s of copies for output", words.Bytes(s.CopyBytes))
	}
	return text
}

// phases returns the seconds of each phase, the longest first.
func (s *Summary) phases() string {
	names := slices.Sorted(maps.Keys(s.Phases))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.Phases[b], s.Phases[a]) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s", name, elapsed(s.Phases[name]))
	}
	return strings.Join(names, ", ")
}

// balance tells what moving work has done.
func (s *Summary) balance() string {
	b := s.Balance
	if b.Moves == 0 {
		return fmt.Sprintf("blocks have not moved; counted work of a rank %.0f%% of the most", 100*b.Share)
	}
	return fmt.Sprintf("blocks have moved %s, in %s, which raised the counted work of a rank from %.0f%% of the most to "+
		"%.0f%%; over all steps it was %.0f%%", words.Count(b.Moves, "time"),
		elapsed(b.Wall), 100*b.Before, 100*b.After, 100*b.Share)
}

// imbalance lists, for each space, the entities of the rank that owns the most, divided by the mean over ranks.
func (s *Summary) imbalance() string {
	names := slices.Sorted(maps.Keys(s.Imbalance))
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %.3g", name, s.Imbalance[name])
	}
	return strings.Join(names, ", ") + " (fullest rank / mean)"
}

func elapsed(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.3g s", seconds)
	}
	return time.Duration(seconds * 1e9).Round(time.Second).String()
}
