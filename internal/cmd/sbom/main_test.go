package main

import (
	"runtime/debug"
	"testing"
)

// TestBill: the bill has the program, Go's library and each module with the checksum of go.sum. Instead of replaced
// modules it has those that replace them.
func TestBill(t *testing.T) {
	sum := "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	d := bill("v1.2.3", &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.com/a"},
		Deps: []*debug.Module{{Path: "example.com/b", Version: "v0.1.0", Sum: sum}, {Path: "example.com/c",
			Version: "v0.2.0", Replace: &debug.Module{Path: "example.com/d", Version: "v0.3.0"}}},
		Settings: []debug.BuildSetting{{Key: "GOAMD64", Value: "v1"}}})
	if got := d.Metadata.Component; got.PURL != "pkg:golang/example.com/a@v1.2.3" || got.Properties[0].Value != "v1" ||
		got.Licenses[0].Expression != "BSD-3-Clause" {
		t.Errorf("the program is %+v", got)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/example.com/b@v0.1.0", "pkg:golang/example.com/d@v0.3.0"}
	for i, c := range d.Components {
		if c.PURL != want[i] {
			t.Errorf("component %d is %s, want %s", i, c.PURL, want[i])
		}
	}
	if h := d.Components[1].Hashes; len(h) != 1 || h[0].Content !=
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f" {
		t.Errorf("the checksum is %v", h)
	}
}
