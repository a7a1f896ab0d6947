package folder

import (
	"io/fs"
	"os"
	"path/filepath"
)

const summaryFile = "summary.json"

// resultPatterns match the files that runs write to their folder.
var resultPatterns = []string{
	summaryFile, "conservation.csv", "*.pvd", "*.nc", "outlines.geojson", "raster/*.tif", "gauges/*.csv",
	"transects/*.csv", "measured/*.csv", "frames/*.vt[uip]", "frames/*.pvt[uip]", "frames/*.stl", "checkpoints/*.ckpt",
	"checkpoints/*.ckpt*.part", CaseFile,
}

// partialPatterns match temporary files that a killed run did not rename.
var partialPatterns = []string{
	summaryFile + ".*.tmp", infoFile + ".*.tmp", CaseFile + ".*.tmp", "*.pvd.*.tmp", "frames/*.tmp",
}

// removePartial removes temporary files of an earlier run. No rank may be writing yet.
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

// results returns the files in a folder that match resultPatterns, the summary first.
func results(dir string) ([]string, error) {
	var files []string
	for _, p := range resultPatterns {
		found, err := fs.Glob(os.DirFS(dir), p)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}
