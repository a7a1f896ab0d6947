package smooth

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

func someMetric(t testing.TB, cells int) *Metric {
	t.Helper()
	m := rectangle(t, cells, 2)
	of, err := OnMesh(m, fieldOf(t, m, func(x, y float64) (float64, float64, float64) {
		s, c := math.Sincos(x + y)
		return 1 + s*s, s * c, 1 + c*c
	}))
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// TestMetricWire: a metric that was sent is the same, and what is cut, longer or changed is refused.
func TestMetricWire(t *testing.T) {
	of := someMetric(t, 300)
	data, err := of.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeMetric(data)
	if err != nil || !reflect.DeepEqual(back, of) {
		t.Errorf("the metric has changed: %v", err)
	}
	for _, n := range []int{0, 7, 8, len(data) - 1} {
		if _, err := DecodeMetric(data[:n]); err == nil {
			t.Errorf("%d bytes are taken", n)
		}
	}
	if _, err := DecodeMetric(append(bytes.Clone(data), 0)); err == nil {
		t.Error("a byte too many is taken")
	}
	bad := bytes.Clone(data)
	bad[len(bad)-1] = 0x7f
	if _, err := DecodeMetric(bad); err == nil || !strings.Contains(err.Error(), "vertex") {
		t.Errorf("a vertex that does not exist: %v", err)
	}
	if _, err := swirl(t).Encode(); err == nil {
		t.Error("a metric on a grid is sent")
	}
}

// FuzzDecodeMetric: bytes make an error, or a metric that can be sent on and stays what it is.
func FuzzDecodeMetric(f *testing.F) {
	data, err := someMetric(f, 8).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeMetric(data)
		if err != nil {
			return
		}
		once, err := m.Encode()
		if err != nil || len(once) != len(data) {
			t.Fatalf("%d bytes become %d: %v", len(data), len(once), err)
		}
		back, err := DecodeMetric(once)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := back.Encode(); err != nil || !bytes.Equal(again, once) {
			t.Fatalf("encoded again it is another: %v", err)
		}
		m.At(.3, .4)
	})
}
