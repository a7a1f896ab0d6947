package projection

import (
	"math"
	"testing"
)

// TestUTM: on the central meridian of a zone the easting is 500 km, and the northing .9996 of the length of the
// meridian from the equator, which for 45° north is 4984944.378 m on GRS 80, and for the pole 10001965.729 m.
func TestUTM(t *testing.T) {
	for _, c := range []struct {
		code                int
		x, y                float64
		longitude, latitude float64
	}{
		{32632, 5e5, .9996 * 4984944.378, 9, 45},
		{25832, 5e5, 0, 9, 0},
		{32733, 5e5, 1e7 - .9996*4984944.378, 15, -45},
		{32601, 5e5, .9996 * 10001965.729, -177, 90},
		{28355, 5e5, 1e7, 147, 0},
		// The tower of CN in Toronto, 43°38'33.24" N 79°23'13.7" W, in the topographic map 30M/11: 630084 E 4833438 N.
		{32617, 630084, 4833438, -(79 + 23./60 + 13.7/3600), 43 + 38./60 + 33.24/3600},
	} {
		to, ok := Of(c.code)
		if !ok {
			t.Fatalf("EPSG:%d is not known", c.code)
		}
		longitude, latitude := to(c.x, c.y)
		tolerance := 1e-8 // 1 mm
		if c.code == 32617 {
			tolerance = 2e-5 // of numbers rounded to m
		}
		if math.Abs(longitude-c.longitude) > tolerance && c.latitude < 90 || math.Abs(latitude-c.latitude) > tolerance {
			t.Errorf("EPSG:%d (%g, %g): %.9f, %.9f, want %.9f, %.9f", c.code, c.x, c.y, longitude, latitude, c.longitude,
				c.latitude)
		}
	}
	for _, code := range []int{0, 4326, 27700, 31467, 32600, 32661} {
		if _, ok := Of(code); ok {
			t.Errorf("EPSG:%d is known", code)
		}
	}
}

// TestForward: a projection is the inverse of its inverse, to a millimetre within 800 km of the meridian.
func TestForward(t *testing.T) {
	for _, code := range []int{32632, 32733, 2193} {
		inverse, _ := Of(code)
		forward, ok := To(code)
		if !ok {
			t.Fatalf("EPSG:%d is not known", code)
		}
		for _, x := range []float64{-3e5, 2e5, 5e5, 7.3e5, 1.3e6} {
			for _, y := range []float64{-4e6, 1e5, 5.2e6, 9e6} {
				u, v := forward(inverse(x, y))
				if math.Abs(u-x) > 1e-3 || math.Abs(v-y) > 1e-3 {
					t.Errorf("EPSG:%d (%g, %g): back at (%.6f, %.6f)", code, x, y, u, v)
				}
			}
		}
	}
	if _, ok := To(4326); ok {
		t.Error("EPSG:4326 is known")
	}
}
