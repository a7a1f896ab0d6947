package tide

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// moments are 2024-03-10 06:00, when the moon's node was near the equinox, 2011-07-01 00:00 and 1992-10-05 17:30, in
// days after 2000-01-01 12:00.
var moments = [3]float64{8834.75, 4198.5, -2643 - 18.5/24}

// arguments are the speeds in degrees an hour, and the arguments in degrees at the moments, that UTide 0.4.0 for Python
// computes (function FUV, from the mean longitudes of the Explanatory Supplement to the Astronomical Almanac).
var arguments = []struct {
	name  string
	speed float64
	v     [3]float64
}{
	{"SSA", 0.0821373, [3]float64{336.828, 197.413, 29.280}},
	{"MM", 0.5443746, [3]float64{0.910, 268.336, 154.116}},
	{"MF", 1.0980330, [3]float64{336.970, 198.833, 245.887}},
	{"2Q1", 12.8542863, [3]float64{9.624, 353.201, 173.022}},
	{"SIG1", 12.9271398, [3]float64{11.302, 168.452, 264.647}},
	{"Q1", 13.3986609, [3]float64{10.534, 261.537, 327.138}},
	{"RHO1", 13.4715145, [3]float64{12.212, 76.788, 58.762}},
	{"O1", 13.9430356, [3]float64{11.444, 169.873, 121.253}},
	{"P1", 14.9589314, [3]float64{11.586, 171.294, 337.860}},
	{"K1", 15.0410686, [3]float64{168.414, 188.706, 187.140}},
	{"J1", 15.5854433, [3]float64{169.324, 97.042, 341.256}},
	{"OO1", 16.1391017, [3]float64{145.383, 27.540, 73.027}},
	{"2N2", 27.8953549, [3]float64{178.038, 181.907, 0.162}},
	{"MU2", 27.9682085, [3]float64{179.716, 357.158, 91.787}},
	{"N2", 28.4397296, [3]float64{178.948, 90.243, 154.278}},
	{"NU2", 28.5125831, [3]float64{180.626, 265.494, 245.902}},
	{"M2", 28.9841043, [3]float64{179.858, 358.579, 308.393}},
	{"LDA2", 29.4556253, [3]float64{359.090, 271.664, 190.884}},
	{"L2", 29.5284789, [3]float64{0.768, 86.915, 282.509}},
	{"T2", 29.9589333, [3]float64{114.943, 184.432, 253.176}},
	{"S2", 30.0000000, [3]float64{180.000, 0.000, 165.000}},
	{"R2", 30.0410667, [3]float64{65.057, 355.568, 256.824}},
	{"K2", 30.0821373, [3]float64{156.828, 197.413, 194.280}},
	{"2SM2", 31.0158958, [3]float64{180.142, 1.421, 21.607}},
	{"M3", 43.4761564, [3]float64{89.787, 177.869, 282.590}},
	{"MK3", 44.0251729, [3]float64{348.272, 187.286, 135.534}},
	{"N4", 56.8794591, [3]float64{357.896, 180.487, 308.555}},
	{"MN4", 57.4238338, [3]float64{358.806, 88.822, 102.671}},
	{"M4", 57.9682085, [3]float64{359.716, 357.158, 256.787}},
	{"MS4", 58.9841042, [3]float64{359.858, 358.579, 113.393}},
	{"S4", 60.0000000, [3]float64{0.000, 0.000, 330.000}},
	{"M6", 86.9523127, [3]float64{179.575, 355.738, 205.180}},
	{"2MS6", 87.9682085, [3]float64{179.716, 357.158, 61.787}},
	{"M8", 115.9364170, [3]float64{359.433, 354.317, 153.573}},
}

// difference returns the difference of angles in degrees, from -180 to 180.
func difference(a, b float64) float64 { return math.Remainder(a-b, 360) }

// TestArguments: arguments and speeds are those of another program. Its polynomials are older, of E. W. Brown.
func TestArguments(t *testing.T) {
	for _, want := range arguments {
		c := find(want.name)
		if c == nil {
			t.Errorf("%s is not known", want.name)
			continue
		}
		for k, moment := range moments {
			a := skyAt(moment)
			v, rate := c.argumentAt(&a)
			if math.Abs(difference(v, want.v[k])) > .011 || math.Abs(rate/24-want.speed) > 2e-7 {
				t.Errorf("%s, moment %d: argument %.3f, speed %.7f, want %.3f, %.7f", want.name, k, math.Mod(v, 360), rate/24,
					want.v[k], want.speed)
			}
		}
	}
}

