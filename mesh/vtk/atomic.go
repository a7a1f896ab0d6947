package vtk

import (
	"fmt"
	"os"
	"sync/atomic"
)

var temporaries atomic.Int64

// replaceFile writes a file under a temporary name in the same folder and renames it to path once it is complete,
// so that a reader, such as a viewer that watches the folder, finds the whole old file or the whole new one.
func replaceFile(path string, write func(f *os.File) error) (err error) {
	name := fmt.Sprintf("%s.%d-%d.tmp", path, os.Getpid(), temporaries.Add(1))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(name)
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(name, path)
}
