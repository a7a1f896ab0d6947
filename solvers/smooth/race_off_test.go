//go:build !race

package smooth

const raced = false