// TestModulationsOfAnotherProgram: amplitudes and phases are modulated as by UTide (at latitude 50), which adds up
// waves of nearly the same speed from the potential, with parts that differ from place to place.
func TestModulationsOfAnotherProgram(t *testing.T) {
	for _, want := range []struct {
		name string
		f, u [3]float64
	}{
		{"O1", [3]float64{1.1706, 0.9960, 1.0014}, [3]float64{2.82, -11.24, -10.69}},
		{"K1", [3]float64{1.1094, 1.0001, 1.0048}, [3]float64{-2.32, 8.95, 8.93}},
		{"N2", [3]float64{0.9633, 1.0080, 1.0054}, [3]float64{-0.88, 2.02, 2.33}},
		{"M2", [3]float64{0.9652, 1.0049, 1.0041}, [3]float64{-0.83, 2.27, 2.25}},
		{"L2", [3]float64{0.6773, 0.8537, 0.8203}, [3]float64{15.51, -10.08, 13.02}},
		{"K2", [3]float64{1.3053, 0.9812, 0.9894}, [3]float64{-5.09, 18.10, 18.12}},
		{"M3", [3]float64{0.9463, 1.0087, 1.0064}, [3]float64{-1.01, 3.18, 3.20}},
		{"M4", [3]float64{0.9317, 1.0099, 1.0083}, [3]float64{-1.66, 4.55, 4.50}},
	} {
		for k, moment := range moments {
			a := skyAt(moment)
			f, u := find(want.name).modulationAt(&a)
			if math.Abs(f-want.f[k]) > .009 || math.Abs(difference(u, want.u[k])) > .6 {
				t.Errorf("%s, moment %d: f = %.4f, u = %.2f, want %.4f, %.2f", want.name, k, f, u, want.f[k], want.u[k])
			}
		}
	}
}

// TestModulationsFollowTheOrbit: the sums of cosines and sines are those of the formulas of Schureman (1958) over the
// inclination I of the moon's orbit to the equator, and the arcs ν and ξ, whose equations are in his paragraphs 22 to
// 25. Numbers in parentheses are those of his formulas.
func TestModulationsFollowTheOrbit(t *testing.T) {
	for longitude := -175.; longitude <= 175; longitude += 10 {
		n := longitude * degree
		i := math.Acos(.9137 - .03569*math.Cos(n))
		sum, less := 2*math.Atan(1.01883*math.Tan(n/2)), 2*math.Atan(.64412*math.Tan(n/2)) // N-ξ+ν, N-ξ-ν
		nu, xi := (sum-less)/2, n-(sum+less)/2
		square := func(x float64) float64 { return x * x }
		sin, sin2, half := math.Sin(i), math.Sin(2*i), math.Cos(i/2)
		for name, want := range map[string][2]float64{
			"Mm":  {(2./3 - sin*sin) / .5021, 0},                     // (73)
			"Mf":  {sin * sin / .1578, -2 * xi},                      // (74)
			"O1":  {sin * square(half) / .38, 2*xi - nu},             // (75)
			"J1":  {sin2 / .7214, -nu},                               // (76)
			"OO1": {sin * square(math.Sin(i/2)) / .0164, -2*xi - nu}, // (77)
			"M2":  {square(square(half)) / .9154, 2*xi - 2*nu},       // (78)
			"M3":  {math.Pow(half, 6) / .8758, 3*xi - 3*nu},          // (149)
			"K1": {math.Sqrt(.8965*sin2*sin2 + .6001*sin2*math.Cos(nu) + .1006),
				-math.Atan2(sin2*math.Sin(nu), sin2*math.Cos(nu)+.3347)}, // (224), (227)
			"K2": {math.Sqrt(19.0444*math.Pow(sin, 4) + 2.7702*sin*sin*math.Cos(2*nu) + .0981),
				-math.Atan2(sin*sin*math.Sin(2*nu), sin*sin*math.Cos(2*nu)+.0727)}, // (232), (235)
		} {
			a := sky{}
			a.values[4] = -longitude
			f, u := find(name).modulationAt(&a)
			if math.Abs(f-want[0]) > .005*want[0] || math.Abs(u-want[1]/degree) > .25 {
				t.Errorf("N = %g: %s has f = %.4f, u = %.2f, want %.4f, %.2f", longitude, name, f, u, want[0],
					want[1]/degree)
			}
		}
	}
}

