package cuda

import "regexp"

// kernelTexts is PTX that can be compiled kernel by kernel.
type kernelTexts struct {
	head    string            // what comes before the first kernel, and belongs to all
	kernels map[string]string // by symbol
	whole   string            // where kernels depend on each other, or on what stands between them; else ""
}

var (
	entryOfPTX   = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)
	betweenOfPTX = regexp.MustCompile(`(?m)^\.(visible \.|weak \.|extern \.)?(func|global|shared|const)\b`)
)

// split takes PTX apart. kernelgen's kernels call no functions that stand apart, and declare what they share with
// others before the first one.
func split(ptx string) kernelTexts {
	at := entryOfPTX.FindAllStringSubmatchIndex(ptx, -1)
	if len(at) == 0 {
		return kernelTexts{whole: ptx}
	}
	t := kernelTexts{head: ptx[:at[0][0]], kernels: map[string]string{}}
	if betweenOfPTX.MatchString(ptx[at[0][0]:]) {
		return kernelTexts{whole: ptx}
	}
	for n, entry := range at {
		end := len(ptx)
		if n+1 < len(at) {
			end = at[n+1][0]
		}
		t.kernels[ptx[entry[2]:entry[3]]] = ptx[entry[0]:end]
	}
	return t
}
