// Package examples contains the cases of this folder, so that an installed program has them.
package examples

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/words"
)

// files are the cases with the files that they need, except those that Gmsh and scripts make.
//
//go:embed *.toml flood/*.toml flood/*.geo flood/*.csv flood/*.py harbour/*.toml harbour/*.geo harbour/*.asc
//go:embed carlisle terrain smooth/*.geo
var files embed.FS

// Example is a case in the program.
type Example struct {
	Name, Doc string
	path      string
}

// All returns the examples, in the order of their paths.
func All() []Example {
	var list []Example
	err := fs.WalkDir(files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".toml" {
			return err
		}
		text, err := files.ReadFile(name)
		list = append(list, Example{strings.TrimSuffix(path.Base(name), ".toml"), describe(string(text)), name})
		return err
	})
	if err != nil {
		panic(err) // not possible with embedded files
	}
	return list
}

var (
	titleKey      = regexp.MustCompile(`(?m)^title = "(.*)"$`)
	firstSentence = regexp.MustCompile(`^.*?[\pL\d)][\pL\d)]+[.:](?: |$)`) // not G. Rokos
)

// describe returns the title of a case, or the first sentence of the comment at its beginning.
func describe(text string) string {
	if m := titleKey.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	var comment []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#:") { // a directive for editors
			continue
		}
		if !strings.HasPrefix(line, "#") {
			break
		}
		comment = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "#")))
	}
	return strings.TrimRight(firstSentence.FindString(strings.Join(comment, " ")), ".: ")
}

// Write writes the example of a name, with the files that it needs, to a folder, and returns the paths of its files,
// that of the case first. Files that exist with other contents are an error.
func Write(name, dir string) (written []string, err error) {
	all := All()
	i := slices.IndexFunc(all, func(e Example) bool { return e.Name == name })
	if i < 0 {
		var names []string
		for _, e := range all {
			names = append(names, e.Name)
		}
		if near := words.Nearest(name, names, 3); near != "" {
			return nil, fmt.Errorf("there is no example %q; did you mean %s?", name, near)
		}
		return nil, fmt.Errorf("there is no example %q; choose one of %s", name, strings.Join(names, ", "))
	}
	needed, err := all[i].files()
	if err != nil {
		return nil, err
	}
	for _, file := range needed {
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(file, path.Dir(needed[0])+"/")))
		if err := write(file, to); err != nil {
			return nil, err
		}
		written = append(written, to)
	}
	return written, nil
}

// files returns the paths of the example's files: the case, and those in its folder or those that its mesh is made of.
func (e *Example) files() ([]string, error) {
	list := []string{e.path}
	if folder := path.Dir(e.path); folder != "." {
		entries, err := fs.ReadDir(files, folder)
		for _, entry := range entries {
			if path.Ext(entry.Name()) != ".toml" {
				list = append(list, path.Join(folder, entry.Name()))
			}
		}
		return list, err
	}
	text, err := files.ReadFile(e.path)
	if _, after, found := strings.Cut(string(text), "\nfile = \""); found {
		mesh, _, _ := strings.Cut(after, ".msh\"")
		list = append(list, mesh+".geo")
	}
	return list, err
}

func write(file, to string) error {
	text, err := files.ReadFile(file)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(to)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil:
		return fmt.Errorf("%s exists and differs from the example: give another folder", to)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(to, func(f *atomicfile.File) error {
		_, err := f.Write(text)
		return err
	})
}
