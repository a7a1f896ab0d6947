// Package paths finds names of files in a case file that cannot be meant: paths of Windows, of which TOML or the
// operating system reads something else.
package paths

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// Advice ends messages about backslashes in paths: in the strings of TOML they begin escape sequences, and only on
// Windows they separate folders.
const Advice = "in a path write / between folders, as in meshes/new.msh"

// keys are those whose values name files or folders.
var keys = []string{"file", "raster", "polygons", "table", "lines", "series",
	"measured", "mesh", "dir", "solution", "background", "list", "track", "constituents"}

// stl matches the path of a body of a shape.
var stl = pattern.Of(`\bstl\([^)]*`)

// Problem returns what is wrong with the value of a key if that names a file, "" for nothing: a backslash gave a
// control character, or, except on Windows, stands for itself in a name that no file has. Paths are relative to folder.
func Problem(key, text, folder string) string {
	names := text
	if key == "shape" {
		names = strings.Join(stl().FindAllString(text, -1), "")
	}
	switch {
	case key != "shape" && !slices.Contains(keys, key):
	case strings.ContainsAny(names, "\n\t\b\f\r\x1b"):
		return fmt.Sprintf("%q has a line end or tab, which \\n and \\t stand for: %s", text, Advice)
	case strings.Contains(names, `\`) && os.PathSeparator == '/' && !exists(text, folder):
		return fmt.Sprintf("%s has backslashes: %s", text, Advice)
	}
	return ""
}

func exists(path, folder string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	_, err := os.Stat(path)
	return err == nil
}
