package xlsx

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
		<Relationship Id="r1" Type="http://a/worksheet" Target="worksheets/sheet1.xml"/>
		<Relationship Id="r2" Type="http://a/worksheet" Target="/xl/other.xml"/>
		<Relationship Id="r3" Type="http://a/chartsheet" Target="chart.xml"/></Relationships>`
	book = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
		xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>
		<sheet name="Flow" r:id="r1"/><sheet name="Notes" r:id="r2"/><sheet name="Plot" r:id="r3"/></sheets></workbook>`
	styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-F800]dddd\,\ mmmm\ dd"/>
		<numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts>
		<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>
		</cellXfs></styleSheet>`
	shared = `<sst><si><t>t</t></si><si><r><t>fl</t></r><r><rPr/><t xml:space="preserve">ow </t></r></si></sst>`
)

func sheet(rows string) string { return "<worksheet><sheetData>" + rows + "</sheetData></worksheet>" }

// workbook returns a workbook with the given cells of its first sheet, and parts that replace others.
func workbook(t testing.TB, rows string, parts map[string]string) *bytes.Reader {
	t.Helper()
	all := map[string]string{"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, "xl/styles.xml": styles,
		"xl/sharedStrings.xml": shared, "xl/worksheets/sheet1.xml": sheet(rows),
		"xl/other.xml": sheet(`<row><c t="inlineStr"><is><t>here</t></is></c></row>`)}
	maps.Copy(all, parts)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] == "" {
			continue
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, all[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// read returns the rows of a sheet, each with its number, as lines of texts.
func read(r *bytes.Reader, sheet string) (string, error) {
	x, err := Open(r, r.Size(), sheet)
	if err != nil {
		return "", err
	}
	defer x.Close()
	text, lines := "", 1
	for {
		fields, line, err := x.Next()
		if err == io.EOF {
			return text, nil
		}
		if err != nil {
			return text, err
		}
		for ; lines < line; lines++ {
			text += "\n"
		}
		text += strings.Join(fields, "|")
	}
}

// TestRows: cells of all types, with and without addresses, in the order of their columns.
func TestRows(t *testing.T) {
	for rows, want := range map[string]string{
		`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
		 <row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2.7E-2</v></c></row>`: "t|flow\n1|2.7E-2",
		`<row><c t="s"><v>1</v></c><c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c></row>
		 <row><c/><c><v>3</v></c></row>`: "flow|ab\n|3",
		`<row r="2"><c r="C2"><v>1</v></c></row><row r="3"/>
		 <row r="5"><c r="AA5"><f>1+1</f><v>2</v></c><c r="AB5" t="str"><v/></c></row>`: "\n||1\n\n\n" +
			strings.Repeat("|", 26) + "2",
		`<row><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2015-12-05</v></c></row>`: "1|#N/A|2015-12-05",
		`<row><c s="1"><v>42343.75</v></c></row>`:                                                "2015-12-05T18:00:00",
		`<row><c s="2"><v>42343</v></c></row>`:                                                   "2015-12-05T00:00:00",
		`<row><c s="1"><v>42343.020833333336</v></c><c s="1"/></row>`:                            "2015-12-05T00:30:00",
		`<row><c s="1"><v>61</v></c></row>`:                                                      "1900-03-01T00:00:00",
		`<row><c s="1"><v>59</v></c></row>`:                                                      "1900-02-28T00:00:00",
		`<row><c s="3"><v>1.5</v></c><c s="4"><v>.5</v></c></row>`:                               "1.5|.5",
		`<row><c s="9"><v>3</v></c><c s="-1"><v>4</v></c></row>`:                                 "3|4",
		``: "",
	} {
		if got, err := read(workbook(t, rows, nil), "Flow"); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", rows, got, err, want)
		}
	}
}

// TestBooks: the sheet of a name, the only sheet, days from 1904, parts that may be absent.
func TestBooks(t *testing.T) {
	one := strings.Replace(book, `<sheet name="Notes" r:id="r2"/><sheet name="Plot" r:id="r3"/>`, "", 1)
	strict := strings.Replace(one, "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
		"http://purl.oclc.org/ooxml/officeDocument/relationships", 1)
	macintosh := strings.Replace(one, "<sheets>", `<workbookPr date1904="1"/><sheets>`, 1)
	const rows = `<row><c s="1"><v>40881</v></c></row>`
	for _, c := range []struct {
		sheet, want string
		parts       map[string]string
	}{
		{"Notes", "here", nil},
		{"Flow", "2011-12-04T00:00:00", nil},
		{"", "2011-12-04T00:00:00", map[string]string{"xl/workbook.xml": one}},
		{"", "2011-12-04T00:00:00", map[string]string{"xl/workbook.xml": strict}},
		{"", "2015-12-05T00:00:00", map[string]string{"xl/workbook.xml": macintosh}},
		{"Flow", "40881", map[string]string{"xl/styles.xml": "", "xl/sharedStrings.xml": ""}},
	} {
		if got, err := read(workbook(t, rows, c.parts), c.sheet); err != nil || got != c.want {
			t.Errorf("%v: %q, %v", c, got, err)
		}
	}
}

// TestRefused: what cannot be read is an error that says why.
func TestRefused(t *testing.T) {
	with := func(part, text string) map[string]string { return map[string]string{"xl/" + part: text} }
	for _, c := range []struct {
		want, sheet, rows string
		parts             map[string]string
	}{
		{`3 sheets: set sheet to one of ["Flow" "Notes" "Plot"]`, "", "", nil},
		{`no sheet "flow": want one of ["Flow"`, "flow", "", nil},
		{`sheet "Plot" has no cells`, "Plot", "", nil},
		{"not a workbook of Excel", "Flow", "", with("workbook.xml", "")},
		{"damaged: xl/workbook.xml", "Flow", "", with("workbook.xml", "<workbook>")},
		{`sheet "Flow" has no part`, "Flow", "", with("_rels/workbook.xml.rels", "<Relationships/>")},
		{"damaged: xl/sharedStrings.xml", "Flow", "", with("sharedStrings.xml", "<sst><si>")},
		{"damaged: XML", "Flow", "<row", nil},
		{"text number", "Flow", `<row><c r="A1" t="s"><v>2</v></c></row>`, nil},
		{"cell B1: the workbook is damaged: text number", "Flow", `<row><c r="B1" t="s"><v>-1</v></c></row>`, nil},
		{"has the address", "Flow", `<row><c r="a1"><v>2</v></c></row>`, nil},
		{"more than 16384 columns", "Flow", `<row><c r="XFE1"><v>2</v></c></row>`, nil},
		{"of a date", "Flow", `<row><c r="A1" s="1"><v>-5</v></c></row>`, nil},
		{"of a date", "Flow", `<row><c r="A1" s="1"><v>12/5</v></c></row>`, nil},
	} {
		if _, err := read(workbook(t, c.rows, c.parts), c.sheet); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
	whole := workbook(t, "", nil)
	half := make([]byte, whole.Size()/2)
	_, _ = whole.Read(half)
	if _, err := read(bytes.NewReader(half), "Flow"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

// TestOtherProgram reads a workbook that openpyxl 3.1 wrote.
func TestOtherProgram(t *testing.T) {
	data, err := os.ReadFile("testdata/openpyxl.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	const want = "date|level [m]|comment\n2015-12-05T18:00:00|1.25|start\n2015-12-05T18:30:00|1.5\n" +
		"2015-12-05T19:00:00||no value"
	if got, err := read(bytes.NewReader(data), "gauge"); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzRows(f *testing.F) {
	f.Add(`<row r="2"><c r="C2" t="s" s="1"><v>1</v></c><c><is><t>a</t></is></c></row>`, shared, styles)
	f.Fuzz(func(t *testing.T, rows, shared, styles string) {
		r := workbook(t, rows, map[string]string{"xl/sharedStrings.xml": shared, "xl/styles.xml": styles})
		_, _ = read(r, "Flow")
	})
}
