package epsg

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The text that GDAL 3 writes for systems of all kinds, in each of its formats, has the unit that EPSG gives, and the
// code where the format has one. testdata/systems.txt has lines of the code, the format and the text.
func TestTextOfGDAL(t *testing.T) {
	list, err := os.ReadFile("testdata/systems.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		code, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParsePRJ(words[2])
		wantCode := code
		if words[1] == "WKT1_ESRI" || code == 5972 { // the code of a compound system is not that of its first part
			wantCode = s.Code
		}
		if err != nil || s.Unit != Unit(code) && code != 5972 || s.Code != wantCode {
			t.Errorf("EPSG:%d, %s: %+v, %v, want %s", code, words[1], s, err, Unit(code))
		}
	}
}

// Other texts.
func TestParsePRJ(t *testing.T) {
	const (
		degree = `UNIT["degree",0.0174532925199433]`
		utm    = `PROJCS["p",UNIT["metre",1],AUTHORITY["EPSG","25832"]]`
	)
	for text, want := range map[string]System{
		"Projection    UTM\nZone 32\nDatum WGS84\nUnits   METERS\nParameters\n":            {Unit: "m"},
		"Projection    GEOGRAPHIC\r\nDatum WGS84\r\nUnits DD\r\n":                          {Unit: "degree"},
		"PROJECTION STATEPLANE\nUNITS FEET\n":                                              {Unit: "foot"},
		`PROJCS["a",GEOGCS["b",` + degree + `],UNIT["Foot_US",0.3048006]]`:                 {Unit: "US survey foot"},
		`PROJCS[ "a" , UNIT [ "kilometre" , 1000 ] , AUTHORITY [ "EPSG" , "7 " ] ]`:        {Unit: "km"},
		`LOCAL_CS["flume",UNIT["centimetre",0.01]]`:                                        {Unit: "centimetre"},
		"\ufeff" + `GEOGCS("a (b]",UNIT("degree",0.01745329252),AUTHORITY("EPSG","4258"))`: {Code: 4258, Unit: "degree"},
		`COMPD_CS["c",` + utm + `,VERT_CS["h",UNIT["foot",0.3048]]]`: {25832,
			"m", Height{Unit: "foot"}},
		`BOUNDCRS[SOURCECRS[PROJCRS["p",ID["EPSG",3034]]],TARGETCRS[GEOGCRS["g"]]]`: {Code: 3034, Unit: "m"},
		// vertical systems
		"Projection UTM\nZunits FEET\nUnits METERS\n":                               {0, "m", Height{Unit: "foot"}},
		"Projection UTM\nZunits NO\nUnits METERS\n":                                 {Unit: "m"},
		"Projection UTM\nZunits 10\nUnits METERS\n":                                 {0, "m", Height{Unit: "0.1 m"}},
		`PROJCS["p",UNIT["Meter",1.0]],VERTCS["n",UNIT["Foot",0.3048]]`:             {0, "m", Height{Unit: "foot"}},
		`PROJCS["p",UNIT["m",1]],VERTCS["n",PARAMETER["Direction",-1],UNIT["m",1]]`: {0, "m", Height{"m", true}},
		`COMPOUNDCRS["c",PROJCRS["p",ID["EPSG",3034]],VERTCRS["v",AXIS["depth (D)",down,LENGTHUNIT["metre",1]]]]`: {3034,
			"m", Height{"m", true}},
		`COMPD_CS["c",` + utm + `,VERT_CS["h",UNIT["metre",1],AXIS["Height",UP]]]`: {25832, "m", Height{Unit: "m"}},
	} {
		if got, err := ParsePRJ(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "hello", "PROJCS[", `PROJCS["a`, `VERT_CS["h",UNIT["m",1]]`, "[", "a(((((b", "x[]]",
		strings.Repeat("A[", 100), "EPSG:25832", "+proj=utm +zone=32"} {
		if s, err := ParsePRJ(text); err == nil {
			t.Errorf("%.20q: %+v instead of an error", text, s)
		}
	}
}

func FuzzParsePRJ(f *testing.F) {
	f.Add(`PROJCS["a",GEOGCS["b",UNIT["Degree",0.0174532925199433]],UNIT["Foot_US",0.3048006]]`)
	f.Add("Projection    UTM\nUnits   METERS\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParsePRJ(text); err == nil && s.Code < 0 {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
