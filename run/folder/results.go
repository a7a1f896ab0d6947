package folder

import (
	"io/fs"
	"os"
)

const summaryFile = "summary.json"

// resultPatterns match the files that runs write to their folder.
var resultPatterns = []string{
	summaryFile, "checkpoints/*.ckpt", "conservation.csv", "*.pvd", "*.nc", "outlines.geojson", "raster/*.tif",
	"raster/*.qml", "gauges/*.csv", "transects/*.csv", "measured/*.csv", "frames/*.vt[uip]", "frames/*.pvt[uip]",
	"frames/*.stl", "frames/*.obj", "frames/*.vdb", CaseFile,
}

// results returns the files in a folder that match resultPatterns, in the order of these.
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
