package cuda

import (
	"regexp"
	"strconv"
	"strings"
)

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

// split takes PTX apart. kernelgen's kernels call no separate functions, and declare what they share with
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

// paramOfPTX is a parameter in the head of a kernel: the bits of its type, and how many of them there are in an array.
var paramOfPTX = regexp.MustCompile(`\.param\s+(?:\.align\s+\d+\s+)?\.[a-z]+(\d+)\b[^,\[]*(?:\[(\d+)\])?`)

// paramSizes returns the bytes of each parameter of a kernel, as its PTX declares them. It is not the driver that is
// asked, since that tells their number by an error alone, which the tools that watch its calls then report.
func paramSizes(ptx, symbol string) (sizes []int) {
	_, head, _ := strings.Cut(ptx, ".entry "+symbol+"(")
	head, _, _ = strings.Cut(head, ")")
	for _, p := range paramOfPTX.FindAllStringSubmatch(head, -1) {
		bits, _ := strconv.Atoi(p[1])
		if count, err := strconv.Atoi(p[2]); err == nil {
			bits *= count
		}
		sizes = append(sizes, bits/8)
	}
	return sizes
}
