//go:build !linux

package partition

import "fmt"

func metisKway(Graph, int) ([]int32, error) {
	return nil, fmt.Errorf("METIS is supported on Linux only: choose one of %s, %s, %s", HilbertCut, RCB, RandomCut)
}
