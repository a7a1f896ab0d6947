package dist

import "context"

// FirstError returns the lowest rank that has an error of its own, and what it says; -1 where none has. All ranks call
// it and get the same. err tells that they could not talk.
func FirstError(ctx context.Context, comm Comm, mine error) (rank int, text string, err error) {
	var own []byte
	if mine != nil {
		own = []byte(mine.Error())
	}
	all, err := comm.Allgatherv(ctx, own)
	if err != nil {
		return -1, "", err
	}
	for r, t := range all {
		if len(t) > 0 {
			return r, string(t), nil
		}
	}
	return -1, "", nil
}
