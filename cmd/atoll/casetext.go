package main

import (
	"os"

	"github.com/atoll-hpc/atoll/config"
)

// envCase is the variable by which a launcher gives its ranks the text of the case file. So all epochs of a run have
// the case with which it began, also if somebody edits or removes the file meanwhile.
const envCase = "ATOLL_CASE"

// maxCaseVariable is the length of the longest text that is given so: Linux allows 128 KiB for a variable. Ranks read
// the file of a longer one.
const maxCaseVariable = 100 << 10

// readCase returns the text of a case file; in a rank of a supervised run the one that the launcher has read.
func readCase(path string, supervised bool) ([]byte, error) {
	if text, ok := os.LookupEnv(envCase); ok && supervised {
		return []byte(text), nil
	}
	return config.ReadText(path)
}

// giveCase gives the text of the case to the ranks that this process starts from now on.
func giveCase(text []byte) error {
	if len(text) > maxCaseVariable {
		return os.Unsetenv(envCase)
	}
	return os.Setenv(envCase, string(text))
}
