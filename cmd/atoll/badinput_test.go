package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadInput: bad input ends the command with exit code 2 and a message of one line, before any work starts.
func TestBadInput(t *testing.T) {
	set := func(s string) []string { return []string{"run", "case.toml", "--set", s} }
	for name, test := range map[string]struct {
		text string
		args []string
		want string
	}{
		"unknown key":        {smallCase + "\n[output2]\n", nil, "output2"},
		"unknown key by set": {smallCase, set("physics.shceme=roe"), "scheme"},
		"unknown scheme":     {smallCase, set("physics.scheme=godunov"), "godunov"},
		"missing case":       {smallCase, []string{"run", "nowhere.toml"}, "nowhere.toml"},
		"missing mesh": {strings.Replace(smallCase, "generate = \"rectangle\"\nbounds = [-5, -5, 5, 5]\ncells = 1800",
			`file = "no.msh"`, 1), nil, "no.msh"},
		"broken mesh": {strings.Replace(smallCase, "generate = \"rectangle\"\nbounds = [-5, -5, 5, 5]\ncells = 1800",
			`file = "broken.msh"`, 1), nil, "broken.msh"},
		"NaN in expression":  {smallCase, set(`initial.h2="sqrt(x)"`), "sqrt(x)"},
		"negative thickness": {smallCase, set(`initial.h2="-1"`), "negative"},
		"negative roughness on a changing mesh": {smallCase + "\n[adapt]\nsteps = 5\nerror = 0.1\nhmin = 0.5\n",
			set(`physics.manning="-1"`), "manning"},
		"gauge outside":     {strings.Replace(smallCase, "at = [0.1, 0.2]", "at = [50, 0]", 1), nil, "centre"},
		"unknown group":     {smallCase + "[boundary]\nharbour = \"open\"\n", nil, "harbour"},
		"unknown transport": {smallCase, []string{"run", "case.toml", "--transport", "carrier-pigeon"}, "carrier-pigeon"},
		"no ranks":          {smallCase, []string{"run", "case.toml", "--ranks", "0"}, "--ranks"},
		"more ranks than cells": {smallCase, []string{"run", "case.toml", "--ranks", "9", "--set", "mesh.cells=8"},
			"9 ranks"},
		"endless ranks":    {smallCase, []string{"run", "case.toml", "--ranks", "100000"}, "--ranks 100000: at most"},
		"endless threads":  {smallCase, []string{"run", "case.toml", "--threads", "100000"}, "at most"},
		"no processes":     {smallCase, []string{"launch", "local", "-n", "0", "--", "true"}, "0 ranks"},
		"unknown flag":     {smallCase, []string{"run", "case.toml", "--rank", "2"}, "did you mean --ranks?"},
		"unknown command":  {smallCase, []string{"rum"}, "rum"},
		"no summary":       {smallCase, []string{"run", "case.toml", "--summary", "case.toml/s.json"}, "--summary"},
		"summary's folder": {smallCase, []string{"run", "case.toml", "--summary", "."}, "--summary: . cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := caseFile(t, test.text)
			// Two triangles; the second is clockwise.
			broken := "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 5 0 0\n5 6 0 0\n6 5 1 0\n" +
				"$EndNodes\n$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 2 0 1 4 6 x\n$EndElements\n"
			if err := os.WriteFile(filepath.Join(dir, "broken.msh"), []byte(broken), 0o666); err != nil {
				t.Fatal(err)
			}
			args := test.args
			if args == nil {
				args = []string{"run", "case.toml"}
			}
			c := atoll(t, dir, nil, args...)
			if code := c.code(t); code != 2 {
				t.Errorf("exit code %d", code)
			}
			text := strings.TrimRight(c.stderr.String(), "\n")
			if strings.Contains(text, "\n") || !strings.Contains(text, test.want) {
				t.Errorf("stderr is not one line with %q:\n%s", test.want, text)
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
				t.Error("the output folder was created")
			}
		})
	}
}

// TestBadInputOverProcesses: the same with one process per rank.
func TestBadInputOverProcesses(t *testing.T) {
	dir := caseFile(t, strings.ReplaceAll(smallCase, `h2 = "depth - h1"`, `h2 = "sqrt(x)"`))
	c := atoll(t, dir, nil, "run", "case.toml", "--ranks", "3", "--transport", "grpc")
	if code := c.code(t); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if text := c.stderr.String(); !strings.Contains(text, "sqrt(x)") {
		t.Errorf("stderr does not name the expression:\n%s", text)
	}
}

func TestCheckPrintsTheEffectiveCase(t *testing.T) {
	dir := caseFile(t, smallCase)
	c := atoll(t, dir, nil, "run", "case.toml", "--check", "--set", "physics.cfl=0.5")
	if code := c.code(t); code != 0 || !strings.Contains(c.stdout.String(), "cfl = 0.5") {
		t.Errorf("exit code %d, printed %q", code, c.stdout.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("the output folder was created")
	}
}
