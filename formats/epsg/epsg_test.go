package epsg

import "testing"

// TestUnit: units of well-known systems.
func TestUnit(t *testing.T) {
	for code, want := range map[int]string{0: "", 4326: "degree", 4258: "degree", 4269: "degree", 4979: "degree",
		4978: "m", 25832: "m", 3857: "m", 32633: "m", 4087: "m", 4647: "m", 31467: "m", 2263: "US survey foot",
		2272: "US survey foot", 2222: "foot", 2223: "foot", 2225: "US survey foot", 5514: "m", 27700: "m", 28992: "m",
		9990: "degree", 4937: "degree", 4936: "m"} {
		if got := Unit(code); got != want {
			t.Errorf("EPSG:%d: %q, want %q", code, got, want)
		}
	}
}

// TestKind: systems of heights, of the world, and of regions.
func TestKind(t *testing.T) {
	for code, want := range map[int]string{0: "", 4326: "", 25832: "", 32633: "", 27700: "", 2263: "", 3994: "", 5641: "",
		7415: "", 9518: "", 5703: Vertical, 5773: Vertical, 3855: Vertical, 7837: Vertical, 8228: Vertical, 5715: Vertical,
		4978: Geocentric, 4936: Geocentric, 3857: Stretched, 3395: Stretched, 4087: Stretched, 6933: Stretched,
		3785: Stretched, 32662: Stretched} {
		if got := Kind(code); got != want {
			t.Errorf("EPSG:%d: %q, want %q", code, got, want)
		}
	}
}

func TestHeightOf(t *testing.T) {
	for code, want := range map[int]Height{5703: {Unit: "m"}, 6360: {Unit: "US survey foot"}, 8228: {Unit: "foot"},
		5715: {Unit: "m", Down: true}, 6358: {Unit: "US survey foot", Down: true}, 1: {Unit: "m"}} {
		if got := HeightOf(code); got != want {
			t.Errorf("EPSG:%d: %+v, want %+v", code, got, want)
		}
	}
}
