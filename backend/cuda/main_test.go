package cuda

import (
	_ "embed"
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

//go:embed testdata/kernels.ptx
var kernelsPTX string

// ptxModule returns a module with the PTX alone.
func ptxModule(name, ptx string) *abi.Module {
	archive, err := abi.Pack(ptx, nil)
	if err != nil {
		panic(err)
	}
	return &abi.Module{Name: name, Archive: string(archive)}
}

// open opens the first GPU. Without a GPU it skips the test.
func open(t testing.TB) *Device {
	t.Helper()
	if _, err := Devices(); err != nil {
		t.Skip("NOT TESTED:", err)
	}
	d, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Sync(); err != nil && !errors.Is(err, errExpected) {
			t.Error(err)
		}
		d.Close()
	})
	return d
}

// errExpected marks a device whose error the test provoked.
var errExpected = errors.New("expected")

// kernel loads one of the test kernels.
func kernel(t testing.TB, d *Device, symbol string) *Function {
	t.Helper()
	m, err := d.Load("kernels", kernelsPTX)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Function(symbol)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ok ends the test if there is an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
