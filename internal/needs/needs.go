// Package needs is for tests that need programs which may not be installed. Without them a test is skipped, with a
// message that says what to install. If the environment variable CI is set, which .ci/run does after installing all of
// them, the test fails instead, so that no test is skipped unnoticed. Package cudatest is for tests that need a GPU,
// which are skipped in CI too.
package needs

import (
	"os"
	"os/exec"
	"sync"
	"testing"
)

// Missing skips a test, or fails it in CI. The arguments describe what is missing.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("not tested, although CI has everything but GPUs: "+format, args...)
	}
	t.Skipf("not tested: "+format, args...)
}

// Program returns the path of a program. If it is missing, the test is skipped; the message has its Debian package.
func Program(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, "%s is not installed (Debian: apt-get install %s)", name, debian)
	}
	return path
}

// python is Debian's Python, which has the modules of Debian packages such as python3-vtk9.
const python = "/usr/bin/python3"

func importModule(python, module string) func() error {
	return sync.OnceValue(func() error { return exec.Command(python, "-c", "import "+module).Run() })
}

var (
	importVTK, importGDAL = importModule(python, "vtk"), importModule(python, "osgeo.gdal")
	importMeshio          = importModule("python3", "meshio")
	importXarray          = importModule("python3", "xarray, netCDF4")
	importTrimesh         = importModule("python3", "trimesh")
)

// VTK returns the path of a Python that has the module vtk.
func VTK(t testing.TB) string {
	t.Helper()
	if err := importVTK(); err != nil {
		Missing(t, "%s has no module vtk (Debian: apt-get install python3-vtk9): %v", python, err)
	}
	return python
}

// Trimesh returns the name of a Python that has the module trimesh, as pip installs it.
func Trimesh(t testing.TB) string {
	t.Helper()
	if err := importTrimesh(); err != nil {
		Missing(t, "python3 has no module trimesh (python3 -m pip install trimesh): %v", err)
	}
	return "python3"
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
