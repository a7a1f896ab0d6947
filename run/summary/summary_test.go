package summary

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sample() *Summary {
	return &Summary{Solver: "shallow-water", Case: "dam", CaseSHA256: "ab", Steps: 405, Time: 0.1, Cells: 64800, Ranks: 4,
		Transport: "local", Backend: "cpu", Halo: "direct", Precision: "float64", Threads: 1, Wall: 2.5,
		UpdatesPerS: 10497600, StateSHA256: "c0ffee", HashVersion: 2,
		Metrics:    map[string]float64{"h1_min": 0.25, "cfl_max": 0.9},
		Meanings:   map[string]Meaning{"cfl_max": {Doc: "the largest CFL number"}, "h1_min": {Unit: "m"}},
		Phases:     map[string]float64{"halo": 0.5, "flux": 1.5},
		ArrayBytes: 3 << 20, Estimate: &Estimate{HostBytes: 100 << 20, ArrayBytes: 3e6, Steps: []float64{300, 600},
			Wall: []float64{2, 4}},
		Conservation: map[string]float64{"mass1": 1e-15}, Version: "v1.0.0",
		Host: Host{Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "Some CPU", Cores: 2}}
}

const golden = `{
  "format": 1,
  "solver": "shallow-water",
  "case": "dam",
  "case_sha256": "ab",
  "steps": 405,
  "time": 0.1,
  "cells": 64800,
  "ranks": 4,
  "transport": "local",
  "backend": "cpu",
  "halo": "direct",
  "precision": "float64",
  "threads": 1,
  "wall_s": 2.5,
  "updates_per_s": 10497600,
  "state_sha256": "c0ffee",
  "hash_version": 2,
  "metrics": {
    "cfl_max": 0.9,
    "h1_min": 0.25
  },
  "phases": {
    "flux": 1.5,
    "halo": 0.5
  },
  "array_bytes": 3145728,
  "estimate": {
    "host_bytes": 104857600,
    "array_bytes": 3000000,
    "steps": [
      300,
      600
    ],
    "wall_s": [
      2,
      4
    ]
  },
  "conservation": {
    "mass1": 1e-15
  },
  "version": "v1.0.0",
  "fma": false,
  "host": {
    "go": "go1.26",
    "os": "linux",
    "arch": "amd64",
    "cpu": "Some CPU",
    "cores": 2
  }
}
`

func TestJSON(t *testing.T) {
	text, err := sample().JSON()
	if err != nil || string(text) != golden {
		t.Errorf("got error %v and\n%swant\n%s", err, text, golden)
	}
	text, err = new(Summary).JSON()
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("empty summary: error %v, or null in\n%s", err, text)
	}
}

func TestText(t *testing.T) {
	want := `case       dam: shallow-water, 64800 cells, float64
ran on     4 ranks by local, cpu, 1 thread
simulated  0.1 s in 405 steps
took       2.5 s, 10.5 million cell updates a second
memory     at most 3.00 MiB of arrays on a rank, estimated 2.86 MiB
phases     flux 1.5 s, halo 0.5 s
kept       mass1 to 1e-15
cfl_max    0.9     the largest CFL number
h1_min     0.25 m
state      c0ffee
`
	s := sample()
	if got := s.Text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.Wall, s.FMA, s.Conservation = 3725, true, map[string]float64{"mass": 0, "volume": -.0364}
	got := s.Text()
	for _, part := range []string{"1h2m5s", "fuses", "kept       mass exactly, volume to 3.6%\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("want %q in\n%s", part, got)
		}
	}
}

func TestTextOfSweeps(t *testing.T) {
	s := sample()
	s.Time, s.Steps = 0, 30
	if got := s.Text(); !strings.Contains(got, "\nswept ") || !strings.Contains(got, " 30 times\n") ||
		strings.Contains(got, "simulated") {
		t.Errorf("want the number of sweeps and no time in\n%s", got)
	}
}

func TestNumbersThatAreNotFiniteAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Summary){
		"time is NaN":           func(s *Summary) { s.Time = math.NaN() },
		"wall_s is +Inf":        func(s *Summary) { s.Wall = math.Inf(1) },
		"updates_per_s is -Inf": func(s *Summary) { s.UpdatesPerS = math.Inf(-1) },
		"metrics.h1_min is NaN": func(s *Summary) { s.Metrics["h1_min"] = math.NaN() },
		"phases.io is +Inf":     func(s *Summary) { s.Phases["io"] = math.Inf(1) },
		"conservation.a is NaN": func(s *Summary) { s.Conservation["b"], s.Conservation["a"] = math.NaN(), math.NaN() },
	} {
		s := sample()
		change(s)
		path := filepath.Join(t.TempDir(), "s.json")
		if err := s.Write(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was written", want)
		}
	}
}

func TestWriteReplacesTheFileAndLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.json")
	for range 2 {
		if err := sample().Write(path); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != golden {
		t.Errorf("got error %v and\n%swant\n%s", err, text, golden)
	}
	blocked := filepath.Join(dir, "folder")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := sample().Write(blocked); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("got entries %v, error %v, want the file and the folder", entries, err)
	}
	if err := sample().Write(filepath.Join(dir, "none", "s.json")); err == nil {
		t.Error("writing to a folder that does not exist gave no error")
	}
}

func TestThisHost(t *testing.T) {
	h := ThisHost()
	if h.Go == "" || h.OS == "" || h.Arch == "" || h.Cores < 1 {
		t.Errorf("incomplete description of the host: %+v", h)
	}
	if _, err := json.Marshal(h); err != nil {
		t.Error(err)
	}
}

// TestZeroMetricsComeLast: metrics that are 0, also -0, share lines of about 100 characters, in which all are named.
func TestZeroMetricsComeLast(t *testing.T) {
	s := sample()
	for k := range 20 {
		s.Metrics[fmt.Sprintf("entered_%02d", k)] = math.Copysign(0, float64(k%2)-.5)
	}
	_, got, _ := strings.Cut(s.Text(), "0.25 m\n")
	want := `zero       entered_00, entered_01, entered_02, entered_03, entered_04, entered_05, entered_06, entered_07,
           entered_08, entered_09, entered_10, entered_11, entered_12, entered_13, entered_14, entered_15,
           entered_16, entered_17, entered_18, entered_19
state      c0ffee
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
