package folder

import (
	"io/fs"
	"os"
	"path/filepath"
)

const summaryFile = "summary.json"

// patterns are what runs write to their folder.
var patterns = []string{
	summaryFile, "conservation.csv", "*.pvd", "*.nc", "outlines.geojson", "raster/*.tif", "gauges/*.csv",
	"transects/*.csv", "measured/*.csv", "frames/*.vt[uip]", "frames/*.pvt[uip]", "frames/*.stl", "checkpoints/*.ckpt",
	"checkpoints/*.ckpt*.part", CaseFile,
}

// partialPatterns are files that a run which was killed has left before they had their names.
var partialPatterns = []string{
	summaryFile + ".*.tmp", infoFile + ".*.tmp", CaseFile + ".*.tmp", "*.pvd.*.tmp", "frames/*.tmp",
}

// removePartial removes them. Nobody is writing yet.
func removePartial(dir string) error {
	for _, p := range partialPatterns {
		found, err := fs.Glob(os.DirFS(dir), p)
		if err != nil {
			return err
		}
		for _, name := range found {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// results are the files that runs have left in a folder, the summary first.
func results(dir string) ([]string, error) {
	var files []string
	for _, p := range patterns {
		found, err := fs.Glob(os.DirFS(dir), p)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}
