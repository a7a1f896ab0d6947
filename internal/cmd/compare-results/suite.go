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

// ownCases has the cases of this program, for features that the examples do not use.
//
//go:embed cases
var ownCases embed.FS

// task is a run of a case, or a check of atoll verify, whose results are compared.
type task struct {
	label          string   // the name in reports: the case file and the flags
	file           string   // the case file; "" for a check
	args           []string // arguments of atoll, without the output folder
	folder         string   // the working directory
	resultIsStdout bool     // its result is its standard output
	skip           string   // the reason not to run it; "" for none
}

// name returns the label as the name of a folder.
func (t *task) name() string {
	return notInNames.ReplaceAllString(t.label, "_")
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9.=-]+`)

// suite copies the case files to the folder dir, and returns all runs: of the examples, of this program's cases, and of
// checks of atoll verify.
func suite(dir, examples, backend string) ([]*task, error) {
	if err := os.CopyFS(dir, ownCases); err != nil {
		return nil, err
	}
	var tasks []*task
	if info, err := os.Stat(examples); err == nil && info.IsDir() {
		if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(examples)); err != nil {
			return nil, err
		}
	} else {
		tasks = append(tasks, &task{label: "examples", skip: "there is no folder " + examples})
	}
	for _, top := range []string{"cases", "examples"} {
		cases, err := casesBelow(dir, top)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, cases...)
	}
	checks, err := ownCases.ReadFile("cases/verify.txt")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(checks)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		v := &task{label: "verify " + words[0] + " --quick", args: []string{"verify", words[0], "--quick", "--threads", "1"},
			folder: dir, resultIsStdout: true}
		if backend == "cuda" {
			if !slices.Contains(words, "cuda") {
				v.skip = "this check of atoll verify does not support --backend cuda"
			}
			v.args = append(v.args, "--backend", "cuda")
		}
		tasks = append(tasks, v)
	}
	return tasks, nil
}

// casesBelow returns the runs of the case files in the folder dir/top and its subfolders.
func casesBelow(dir, top string) (tasks []*task, err error) {
	root := filepath.Join(dir, top)
	if _, err := os.Stat(root); err != nil {
		return nil, nil
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && hasSources(path) {
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
			tasks = append(tasks, &task{label: label, file: path, args: args, folder: filepath.Dir(path)})
		}
		return nil
	})
	return tasks, err
}

// hasSources reports whether a folder has Go files: its cases are for an example solver, which the builds do not have.
func hasSources(folder string) bool {
	sources, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	return len(sources) > 0
}

// variantsOf returns the flags of each run of a case file: one run for each line "# run: FLAGS" or, without such lines,
// one run without flags.
func variantsOf(path string) (variants [][]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if flags, ok := strings.CutPrefix(lines.Text(), "# run:"); ok {
			variants = append(variants, strings.Fields(flags))
		}
	}
	if variants == nil {
		variants = [][]string{nil}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return variants, nil
}
