package results

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// VerifyFile is the name of the file, in a folder of results, with the output of atoll verify.
const VerifyFile = "verify.txt"

// Folders compares all files of two folders, one of each build, and returns their differences in the order of the
// names. A file that only one folder has is a difference, and so is a file that cannot be read. Folders returns an
// error if a folder cannot be listed, or if both are empty.
func Folders(before, after string) ([]Difference, error) {
	names := map[string][2]bool{}
	for side, dir := range []string{before, after} {
		if err := eachFile(dir, func(name string) {
			has := names[name]
			has[side] = true
			names[name] = has
		}); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s and %s are empty: there is nothing to compare", before, after)
	}
	var found []Difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if has := names[name]; has[0] != has[1] {
			found = append(found, missing(name, has[0]))
			continue
		}
		differences, err := compareFiles(filepath.Join(before, name), filepath.Join(after, name))
		if err != nil {
			differences = []Difference{{"", err.Error()}}
		}
		found = append(found, inFile(filepath.ToSlash(name), differences)...)
	}
	return found, nil
}

// lockFiles begins the names of files that tell which process has written a folder.
const lockFiles = ".lock"

// eachFile calls f with the path of each file of results in a folder and its subfolders, relative to the folder.
func eachFile(dir string, f func(name string)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), lockFiles) {
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			f(name)
		}
		return err
	})
}

// buildVersion is the version of a build that is not a release.
var buildVersion = regexp.MustCompile(`\b(v[0-9.]+-)?devel-[0-9a-f]{12}\b`)

// compareFiles compares two files of the same name.
func compareFiles(before, after string) ([]Difference, error) {
	if frame := decoders[filepath.Ext(before)]; frame != nil {
		return compareFrames(before, after, frame)
	}
	a, err := os.ReadFile(before)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(after)
	if filepath.Ext(before) == ".nc" { // a NetCDF file has the version of the build that wrote it
		a, b = buildVersion.ReplaceAll(a, nil), buildVersion.ReplaceAll(b, nil)
	}
	if err != nil || bytes.Equal(a, b) {
		return nil, err
	}
	skipped, isObject := ignoredKeys[filepath.Base(before)]
	switch {
	case isObject:
		return compareObjects(a, b, skipped)
	case filepath.Base(before) == VerifyFile:
		return compareReports(string(a), string(b)), nil
	case filepath.Ext(before) == ".csv":
		return compareTables(string(a), string(b)), nil
	}
	return []Difference{{fmt.Sprintf("byte %d", firstDifference(a, b)),
		fmt.Sprintf("differs; the files have %d bytes, then %d", len(a), len(b))}}, nil
}

// firstDifference returns the offset of the first byte in which two texts differ: the length of the shorter if it
// is a prefix of the other, and -1 if they are equal.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return n
}
