package folder

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// PartialPath returns the path of the temporary file that ranks of this epoch write before it is renamed to path, a
// frame or a checkpoint.
func (f Fence) PartialPath(path string) string {
	if f.Epoch == 0 {
		return path + ".part"
	}
	return fmt.Sprintf("%s.e%d.part", path, f.Epoch)
}

// PartialMeshPath is PartialPath for the final mesh of an elastic run. It keeps the extension, which selects the
// format.
func (f Fence) PartialMeshPath(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".epoch-%d-%s", f.Epoch, filepath.Base(path)))
}

var (
	partialName     = regexp.MustCompile(`^((?:frames|checkpoints)/.+?)(?:\.e\d+)?\.part$`)
	partialMeshName = regexp.MustCompile(`^\.epoch-\d+-.`)
)

// isTemporary reports whether a path in a folder is that of a temporary file of PartialMeshPath, or that of PartialPath
// or atomicfile.Write for a file that one of the patterns matches.
func isTemporary(name string, patterns []string) bool {
	if partialMeshName.MatchString(path.Base(name)) {
		return true
	}
	final, temporary := atomicfile.FinalPath(name)
	if m := partialName.FindStringSubmatch(name); m != nil {
		final, temporary = m[1], true
	}
	return temporary && slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, err := path.Match(pattern, final)
		return matched && err == nil
	})
}

// removeTemporaries removes the temporary files that killed runs have left: of results, of the folder's own files, and
// of others, which are paths in the folder. The caller holds the lock of the folder, and no rank writes yet. The
// temporary file of a resize request stays, because another process may be writing it.
func removeTemporaries(dir string, others ...string) error {
	patterns := slices.Concat(resultPatterns, []string{infoFile, epochFile, answerFile})
	for _, name := range others {
		patterns = append(patterns, filepath.ToSlash(filepath.Clean(name)))
	}
	var subfolders []string
	for _, p := range patterns {
		subfolders = append(subfolders, path.Dir(p))
	}
	slices.Sort(subfolders)
	for _, sub := range slices.Compact(subfolders) {
		names, err := fs.Glob(os.DirFS(dir), path.Join(sub, "*")) // none if sub is missing, or no folder
		if err != nil {
			return err
		}
		for _, name := range names {
			if !isTemporary(name, patterns) {
				continue
			}
			if err := atomicfile.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
