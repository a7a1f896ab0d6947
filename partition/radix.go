package partition

const (
	digitBits = 11 // histograms of 2048 counters stay in the first-level cache
	digits    = (64 + digitBits - 1) / digitBits
)

// SortByKey sorts keys ascending and moves ids along. Equal keys keep their order. It is a radix sort; digits that are
// the same in all keys cost nothing beyond the count.
func SortByKey(keys []uint64, ids []int32) {
	var counts [digits][1 << digitBits]int32
	for _, key := range keys {
		for d := range counts {
			counts[d][key>>(d*digitBits)&(1<<digitBits-1)]++
		}
	}
	fromKeys, fromIDs := keys, ids
	toKeys, toIDs := make([]uint64, len(keys)), make([]int32, len(ids))
	for d := range counts {
		shift := d * digitBits
		count := &counts[d]
		if len(keys) == 0 || int(count[keys[0]>>shift&(1<<digitBits-1)]) == len(keys) {
			continue
		}
		at := int32(0)
		for i, c := range count {
			count[i] = at
			at += c
		}
		for i, key := range fromKeys {
			to := &count[key>>shift&(1<<digitBits-1)]
			toKeys[*to], toIDs[*to] = key, fromIDs[i]
			*to++
		}
		fromKeys, toKeys = toKeys, fromKeys
		fromIDs, toIDs = toIDs, fromIDs
	}
	if len(keys) > 0 && &fromKeys[0] != &keys[0] {
		copy(keys, fromKeys)
		copy(ids, fromIDs)
	}
}
