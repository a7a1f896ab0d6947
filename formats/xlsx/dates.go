package xlsx

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Days from 1970 to the days from which workbooks count. That of 1900 counts a 29 February 1900, which there was not.
const (
	daysTo1900 = -25569
	daysTo1904 = -24107
	leapDay    = 60 // of 1900
)

// readStyles reads which styles of cells are dates.
func (x *Reader) readStyles() error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := x.decode("xl/styles.xml", true, &styles); err != nil {
		return err
	}
	for _, c := range styles.Cells {
		isDate := c.Format >= 14 && c.Format <= 17 || c.Format == 22 // of Excel; 18 to 21 are times of day
		for _, f := range styles.Formats {
			if f.ID == c.Format {
				isDate = codeOfDate(f.Code)
			}
		}
		x.dates = append(x.dates, isDate)
	}
	return nil
}

// codeOfDate reports whether a format, such as yyyy-mm-dd hh:mm, shows a date: a year or a day.
func codeOfDate(code string) bool {
	var letters strings.Builder
	code = strings.ToLower(code)
	for k := 0; k < len(code); k++ {
		switch code[k] {
		case '"': // literal text
			for k++; k < len(code) && code[k] != '"'; k++ {
			}
		case '[': // a colour, a condition, a language, or elapsed time
			for k++; k < len(code) && code[k] != ']'; k++ {
			}
		case '\\', '_', '*': // before a literal
			k++
		case ';': // before the format of negative numbers
			k = len(code)
		default:
			letters.WriteByte(code[k])
		}
	}
	text := strings.ReplaceAll(letters.String(), "general", "")
	return slices.ContainsFunc([]string{"y", "d"}, func(s string) bool { return strings.Contains(text, s) })
}

// date returns a date in ISO 8601. The value is in days; it is rounded to ms, of which it holds no fraction.
func (x *Reader) date(value string) (string, error) {
	days, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(days >= 0 && days < 2958466) { // the year 10,000
		return "", fmt.Errorf("%.40q is not the number of a date", value)
	}
	if x.epoch == daysTo1900 && days < leapDay {
		days++
	}
	ms := int64(math.Round((days + x.epoch) * 86400e3))
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.999"), nil
}
