// Package needs is for tests of what a machine may lack. There they are skipped, and say what to install. Where the
// environment variable CI is set, which .ci/run does once all of it is installed, they fail instead, so that no test is
// left out unnoticed. Tests that need a GPU are skipped everywhere: package cudatest.
package needs

import (
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Missing ends a test that needs something else than there is.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("not tested, although CI has everything but GPUs: "+format, args...)
	}
	t.Skipf("not tested: "+format, args...)
}

// Program returns the path of a program, which is in a package of Debian's.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed (Debian: apt-get install %s)", name, debian)
	}
	return path
}

// python is Debian's, which python3-vtk9 is for.
const python = "/usr/bin/python3"

func imported(python, module string) func() error {
	return sync.OnceValue(func() error { return exec.Command(python, "-c", "import "+module).Run() })
}

var (
	importVTK, importGDAL = imported(python, "vtk"), imported(python, "osgeo.gdal")
	importMeshio          = imported("python3", "meshio")
	importXarray          = imported("python3", "xarray, netCDF4")
)

// VTK returns the path of a Python that has the module vtk.
func VTK(t testing.TB) string {
	t.Helper()
	if err := importVTK(); err != nil {
		Missing(t, "%s has no module vtk (Debian: apt-get install python3-vtk9): %v", python, err)
	}
	return python
}

// Meshio returns the name of a Python that has the module meshio, as pip installs it.
func Meshio(t testing.TB) string {
	t.Helper()
	if err := importMeshio(); err != nil {
		Missing(t, "python3 has no module meshio (python3 -m pip install meshio): %v", err)
	}
	return "python3"
}

// GDAL returns the path of a Python that has the module osgeo.gdal.
func GDAL(t testing.TB) string {
	t.Helper()
	if err := importGDAL(); err != nil {
		Missing(t, "%s has no module osgeo.gdal (Debian: apt-get install python3-gdal): %v", python, err)
	}
	return python
}

// Xarray returns the name of a Python that has the modules xarray and netCDF4, as pip installs them.
func Xarray(t testing.TB) string {
	t.Helper()
	if err := importXarray(); err != nil {
		Missing(t, "python3 has no modules xarray and netCDF4 (python3 -m pip install xarray netCDF4): %v", err)
	}
	return "python3"
}
