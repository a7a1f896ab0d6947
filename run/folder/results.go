package folder

import (
	"io/fs"
	"os"
)

const summaryFile = "summary.json"

// patterns are what runs write to their folder.
var patterns = []string{
	summaryFile, "conservation.csv", "*.pvd", "*.nc", "gauges/*.csv", "frames/*.vt[uip]", "frames/*.pvt[uip]",
	"frames/*.stl", "checkpoints/*.ckpt", "checkpoints/*.ckpt*.part", CaseFile,
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
