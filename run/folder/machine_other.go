//go:build !unix

package folder

func machine() string { return "" }

func processExists(int) bool { return true }

func isNoLock(error) bool { return false }
