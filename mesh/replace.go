package mesh

import (
	"io"
	"os"
)

// replaceFile writes a file, which takes its place when it is whole.
func replaceFile(path string, write func(io.Writer) error) error {
	temporary := path + ".part"
	f, err := os.Create(temporary)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}
