package main

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// filesCommand serves the output of a run over HTTP, in a pod that mounts its volume; atoll launch k8s downloads it
// from there.
func filesCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:    "files DIR",
		Short:  "Serve the files of a folder as an archive, for atoll launch k8s",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return usageError{err}
			}
			s := &http.Server{Handler: archives(args[0]), ReadHeaderTimeout: 5 * time.Second}
			go func() {
				<-cmd.Context().Done()
				s.Close()
			}()
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}
	c.Flags().StringVar(&listen, "listen", ":8081", "address to listen at, host:port")
	return c
}

// archives serves /all.tar, with all files of a folder, and /files.tar, without its checkpoints.
func archives(dir string) http.Handler {
	mux := http.NewServeMux()
	for name, checkpoints := range map[string]bool{"files": false, "all": true} {
		mux.HandleFunc("GET /"+name+".tar", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-tar")
			if err := pack(w, os.DirFS(dir), checkpoints); err != nil {
				panic(http.ErrAbortHandler) // ends the connection, so that the client sees a truncated response
			}
		})
	}
	return mux
}

func pack(w io.Writer, dir fs.FS, checkpoints bool) error {
	t := tar.NewWriter(w)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "checkpoints" && !checkpoints || name == "lost+found"):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".lock"):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		h.Name = name
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = io.CopyN(t, f, h.Size)
		return err
	})
	return errors.Join(err, t.Close())
}
