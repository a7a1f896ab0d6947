package expr

import (
	"fmt"
	"sync"
	"testing"
)

func TestLowestFailureIsKept(t *testing.T) {
	for range 20 {
		var f Failures
		var wait sync.WaitGroup
		for k := range 4 {
			wait.Go(func() {
				for n := range 50 {
					x, y, z := float64((n*7+k)%10), float64((n*3+k)%7), float64(3+(n+k)%3)
					if !f.Irrelevant(x, y, z) {
						f.Add(x, y, z, fmt.Errorf("at %g, %g, %g", x, y, z))
					}
				}
			})
		}
		wait.Wait()
		if f.Err() == nil || f.Err().Error() != "at 0, 0, 3" || !f.Irrelevant(1, 0, 3) || f.Irrelevant(-1, 0, 3) {
			t.Fatal(f.Err())
		}
	}
}
