package solvers

import (
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
)

// Fits refuses a rank's arrays that the device has no room for, if it tells how much it has. need is in bytes.
func Fits(dev backend.Device, need int64) error {
	d, ok := dev.(interface {
		MemoryInfo() (free, total uint64, err error)
	})
	if !ok {
		return nil
	}
	free, total, err := d.MemoryInfo()
	if err != nil {
		return fmt.Errorf("memory of device %s: %w", dev.Name(), err)
	}
	if uint64(need) > free {
		return fmt.Errorf("a rank's share of the case takes at least %s on device %s, which has %s free of %s; "+
			"use fewer cells, precision float32, or more ranks with a device each", Amount(need), dev.Name(),
			Amount(int64(free)), Amount(int64(total)))
	}
	return nil
}

// Amount prints bytes.
func Amount(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
