package weather

import (
	"testing"

	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
)

func TestMain(m *testing.M) { kerneltest.Main(m, ".") }
