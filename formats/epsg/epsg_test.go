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

func TestHeightOf(t *testing.T) {
	for code, want := range map[int]Height{5703: {Unit: "m"}, 6360: {Unit: "US survey foot"}, 8228: {Unit: "foot"},
		5715: {Unit: "m", Down: true}, 6358: {Unit: "US survey foot", Down: true}, 1: {Unit: "m"}} {
		if got := HeightOf(code); got != want {
			t.Errorf("EPSG:%d: %+v, want %+v", code, got, want)
		}
	}
}