// TestCompoundsAreOfTheirParts: arguments of waves of shallow water are those of the waves that make them.
func TestCompoundsAreOfTheirParts(t *testing.T) {
	a := skyAt(9000.3)
	for name, parts := range map[string]map[string]float64{
		"M4": {"M2": 2}, "MS4": {"M2": 1, "S2": 1}, "MN4": {"M2": 1, "N2": 1}, "N4": {"N2": 2}, "S4": {"S2": 2},
		"M6": {"M2": 3}, "2MS6": {"M2": 2, "S2": 1}, "S6": {"S2": 3}, "M8": {"M2": 4}, "MK3": {"M2": 1, "K1": 1},
		"2MK3": {"M2": 2, "K1": -1}, "2SM2": {"S2": 2, "M2": -1},
	} {
		v, f, u := 0., 1., 0.
		for part, times := range parts {
			ofPart, _ := find(part).argumentAt(&a)
			partF, partU := find(part).modulationAt(&a)
			v, f, u = v+times*ofPart, f*math.Pow(partF, math.Abs(times)), u+times*partU
		}
		gotV, _ := find(name).argumentAt(&a)
		gotF, gotU := find(name).modulationAt(&a)
		if math.Abs(difference(gotV, v)) > 1e-9 || math.Abs(gotF-f) > 1e-12 || math.Abs(gotU-u) > 1e-9 {
			t.Errorf("%s: V = %g, f = %g, u = %g, want %g, %g, %g", name, gotV, gotF, gotU, v, f, u)
		}
	}
}

// write writes a table, and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tide.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLevel: at any time of the run the level is the sum over the constituents by their arguments at that time.
func TestLevel(t *testing.T) {
	path := write(t, "# Brest\nConstituent;Speed;phase (rad);amplitude [cm]\nZ0;0;;402\nm2;28.98;1,88495559;205\n"+
		"K1;15.04;1,2;6,4\nMf;1.1;2;1\n2N2;27.9;0;0\nS1;15;;0\n")
	program, err := Level(path, "", config.Time{Epoch: "2011-07-01T02:00:00+02:00", End: 60 * day})
	if err != nil {
		t.Fatal(err)
	}
	middle := skyAt(4198.5 + 30)
	for _, at := range []float64{0, 1.2345e4, 30 * day, 60 * day} {
		now, want := skyAt(4198.5+at/day), 4.02
		for name, constants := range map[string][2]float64{"M2": {2.05, 1.88495559}, "K1": {.064, 1.2}, "Mf": {.01, 2}} {
			v, _ := find(name).argumentAt(&now)
			f, u := find(name).modulationAt(&middle)
			want += f * constants[0] * math.Cos((v+u)*degree-constants[1])
		}
		got, err := program.Eval(0, 0, 0, at)
		if err != nil || math.Abs(got-want) > 1e-6 {
			t.Errorf("at %g s: %.9g, want %.9g, %v", at, got, want, err)
		}
	}
}

func TestRefusedConstants(t *testing.T) {
	when := config.Time{Epoch: "2011-07-01", End: day}
	for text, want := range map[string]string{
		"":                                       "tide.csv:0: the file is empty: want the titles name",
		"name,amplitude\nM2,1\n":                 `tide.csv:1: there is no column phase, but ["name" "amplitude"]`,
		"name,amplitude,phase\n":                 "tide.csv:1: there is no constituent",
		"name,amplitude,phase\nM2,1,0\nm2,1,0\n": "tide.csv:3: there are two rows of m2",
		"name,amplitude,phase\nM2,1,0\nS1,1,0\n": `tide.csv:3: constituent "S1" is not known: want one of Sa, Ssa, Mm, Mf`,
		"name,amplitude,phase\nM2,-1,0\n":        "tide.csv:2: M2: the amplitude is -1 m",
		"name,amplitude,phase\nM2,1,\n":          "tide.csv:2: M2: phase: \"\" is not a finite number",
		"name,amplitude,phase\nM2,,0\n":          "tide.csv:2: M2: amplitude: \"\" is not a finite number",
		"name,amplitude [rods],phase\nM2,1,0\n":  `tide.csv:1: column amplitude: the unit "rods": the unit is not known`,
		"name,amplitude,phase [h]\nM2,1,0\n":     "tide.csv:1: column phase: the unit \"h\"",
		"name,amplitude,phase,g\nM2,1,0,0\n":     "tide.csv:1: columns 3 and 4 both have the title",
	} {
		_, err := Level(write(t, text), "", when)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	_, err := Level("tide.csv", "", config.Time{End: day})
	if want := "give [time] epoch, as in epoch ="; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without epoch: error %v, want %s", err, want)
	}
}

// TestAllNamesAreKnown: the names of the 37 constituents of NOAA but for S1, M1 and MSF, and those that other tables
// have.
func TestAllNamesAreKnown(t *testing.T) {
	for _, name := range strings.Fields("M2 S2 N2 K1 M4 O1 M6 MK3 S4 MN4 NU2 S6 MU2 2N2 OO1 LAM2 J1 MM SSA SA MF RHO Q1 " +
		"T2 R2 2Q1 P1 2SM2 M3 L2 2MK3 K2 M8 MS4 LDA2 RHO1 Mtm N4") {
		if find(name) == nil {
			t.Errorf("%s is not known", name)
		}
	}
	if n := fmt.Sprint(Names()); !strings.HasPrefix(n, "[Sa Ssa Mm Mf") || !strings.HasSuffix(n, "S6 M8]") {
		t.Error(n)
	}
}
