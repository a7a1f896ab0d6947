package builds

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Pack compresses a binary with gzip, in the form that Binary accepts.
func Pack(binary, to string) error {
	return convert(binary, to, func(w io.Writer, r io.Reader) error {
		z := gzip.NewWriter(w)
		_, err := io.Copy(z, r)
		return errors.Join(err, z.Close())
	})
}

func unpack(from, to string) error {
	return convert(from, to, func(w io.Writer, r io.Reader) error {
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, z)
		return errors.Join(err, z.Close())
	})
}

// Copy copies a binary.
func Copy(from, to string) error {
	return convert(from, to, func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// convert writes an executable file from another file by f.
func convert(from, to string, f func(w io.Writer, r io.Reader) error) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o777)
	if err != nil {
		return err
	}
	if err := errors.Join(f(out, in), out.Close()); err != nil {
		return fmt.Errorf("%s from %s: %w", to, from, err)
	}
	return nil
}
