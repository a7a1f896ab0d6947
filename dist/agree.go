package dist

import "context"

// FirstText returns what the lowest rank says that has something to say, and which it is: -1 and "" where all pass "".
// All ranks call it and get the same. err tells that they could not talk.
func FirstText(ctx context.Context, comm Comm, mine string) (rank int, text string, err error) {
	all, err := comm.Allgatherv(ctx, []byte(mine))
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

// FirstError is FirstText of errors that ranks may have of their own.
func FirstError(ctx context.Context, comm Comm, mine error) (rank int, text string, err error) {
	if mine != nil {
		text = mine.Error()
	}
	return FirstText(ctx, comm, text)
}
