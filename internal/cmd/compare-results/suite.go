package main

import (
	"bufio"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// own holds the cases that go with this program: what examples leave out.
//
//go:embed cases
var own embed.FS

// work is a command whose results are compared.
type work struct {
	label  string   // how it is called in reports: the case with what is set beside it
	file   string   // of the case; "" where there is none
	args   []string // of atoll, without the folder of output
	folder string   // where it is started
	report bool     // what it prints is its result
	skip   string   // why it cannot be run; "" if it can
}

// name is a label as the name of a folder.
func (w *work) name() string {
	return unfit.ReplaceAllString(w.label, "_")
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9.=-]+`)

// suite puts the cases into a folder and lists what is to be run: examples, own cases, and the checks of atoll verify.
func suite(dir, examples, backend string) ([]*work, error) {
	if err := os.CopyFS(dir, own); err != nil {
		return nil, err
	}
	var all []*work
	if info, err := os.Stat(examples); err == nil && info.IsDir() {
		if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(examples)); err != nil {
			return nil, err
		}
	} else {
		all = append(all, &work{label: "examples", skip: "there is no folder " + examples})
	}
	for _, top := range []string{"cases", "examples"} {
		cases, err := casesBelow(dir, top)
		if err != nil {
			return nil, err
		}
		all = append(all, cases...)
	}
	verified, err := own.ReadFile("cases/verify.txt")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(verified)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		v := &work{label: "verify " + words[0] + " --quick", args: []string{"verify", words[0], "--quick", "--threads", "1"},
			folder: dir, report: true}
		if backend == "cuda" {
			if !slices.Contains(words, "cuda") {
				v.skip = "atoll verify has no --backend cuda for it"
			}
			v.args = append(v.args, "--backend", "cuda")
		}
		all = append(all, v)
	}
	return all, nil
}

// casesBelow lists the case files of a folder within dir, each as often as it says.
func casesBelow(dir, top string) (all []*work, err error) {
	root := filepath.Join(dir, top)
	if _, err := os.Stat(root); err != nil {
		return nil, nil
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && ofAnother(path) {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".toml" {
			return err
		}
		variants, err := variantsOf(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		for _, flags := range variants {
			args := append([]string{"run", filepath.Base(path), "--quiet", "--threads", "1"}, flags...)
			label := strings.ReplaceAll(strings.Join(append([]string{filepath.ToSlash(name)}, flags...), " "), "--set ", "")
			all = append(all, &work{label: label, file: path, args: args, folder: filepath.Dir(path)})
		}
		return nil
	})
	return all, err
}

// ofAnother tells that a folder holds a solver that builds do not have, with cases for it.
func ofAnother(folder string) bool {
	sources, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	return len(sources) > 0
}

// variantsOf returns the flags of each run of a case. A line "# run: FLAGS" asks for one; without any there is one
// without flags.
func variantsOf(path string) (all [][]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if flags, ok := strings.CutPrefix(lines.Text(), "# run:"); ok {
			all = append(all, strings.Fields(flags))
		}
	}
	if all == nil {
		all = [][]string{nil}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
